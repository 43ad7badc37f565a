import type { SampleBatch } from '../../store/index.ts'
import { keptFrom, type Retention, SHORTEST_AGE_MS } from '../expire/retention.ts'
import { inSlices } from './in-slices.ts'

const NONE: readonly string[] = []

/**
 * What a caller should hear of samples that are stored and yet older than the delete profiles of
 * their streams keep. No promise where nothing can be: for samples of the last minute, or of streams
 * without a profile.
 */
export function warnOfOutdated(
  retention: Retention,
  batch: SampleBatch,
  uploadTime: number,
): readonly string[] | Promise<readonly string[]> {
  let suspects: Set<number> | undefined
  const youngest = uploadTime - SHORTEST_AGE_MS
  const looking = inSlices(batch.count, (from, until) => {
    const { handles, times } = batch
    for (let at = from; at < until; at += 1) {
      if (times[at] >= youngest || !retention.mayHaveRule(handles[at])) continue
      suspects ??= new Set()
      suspects.add(handles[at])
    }
  })
  if (looking !== undefined) {
    return looking.then(() => countOutdated(retention, batch, { suspects, uploadTime }))
  }
  return suspects === undefined ? NONE : countOutdated(retention, batch, { suspects, uploadTime })
}

async function countOutdated(
  retention: Retention,
  batch: SampleBatch,
  found: {
    readonly suspects: ReadonlySet<number> | undefined
    readonly uploadTime: number
  },
): Promise<readonly string[]> {
  const floors = new Map<number, number>()
  for (const handle of found.suspects ?? []) {
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
