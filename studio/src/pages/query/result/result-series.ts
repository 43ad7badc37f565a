/** Which columns of a result can be drawn over time, and what of them. */
import type { ChartSeries } from '../../../chart/chart-series.ts'
import { chartData } from '../../../chart/chart-series.ts'
import type { TimeRange } from '../../../chart/time-range.ts'
import type { Cell, ResultColumn } from '../gql-answer.ts'
import { timeColumns } from './cell-text.ts'

/** More lines than these cannot be distinguished. */
export const SERIES_MAX = 20

/** A result as a chart draws it. */
export interface ResultPicture {
  readonly series: readonly ChartSeries[]
  readonly range: TimeRange
  /** How many series there are in all. */
  readonly seriesCount: number
}

interface Points {
  readonly name: string
  readonly points: Array<{ readonly time: number; readonly value: number }>
}

/** Draws each column of numbers over the first column of times, one line for all texts of a row; undefined: there is nothing to draw. */
export function pictureOf(
  columns: readonly ResultColumn[],
  rows: ReadonlyArray<readonly Cell[]>,
): ResultPicture | undefined {
  const times = timeColumns(columns, rows)
  const timeAt = [...times][0]
  if (timeAt === undefined) return undefined
  const numbers = columns.flatMap((_, at) => (times.has(at) || !hasNumbers(rows, at) ? [] : [at]))
  const texts = columns.flatMap((_, at) => (times.has(at) || numbers.includes(at) ? [] : [at]))
  if (numbers.length === 0) return undefined
  const found = new Map<string, Points>()
  for (const row of rows) {
    const time = row[timeAt]
    if (typeof time !== 'number') continue
    const words = texts.map((at) => String(row[at] ?? '')).filter((word) => word !== '')
    for (const at of numbers) {
      const names = numbers.length > 1 || words.length === 0 ? [columns[at].name] : []
      const key = JSON.stringify([at, ...words])
      const own = found.get(key) ?? { name: [...words, ...names].join(' · '), points: [] }
      found.set(key, own)
      const value = row[at]
      if (typeof value === 'number') own.points.push({ time, value })
    }
  }
  return drawn([...found])
}

/** Whether a column has numbers and nothing else. */
function hasNumbers(rows: ReadonlyArray<readonly Cell[]>, at: number): boolean {
  let isSome = false
  for (const row of rows) {
    if (typeof row[at] === 'number') isSome = true
    else if (row[at] !== null) return false
  }
  return isSome
}

function drawn(found: ReadonlyArray<readonly [string, Points]>): ResultPicture | undefined {
  const shown = found.slice(0, SERIES_MAX)
  const all = shown.flatMap(([, { points }]) => points.map(({ time }) => time))
  if (all.length === 0) return undefined
  let [from, until] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const time of all) {
    from = Math.min(from, time)
    until = Math.max(until, time)
  }
  const range =
    from === until ? { from: from - 1_000, until: until + 1_000 } : { from, until: until + 1 }
  const series = shown.map(([key, { name, points }]) => {
    const sorted = points.toSorted((one, other) => one.time - other.time)
    return { key, name, unit: '', data: dataOf(sorted, range) }
  })
  return { series, range, seriesCount: found.length }
}

function dataOf(points: Points['points'], { from, until }: TimeRange) {
  return chartData({
    component: { uid: '', id: '' },
    stream: { uid: '', id: '' },
    form: 'samples',
    kind: 'number',
    unit: '',
    numberFormat: '',
    timeZone: 'UTC',
    from,
    until,
    firstTime: from,
    lastTime: until,
    time: points.map(({ time }) => time),
    value: points.map(({ value }) => value),
  })
}
