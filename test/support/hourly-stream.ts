import type { StreamInput } from '../../src/catalog/shape/index.ts'
import type { FeedHome } from './feed-home.ts'

export const HOUR = 3_600_000

/** A full hour, from which the hours below are counted. */
export const T0 = 1_699_999_200_000

/** An interval stream of hours. */
export const interval: StreamInput = {
  streamType: 'intvl_stream',
  baseCycle: { id: 'hour' },
  valueType: 'DOUBLE',
}

/** Puts values to stream `i` by hour. */
export function hours(
  feed: FeedHome,
  values: readonly (readonly [hour: number, data: unknown])[],
  query = '',
): Promise<string> {
  return feed.putJson(
    values.map(([hour, data]) => ({ compId: 'c', streamId: 'i', data, time: T0 + hour * HOUR })),
    query,
  )
}

/** The samples of stream `i` as [hour, data]. */
export async function hourly(feed: FeedHome, query = ''): Promise<[number, unknown][]> {
  return (await feed.get('i', query)).map(({ time, data }) => [(time - T0) / HOUR, data])
}
