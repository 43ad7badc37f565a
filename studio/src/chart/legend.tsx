import { useMemo } from 'react'
import { classes } from '../ui/classes.ts'
import { momentText, offsetText } from '../ui/time/moment-text.ts'
import styles from './chart.module.css'
import { type ChartSeries, isNumbers } from './chart-series.ts'
import { stateColour } from './draw-states.ts'
import { type Figures, figuresOf, NO_FIGURE } from './figures.ts'
import type { TimeRange } from './time-range.ts'

interface LegendProps {
  readonly series: readonly ChartSeries[]
  readonly colours: readonly string[]
  readonly range: TimeRange
  readonly zone: string
  readonly cursor: number | undefined
  readonly hidden: ReadonlySet<string>
  readonly onHidden: (hidden: ReadonlySet<string>) => void
  /** Names and values in a line or two, for charts that have little room. */
  readonly isCompact?: boolean
}

const COLUMNS = [
  ['value', 'Value'],
  ['min', 'Min'],
  ['max', 'Max'],
  ['mean', 'Mean'],
] as const satisfies ReadonlyArray<readonly [keyof Figures, string]>

/** Names, colours and figures of the series; a click hides one, a double click shows it alone. */
export function Legend(props: LegendProps) {
  const { series, colours, range, zone, cursor, hidden, onHidden, isCompact = false } = props
  // Clocks of a zone are slow to ask, and the range changes with every movement.
  const when = useMemo(
    () => (cursor === undefined ? undefined : momentText(zone, Math.round(cursor))),
    [zone, cursor],
  )
  const toggle = (key: string) => {
    const next = new Set(hidden)
    if (!next.delete(key)) next.add(key)
    onHidden(next)
  }
  const alone = (key: string) => {
    const others = series.flatMap((one) => (one.key === key ? [] : [one.key]))
    const isAlone = !hidden.has(key) && others.every((other) => hidden.has(other))
    onHidden(new Set(isAlone ? [] : others))
  }
  const at = when === undefined ? '' : `At ${when} ${offsetText(zone, Math.round(cursor ?? 0))}`
  /** The colour that the eye finds on the chart: of states that of the one which the legend names. */
  const swatchOf = (data: ChartSeries['data'], value: string, place: number): string => {
    const own = colours[place % colours.length]
    const isState = data !== undefined && data.shape === 'states' && value !== NO_FIGURE
    const isOne = isState && data.bands.some(({ state }) => state === value)
    return isOne ? stateColour(value, own, colours) : own
  }
  const names = series.map((one, place) => (
    <Name
      key={one.key}
      series={one}
      colour={swatchOf(one.data, figuresOf(one, range, cursor).value, place)}
      isHidden={hidden.has(one.key)}
      onToggle={() => toggle(one.key)}
      onAlone={() => alone(one.key)}
    />
  ))
  if (isCompact) {
    return (
      <ul className={styles.compact} aria-label="Legend">
        {series.map((one, place) => (
          <li key={one.key} data-hidden={hidden.has(one.key) || undefined}>
            {names[place]} {figuresOf(one, range, cursor).value}
          </li>
        ))}
        <li className={styles.when}>{at || `Times in ${zone}`}</li>
      </ul>
    )
  }
  // Texts and files have values, but no extremes and no mean.
  const hasNumbers = series.some(({ data }) => data === undefined || isNumbers(data))
  const ofPeriods = new Set<keyof Figures>(series.flatMap(({ data }) => periodFigures(data)))
  const columns = hasNumbers ? COLUMNS : COLUMNS.slice(0, 1)
  const look = hasNumbers ? styles.number : classes(styles.number, styles.state)
  return (
    <div className={styles.legend}>
      <table>
        <caption className={styles.when}>{at || 'Visible range'}</caption>
        <thead>
          <tr>
            <th scope="col">Stream</th>
            {columns.map(([id, label]) => (
              <th key={id} scope="col" className={look}>
                {label}
                {ofPeriods.has(id) && ' of periods'}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.map((one, place) => {
            const figures = figuresOf(one, range, cursor)
            return (
              <tr key={one.key} data-hidden={hidden.has(one.key) || undefined}>
                <th scope="row">{names[place]}</th>
                {columns.map(([id]) => (
                  <td key={id} className={look} title={figures[id]}>
                    {figures[id]}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** Figures that are of the values of periods: a period counts once, however many samples it has. */
function periodFigures(data: ChartSeries['data']): Array<keyof Figures> {
  if (data === undefined || !isNumbers(data) || data.isOfPeriods !== true) return []
  return data.lows === data.values ? ['min', 'max', 'mean'] : ['mean']
}

interface NameProps {
  readonly series: ChartSeries
  readonly colour: string
  readonly isHidden: boolean
  readonly onToggle: () => void
  readonly onAlone: () => void
}

function Name({ series, colour, isHidden, onToggle, onAlone }: NameProps) {
  const { name, unit } = series
  return (
    <button
      type="button"
      className={styles.name}
      aria-pressed={!isHidden}
      onClick={onToggle}
      onDoubleClick={onAlone}
    >
      <span className={styles.swatch} style={{ background: colour }} />
      <span className={styles.text}>
        <span className={styles.label}>{name}</span>
        {unit.trim() !== '' && <span className={styles.unit}> {unit}</span>}
      </span>
    </button>
  )
}
