import { inSlices } from '../../base/index.ts'
import type { SampleBatch } from '../../store/index.ts'
import { keptFrom, type Retention } from '../expire/retention.ts'

const NONE: readonly string[] = []

/** What a caller should hear of samples older than the delete profiles of their streams keep. */
export async function warnOfOutdated(
  retention: Retention,
  batch: SampleBatch,
  found: {
    /** Streams that may have a profile and got samples that are not of the last minute. */
    readonly suspects: ReadonlySet<number>
    readonly uploadTime: number
  },
): Promise<readonly string[]> {
  const floors = new Map<number, number>()
  for (const handle of found.suspects) {
    // The samples are stored, and a profile that cannot be read deletes nothing.
    const rule = await retention.ruleOf(handle).catch(() => undefined)
    if (rule !== undefined) floors.set(handle, keptFrom(rule, found.uploadTime))
  }
  if (floors.size === 0) return NONE
  let outdated = 0
  const counting = inSlices(batch.count, (from, until) => {
    const { handles, times } = batch
    for (let at = from; at < until; at += 1) {
      const floor = floors.get(handles[at])
      if (floor !== undefined && times[at] < floor) outdated += 1
    }
  })
  if (counting !== undefined) await counting
  return outdated === 0 ? NONE : [textOf(outdated, batch.count)]
}

function textOf(outdated: number, count: number): string {
  const samples = count === 1 ? 'sample' : 'samples'
  const are = outdated === 1 ? 'is' : 'are'
  return `${outdated} of ${count} ${samples} ${are} older than the delete profile keeps and will be deleted`
}
