/** Values of a result as people read them. */
import { momentText } from '../../../ui/time/moment-text.ts'
import type { Cell, ResultColumn } from '../gql-answer.ts'

/** Columns of stored tables that hold times. */
const TIME_NAMES: ReadonlySet<string> = new Set([
  'time',
  'timesd',
  'timeed',
  'startdate',
  'enddate',
  'lastupdated',
  'creationdate',
])
/** From 1973 to 2286 a time in epoch ms has twelve or thirteen digits. */
const TIME_MIN = 1e11
const TIME_MAX = 1e13

/** The places of columns that hold times: by their names, and by values that can be such. */
export function timeColumns(
  columns: readonly ResultColumn[],
  rows: ReadonlyArray<readonly Cell[]>,
): ReadonlySet<number> {
  const isTime = (at: number) => {
    const values = rows.map((row) => row[at]).filter((cell) => cell !== null)
    return values.length > 0 && values.every(isMoment)
  }
  return new Set(
    columns.flatMap(({ name, valueType }, at) => {
      const isNamed = TIME_NAMES.has(name.toLowerCase()) || /(?:time|date|_at)$/i.test(name)
      return isNamed && (valueType === 'LONG' || valueType === '') && isTime(at) ? [at] : []
    }),
  )
}

function isMoment(cell: Cell): boolean {
  return typeof cell === 'number' && Math.abs(cell) >= TIME_MIN && Math.abs(cell) < TIME_MAX
}

/** A value in words; a time on the clocks of a zone. */
export function cellText(cell: Cell, isTime: boolean, zone: string): string {
  if (cell === null) return 'NULL'
  if (isTime && typeof cell === 'number') return momentText(zone, cell)
  return String(cell)
}
