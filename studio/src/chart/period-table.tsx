import { useMemo } from 'react'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { edgeTexts } from '../ui/time/offset-marks.ts'
import styles from './chart.module.css'
import type { Plot, PlotValue } from './chart-series.ts'
import type { Precision } from './digits.ts'
import { preciseText } from './figures.ts'
import { statisticPrecision } from './precision.ts'

/** Further statistics of periods, by where these start. */
export type PeriodFigures = ReadonlyArray<{
  readonly stat: string
  readonly values: ReadonlyMap<number, PlotValue>
}>

const LABELS: Readonly<Record<string, string>> = {
  nongapcount: 'Count',
  min: 'Minimum',
  avg: 'Average',
  max: 'Maximum',
  sum: 'Sum',
  first: 'First',
  last: 'Last',
  gapcount: 'Gaps',
}

/** What a statistic is called at the head of a column. */
export function statisticLabel(stat: string): string {
  return LABELS[stat] ?? stat
}

/** In which order people read them, beside the one that is drawn. */
const ORDER = ['nongapcount', 'min', 'avg', 'max']

/** The statistics that a table shows, in the order of its columns. */
export function shownStatistics(stat: string, figures: PeriodFigures): string[] {
  return [stat, ...ORDER.filter((id) => figures.some((one) => one.stat === id))]
}

interface PeriodTableProps {
  readonly plot: Plot
  /** The statistic of the plot. */
  readonly stat: string
  readonly figures: PeriodFigures
  readonly zone: string
  readonly label: string
  /** Rows that are shown at most. */
  readonly rowsMax: number
}

const shown = (value: PlotValue | undefined, precision: Precision | undefined): string => {
  if (value === null || value === undefined) return '–'
  return typeof value === 'number' ? preciseText(value, precision) : String(value)
}

/** The periods of a cycle, the latest first: from when until when, and what is known of each. */
export function PeriodTable({ plot, stat, figures, zone, label, rowsMax }: PeriodTableProps) {
  const { start = [], value = [] } = plot
  const rows = start
    .map((_, at) => at)
    .reverse()
    .slice(0, rowsMax)
  const [first, last] = [rows.at(-1) ?? 0, (rows[0] ?? -1) + 1]
  // Clocks of a zone are slow to ask, and the chart beside it moves.
  const [from, until] = useMemo(() => {
    return [plot.start, plot.end].map((list = []) => edgeTexts(zone, list.slice(first, last)))
  }, [zone, plot, first, last])
  const moment = (id: string, head: string, texts: readonly string[]): Column<number> => ({
    id,
    label: `${head}, ${zone}`,
    show: (at) => <span className={styles.moment}>{texts[at - first]}</span>,
  })
  const precisionFor = statisticPrecision(plot, stat, figures)
  const figure = (id: string, valueAt: (at: number) => PlotValue | undefined): Column<number> => ({
    id,
    label: statisticLabel(id),
    isNumber: plot.kind === 'number',
    show: (at) => shown(valueAt(at), precisionFor(id)),
  })
  const [, ...further] = shownStatistics(stat, figures)
  const more = further.flatMap((id) => figures.find((one) => one.stat === id) ?? [])
  return (
    <DataTable
      isDense
      label={`${label}, values in the chart`}
      columns={[
        moment('from', 'From', from),
        moment('until', 'Until', until),
        figure(stat, (at) => value[at]),
        ...more.map(({ stat: id, values }) => figure(id, (at) => values.get(start[at]))),
      ]}
      rows={rows}
      keyOf={(at) => String(start[at])}
    />
  )
}
