/** The quantile of values, which get sorted: between two values in proportion. NaNs are the least. */
export function quantileOf(quantile: number, values: Float64Array): number {
  if (values.length === 0 || Number.isNaN(quantile)) return Number.NaN
  if (quantile < 0) return Number.NEGATIVE_INFINITY
  if (quantile > 1) return Number.POSITIVE_INFINITY
  // The sort of typed arrays puts NaNs last.
  values.sort()
  let numbers = values.length
  while (numbers > 0 && Number.isNaN(values[numbers - 1])) numbers--
  const least = values.length - numbers
  const valueAt = (index: number): number => (index < least ? Number.NaN : values[index - least])
  const rank = quantile * (values.length - 1)
  const lower = Math.floor(rank)
  const upper = Math.min(values.length - 1, lower + 1)
  const weight = rank - lower
  return valueAt(lower) * (1 - weight) + valueAt(upper) * weight
}

/** Ascending, NaNs first. */
export function compareForQuantile(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1
  if (Number.isNaN(b)) return 1
  return a - b || 0
}
