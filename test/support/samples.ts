import { EARLIEST_TIME, epochMs, TIME_END } from '../../src/base/index.ts'
import type { SampleBatch, SampleStore, StreamHandle } from '../../src/store/index.ts'

/** A stream by number. */
export const stream = (number: number): StreamHandle => number as StreamHandle

/** A batch from plain rows. */
export function batch(
  rows: ReadonlyArray<readonly [handle: number, time: number, value: number | string]>,
  removals: ReadonlyArray<readonly [handle: number, from: number, until: number]> = [],
): SampleBatch {
  const hasTexts = rows.some((row) => typeof row[2] === 'string')
  return {
    count: rows.length,
    handles: Uint32Array.from(rows, (row) => row[0]),
    times: Float64Array.from(rows, (row) => row[1]),
    numbers: Float64Array.from(rows, (row) => (typeof row[2] === 'number' ? row[2] : 0)),
    texts: hasTexts
      ? rows.map((row) => (typeof row[2] === 'string' ? row[2] : undefined))
      : undefined,
    removals: removals.map(([handle, from, until]) => ({
      handle: stream(handle),
      from: epochMs(from),
      until: epochMs(until),
    })),
  }
}

/** Every sample of a stream as [time, value], in the order asked for. */
export async function read(
  store: SampleStore,
  handle: number,
  query: { from?: number; until?: number; limit?: number; order?: 'latest_first' } = {},
): Promise<Array<[number, number | string]>> {
  const columns = await store.range(stream(handle), {
    from: epochMs(query.from ?? EARLIEST_TIME),
    until: epochMs(query.until ?? TIME_END),
    limit: query.limit ?? Number.POSITIVE_INFINITY,
    order: query.order ?? 'oldest_first',
  })
  return Array.from({ length: columns.count }, (_, index) => [
    columns.times[index],
    columns.texts?.[index] ?? columns.numbers[index],
  ])
}

/** Every special value of a stream as [time, code], in the order asked for. */
export async function readSpecials(
  store: SampleStore,
  handle: number,
  query: { from?: number; until?: number; limit?: number; order?: 'latest_first' } = {},
): Promise<Array<[number, number]>> {
  const { count, times, numbers } = await store.specials(stream(handle), {
    from: epochMs(query.from ?? EARLIEST_TIME),
    until: epochMs(query.until ?? TIME_END),
    limit: query.limit ?? Number.POSITIVE_INFINITY,
    order: query.order ?? 'oldest_first',
  })
  return Array.from({ length: count }, (_, index) => [times[index], numbers[index]])
}
