/** Thresholds and limits of a value axis. */

/** The colors of thresholds, as boards keep them. */
export const LEVEL_COLORS = ['green', 'blue', 'yellow', 'orange', 'red'] as const
export type LevelColor = (typeof LEVEL_COLORS)[number]

/** From a value on, a color applies. */
export interface Threshold {
  readonly value: number
  readonly color: LevelColor
}

/** Where an axis begins and ends; null: as the values need. */
export interface AxisLimits {
  readonly min: number | null
  readonly max: number | null
}

/** An extent within limits. Values beyond a limit are cut off; two ends never meet. */
export function limited(
  [low, high]: readonly [number, number],
  limits: AxisLimits | undefined,
): [number, number] {
  const [from, until] = [limits?.min ?? low, limits?.max ?? high]
  if (from < until) return [from, until]
  // All values lie beyond the one limit that is set.
  return limits?.max === null || limits?.max === undefined ? [from, from + 1] : [until - 1, until]
}

/** The color of the highest threshold that a value has reached; undefined below all of them. */
export function levelOf(
  value: unknown,
  thresholds: readonly Threshold[] | undefined,
): LevelColor | undefined {
  if (typeof value !== 'number') return undefined
  return thresholds?.findLast((one) => value >= one.value)?.color
}
