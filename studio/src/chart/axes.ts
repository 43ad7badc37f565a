/** Which y axis a series belongs to: two units have an axis each, further ones are drawn to scales of their own. */

/** What decides about axes. */
interface WithUnit {
  readonly unit: string
  readonly isNumber: boolean
  /** Units of which all is hidden leave the axes to others, where there are more than two. */
  readonly isHidden?: boolean
}

/** The axis of a series; `own`: a scale of its unit's own, which fills the height and has no axis. */
export type Side = 'y' | 'y2' | 'own'

/** The units of the left and the right axis and those without one, and where each series is. */
export interface Axes {
  readonly left: readonly string[]
  readonly right: readonly string[]
  readonly own: readonly string[]
  readonly sides: readonly Side[]
}

const listed = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** Says which units have no axis, as a chart has two; blank where all have one. */
export function ownScaleText({ left, right, own }: Axes): string {
  if (own.length === 0) return ''
  const shown = (units: readonly string[]) => units.map((unit) => unit.trim() || 'no unit')
  const axes = `A chart has two axes: ${shown(left)[0]} on the left, ${shown(right)[0]} on the right.`
  const scale = own.length === 1 ? 'uses a separate scale' : 'use separate scales'
  return `${axes} ${listed(shown(own))} ${scale}. See the legend for values.`
}

const SIDES: readonly Side[] = ['y', 'y2']

/** Gives each series its axis, in the order in which units come; those that are seen come first where not all can have one. */
export function axesOf(series: readonly WithUnit[]): Axes {
  const numbers = series.filter(({ isNumber }) => isNumber)
  const all = [...new Set(numbers.map(({ unit }) => unit))]
  const isSeen = (unit: string) => numbers.some((one) => one.unit === unit && one.isHidden !== true)
  const units =
    all.length <= SIDES.length
      ? all
      : [...all.filter(isSeen), ...all.filter((unit) => !isSeen(unit))]
  return {
    left: units.slice(0, 1),
    right: units.slice(1, 2),
    own: units.slice(2).filter(isSeen),
    sides: series.map(({ unit, isNumber }) => {
      return isNumber ? (SIDES[units.indexOf(unit)] ?? 'own') : 'y'
    }),
  }
}
