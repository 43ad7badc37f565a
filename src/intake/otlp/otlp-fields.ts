/** The numbers of the fields that are read of the messages of OpenTelemetry. */

export const REQUEST = { resourceMetrics: 1 } as const
export const RESOURCE_METRICS = { resource: 1, scopeMetrics: 2 } as const
export const RESOURCE = { attributes: 1 } as const
export const SCOPE_METRICS = { metrics: 2 } as const
export const METRIC = {
  name: 1,
  unit: 3,
  gauge: 5,
  sum: 7,
  histogram: 9,
  exponentialHistogram: 10,
  summary: 11,
} as const
/** A gauge, sum, histogram, or summary. */
export const DATA = { points: 1, temporality: 2, isMonotonic: 3 } as const
export const NUMBER_POINT = { time: 3, double: 4, integer: 6, attributes: 7, flags: 8 } as const
export const HISTOGRAM_POINT = {
  time: 3,
  count: 4,
  sum: 5,
  bucketCounts: 6,
  bounds: 7,
  attributes: 9,
  flags: 10,
} as const
export const SUMMARY_POINT = {
  time: 3,
  count: 4,
  sum: 5,
  quantiles: 6,
  attributes: 7,
  flags: 8,
} as const
export const QUANTILE = { quantile: 1, value: 2 } as const

export const TEMPORALITY_CUMULATIVE = 2
/** The flag of a point that says that there is no value. */
export const FLAG_NO_VALUE = 1
