/** The thirteen statistics of a cycle, by the names they have in paths and records. */
export const STATISTIC_IDS = [
  ...(['first', 'last', 'min', 'max', 'avg', 'sum', 'minoccurrence', 'maxoccurrence'] as const),
  ...(['gapcount', 'nongapcount', 'intvlcount', 'milliseccount', 'nongapmilliseccount'] as const),
] as const
export type StatisticId = (typeof STATISTIC_IDS)[number]
