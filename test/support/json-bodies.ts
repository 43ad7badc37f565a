/** What tests of readers of JSON bodies share: streams that are known, and samples as they were understood. */
import type { IncomingSamples } from '../../src/feed/index.ts'
import { StreamCache } from '../../src/intake/stream-cache.ts'
import type { StreamHandle } from '../../src/store/index.ts'

/** A cache over streams named in a list; handles are places in the list plus one. */
export function cacheOf(known: readonly string[]): StreamCache {
  const lookUp = (org: string, compId: string, streamId: string) =>
    (known.indexOf(`${org}/${compId}/${streamId}`) + 1) as StreamHandle
  return new StreamCache({ generation: 0, resolve: lookUp, keepsDigits: () => true })
}

/** What a reader understood, sample by sample, with streams by their IDs. */
export function understood(samples: IncomingSamples, known: readonly string[] = []): unknown[] {
  const names: string[] = []
  for (const { compId, compUid, streamId, streamUid, samples: at } of samples.open) {
    for (const index of at) names[index] = `o/${compId ?? compUid}/${streamId ?? streamUid}`
  }
  return Array.from({ length: samples.count }, (_, index) => {
    const handle = samples.handles[index]
    return [
      handle === 0 ? names[index] : known[handle - 1],
      samples.times[index],
      samples.kinds[index],
      samples.numbers[index],
      samples.texts?.[index],
    ]
  })
}
