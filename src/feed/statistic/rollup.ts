import { STATISTIC_IDS, type StatisticId } from './statistic-id.ts'

/** Value types whose values cannot be added up. */
const TEXT_TYPES = new Set(['STRING', 'FILE'])

/**
 * The statistic by which a stream is rolled up where a cycle is asked for without one: its
 * rollupMethod (the name of a statistic, in any capitals), else avg, or last for texts.
 */
export function rollupStatistic(stream: {
  readonly rollupMethod?: string | undefined
  readonly valueType?: string | undefined
}): StatisticId {
  const wanted = (stream.rollupMethod ?? '').toLowerCase()
  const chosen = STATISTIC_IDS.find((id) => id === wanted)
  if (chosen !== undefined) return chosen
  return TEXT_TYPES.has(stream.valueType ?? '') ? 'last' : 'avg'
}
