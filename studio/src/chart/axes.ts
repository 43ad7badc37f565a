/** Which y axis a series belongs to: two units have an axis each, further ones share the second. */

/** What decides about axes. */
interface WithUnit {
  readonly unit: string
  readonly isNumber: boolean
}

/** The units of the left and the right axis, and which of them each series is on. */
export interface Axes {
  readonly left: readonly string[]
  readonly right: readonly string[]
  readonly sides: readonly ('y' | 'y2')[]
}

/** Gives each series its axis, in the order in which units come. */
export function axesOf(series: readonly WithUnit[]): Axes {
  const units: string[] = []
  for (const { unit, isNumber } of series) if (isNumber && !units.includes(unit)) units.push(unit)
  return {
    left: units.slice(0, 1),
    right: units.slice(1),
    sides: series.map(({ unit }) => (units.indexOf(unit) > 0 ? 'y2' : 'y')),
  }
}
