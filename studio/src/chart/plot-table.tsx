import { useMemo } from 'react'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { momentTexts } from '../ui/time/offset-marks.ts'
import styles from './chart.module.css'
import type { Plot, PlotValue } from './chart-series.ts'
import { numberText } from './figures.ts'
import { type PeriodFigures, PeriodTable } from './period-table.tsx'

/** Rows that are shown: more are not read by anyone, and zooming in shows fewer. */
const ROWS_MAX = 200

const shown = (value: PlotValue | undefined): string => {
  if (value === null || value === undefined) return '–'
  return typeof value === 'number' ? numberText(value) : String(value)
}

interface PlotTableProps {
  readonly plot: Plot | undefined
  readonly zone: string
  readonly label: string
  /** The statistic that is drawn, of periods. */
  readonly stat?: string
  /** What else is known of periods. */
  readonly figures?: PeriodFigures
}

/** What a chart shows, as a table: the latest entries first. */
export function PlotTable({ plot, zone, label, stat = '', figures = [] }: PlotTableProps) {
  const isPeriods = plot?.form === 'periods' && stat !== ''
  // Clocks of a zone are slow to ask, and the chart beside it moves.
  const columns = useMemo(
    () => (plot === undefined || isPeriods ? [] : columnsOf(plot, zone)),
    [plot, isPeriods, zone],
  )
  if (plot === undefined) return null
  const times = plot.start ?? plot.time ?? []
  const rows = times.map((_, at) => at).reverse()
  return (
    <>
      {isPeriods ? (
        <PeriodTable
          plot={plot}
          stat={stat}
          figures={figures}
          zone={zone}
          label={label}
          rowsMax={ROWS_MAX}
        />
      ) : (
        <DataTable
          isDense
          label={`${label}, values in the chart`}
          columns={columns}
          rows={rows.slice(0, ROWS_MAX)}
          keyOf={(at) => String(times[at])}
        />
      )}
      {rows.length > ROWS_MAX && (
        <p>
          The latest {ROWS_MAX} of {plot.more === true ? 'more than ' : ''}
          {rows.length} entries. Zoom in to see earlier ones.
        </p>
      )}
    </>
  )
}

function columnsOf(plot: Plot, zone: string): Array<Column<number>> {
  const moment = (id: string, head: string, list: readonly number[]): Column<number> => {
    const texts = momentTexts(zone, list.slice(-ROWS_MAX))
    const first = list.length - texts.length
    const show = (at: number) => <span className={styles.moment}>{texts[at - first]}</span>
    return { id, label: head, show }
  }
  const figure = (id: string, head: string, list: readonly PlotValue[]): Column<number> => ({
    id,
    label: head,
    isNumber: plot.kind === 'number',
    show: (at) => shown(list[at]),
  })
  const { start, time, end = [], value, count, min, max, mean, first, last } = plot
  if (plot.form === 'samples')
    return [moment('t', 'Time', time ?? []), figure('v', 'Value', value ?? [])]
  if (plot.form === 'spans') {
    const isText = plot.kind === 'text' || plot.kind === 'file'
    const figures = isText
      ? [figure('first', 'First', first ?? []), figure('last', 'Last', last ?? [])]
      : [
          figure('min', 'Min', min ?? []),
          figure('max', 'Max', max ?? []),
          figure('mean', 'Mean', mean ?? []),
        ]
    return [
      moment('from', 'From', start ?? []),
      moment('until', 'Until', end),
      figure('count', 'Samples', count ?? []),
      ...figures,
    ]
  }
  return [
    moment('from', 'From', start ?? time ?? []),
    moment('until', 'Until', end),
    figure('v', 'Value', value ?? []),
  ]
}
