/** Samples of touched spans, read back for evaluation. */
import { epochMs } from '../../base/index.ts'
import { VALUE_CODE } from '../../catalog/shape/index.ts'
import type { SampleColumns, SampleStore, StreamHandle, TouchedSpan } from '../../store/index.ts'

/** Samples of one stream that are judged together, ascending. */
export interface SpanSamples {
  readonly handle: StreamHandle
  readonly count: number
  readonly times: Float64Array
  readonly numbers: Float64Array
  readonly texts?: readonly (string | undefined)[] | undefined
}

/** Samples of one block: judging them takes some milliseconds. */
const BLOCK_SAMPLES_MAX = 10_000
/** Streams of which the latest samples are read at once. */
const LATEST_AT_ONCE = 1_000

type Reads = Pick<SampleStore, 'latest' | 'range'>

/** A span, and the earliest time of it that may change a state. */
export interface SpanToRead {
  readonly span: TouchedSpan
  readonly from: number
}

/**
 * The first block of each span, and the spans that have more. Most spans are a single sample, which is the latest of its
 * stream: those are read together.
 */
export async function readSpanSamples(
  store: Reads,
  wanted: readonly SpanToRead[],
): Promise<{ readonly blocks: SpanSamples[]; readonly rest: SpanToRead[] }> {
  const blocks: SpanSamples[] = []
  const rest: SpanToRead[] = []
  const others: SpanToRead[] = []
  const single = wanted.filter(({ span }) => span.until - span.from === 1)
  for (let at = 0; at < single.length; at += LATEST_AT_ONCE) {
    const some = single.slice(at, at + LATEST_AT_ONCE)
    const latest = await store.latest(some.map(({ span }) => span.handle))
    for (const [place, one] of some.entries()) {
      const sample = latest[place]
      if (sample?.time !== one.span.from || one.from > sample.time) others.push(one)
      else blocks.push(blockOf(one.span.handle, sample.time, sample.value))
    }
  }
  for (const one of wanted) if (one.span.until - one.span.from !== 1) others.push(one)
  for (const { span, from } of others) {
    if (from >= span.until) continue
    const columns = await store.range(span.handle, {
      from: epochMs(Math.max(from, span.from)),
      until: span.until,
      limit: BLOCK_SAMPLES_MAX,
      order: 'oldest_first',
    })
    if (columns.count === 0) continue
    blocks.push(withHandle(span.handle, columns))
    const next = columns.times[columns.count - 1] + 1
    if (columns.count === BLOCK_SAMPLES_MAX) rest.push({ span, from: next })
  }
  return { blocks, rest }
}

function blockOf(handle: StreamHandle, time: number, value: number | string): SpanSamples {
  const isText = typeof value === 'string'
  return {
    handle,
    count: 1,
    times: Float64Array.of(time),
    numbers: Float64Array.of(isText ? Number.NaN : value),
    texts: isText ? [value] : undefined,
  }
}

/** Columns of a store as a block. */
export function withHandle(handle: StreamHandle, columns: SampleColumns): SpanSamples {
  const { count, times, numbers, texts } = columns
  return { handle, count, times, numbers, texts }
}

/** The samples of a block from a time on. */
export function blockFrom(block: SpanSamples, from: number): SpanSamples {
  let first = 0
  while (first < block.count && block.times[first] < from) first += 1
  if (first === 0) return block
  return {
    handle: block.handle,
    count: block.count - first,
    times: block.times.subarray(first, block.count),
    numbers: block.numbers.subarray(first, block.count),
    texts: block.texts?.slice(first, block.count),
  }
}

/** The value of a sample as text. */
export function valueText(value: number | string, valueCode: number): string {
  return valueCode === VALUE_CODE.BOOLEAN ? String(value === 1) : String(value)
}
