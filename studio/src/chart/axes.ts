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

/** Says which units share an axis, as a chart has two; blank where none has to. */
export function sharedAxisText({ left, right }: Axes): string {
  if (right.length < 2) return ''
  const shown = (units: readonly string[]) => units.map((unit) => unit.trim() || 'no unit')
  const names = shown(right)
  const others = `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`
  return `A chart has two axes: ${shown(left)[0]} is on the left, ${others} share the right one.`
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
