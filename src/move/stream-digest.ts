import { createHash, type Hash } from 'node:crypto'
import type { SampleColumns, SampleStore, StreamHandle } from '../store/index.ts'
import { fromTime, pagesOf } from './stream-pages.ts'

/** What a stream holds, in a few words: equal for equal samples only. */
export interface StreamDigest {
  readonly count: number
  readonly first: number | undefined
  readonly last: number | undefined
  /** SHA-256 over time and value of each sample in the order of time, then of each special value. */
  readonly sha256: string
}

/** Reads all of a stream. */
export async function digestStream(
  store: SampleStore,
  handle: StreamHandle,
): Promise<StreamDigest> {
  const hash = createHash('sha256')
  let count = 0
  let first: number | undefined
  let last: number | undefined
  for await (const { samples } of pagesOf(store, fromTime(handle))) {
    if (samples.count === 0) continue
    first ??= samples.times[0]
    last = samples.times[samples.count - 1]
    count += samples.count
    addSamples(hash, samples)
  }
  let specialCount = 0
  for await (const { samples } of pagesOf(store, fromTime(handle), 'specials')) {
    if (samples.count === 0) continue
    if (specialCount === 0) hash.update('special values')
    specialCount += samples.count
    addSamples(hash, samples)
  }
  count += specialCount
  return { count, first, last, sha256: hash.digest('hex') }
}

/** How pages are cut must not show: a sample is its time and its number, or for a text NaN, its length and its bytes. */
function addSamples(hash: Hash, { count, times, numbers, texts }: SampleColumns): void {
  let columns = new Float64Array(count * 2)
  let filled = 0
  const flush = () => {
    hash.update(new Uint8Array(columns.buffer, 0, filled * 8))
    columns = new Float64Array(columns.length)
    filled = 0
  }
  for (let at = 0; at < count; at += 1) {
    const text = texts?.[at]
    columns[filled++] = times[at]
    columns[filled++] = text === undefined ? numbers[at] : Number.NaN
    if (text === undefined) continue
    flush()
    const bytes = Buffer.from(text, 'utf16le')
    hash.update(Float64Array.of(bytes.length))
    hash.update(bytes)
  }
  flush()
}
