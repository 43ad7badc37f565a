import type { StreamRun } from './group-runs.ts'

/** Nodes warn of frames with more partitions than this, and of more bytes than 5 KB. */
export const WRITE_FRAME_RUNS_MAX = 10
export const WRITE_FRAME_BYTES_MAX = 4 * 1024

/** What a row takes beside its samples, and one sample that packs badly. */
export const ROW_BYTES = 100
const SAMPLE_BYTES = 12

/**
 * Groups the runs of a call into frames. Small runs of one node share a frame, which halves the cost for the nodes and
 * this process. Longer runs have a frame each.
 */
export function frameGroups(
  runs: readonly StreamRun[],
  nodeOf: (handle: number) => number,
): StreamRun[][] {
  const groups: StreamRun[][] = []
  const filling = new Map<number, { runs: StreamRun[]; bytes: number }>()
  for (const run of runs) {
    const bytes = roughBytes(run)
    const node = nodeOf(run.handle)
    const last = filling.get(node)
    if (last !== undefined && last.bytes + bytes <= WRITE_FRAME_BYTES_MAX) {
      last.runs.push(run)
      last.bytes =
        last.runs.length < WRITE_FRAME_RUNS_MAX ? last.bytes + bytes : WRITE_FRAME_BYTES_MAX
      continue
    }
    const group = [run]
    groups.push(group)
    // A long run leaves the group before it open for short ones.
    if (bytes < WRITE_FRAME_BYTES_MAX) filling.set(node, { runs: group, bytes })
  }
  return groups
}

/** Whether a run certainly fits a frame, as one row. */
export function isSmall(run: StreamRun): boolean {
  return roughBytes(run) < WRITE_FRAME_BYTES_MAX
}

/** About the most that a run can take; more than a frame has room for where it has more rows than one. */
function roughBytes({ columns, removals }: StreamRun): number {
  const { count, texts } = columns
  let bytes = ROW_BYTES + count * SAMPLE_BYTES + removals.length * 16
  if (bytes >= WRITE_FRAME_BYTES_MAX || texts === undefined) return bytes
  for (const text of texts) bytes += 3 * (text?.length ?? 0)
  return bytes
}
