import { useMemo } from 'react'
import styles from './chart.module.css'
import type { ChartSeries } from './chart.tsx'
import { type Figures, figuresOf } from './figures.ts'
import { momentText, offsetText } from './time-ticks.ts'
import type { TimeRange } from './uplot-view.ts'

interface LegendProps {
  readonly series: readonly ChartSeries[]
  readonly colours: readonly string[]
  readonly range: TimeRange
  readonly zone: string
  readonly cursor: number | undefined
  readonly hidden: ReadonlySet<string>
  readonly onHidden: (hidden: ReadonlySet<string>) => void
}

const COLUMNS = [
  ['value', 'Value'],
  ['min', 'Min'],
  ['max', 'Max'],
  ['mean', 'Mean'],
] as const satisfies ReadonlyArray<readonly [keyof Figures, string]>

/** Names, colours and figures of the series; a click hides one, a double click shows it alone. */
export function Legend(props: LegendProps) {
  const { series, colours, range, zone, cursor, hidden, onHidden } = props
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
  return (
    <div className={styles.legend}>
      <table>
        <caption className={styles.when}>
          {when === undefined
            ? 'Over what is shown'
            : `At ${when} ${offsetText(zone, Math.round(cursor ?? 0))}`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Stream</th>
            {COLUMNS.map(([id, label]) => (
              <th key={id} scope="col" className={styles.number}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.map(({ key, name, unit, data }, at) => {
            const figures = figuresOf(data, range, cursor)
            return (
              <tr key={key} data-hidden={hidden.has(key) || undefined}>
                <th scope="row">
                  <button
                    type="button"
                    className={styles.name}
                    aria-pressed={!hidden.has(key)}
                    onClick={() => toggle(key)}
                    onDoubleClick={() => alone(key)}
                  >
                    <span
                      className={styles.swatch}
                      style={{ background: colours[at % colours.length] }}
                    />
                    <span className={styles.text}>
                      <span className={styles.label}>{name}</span>
                      {unit.trim() !== '' && <span className={styles.unit}> {unit}</span>}
                    </span>
                  </button>
                </th>
                {COLUMNS.map(([id]) => (
                  <td key={id} className={styles.number}>
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
