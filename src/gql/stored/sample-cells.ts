/** Values of samples as cells of a query. */
import type { StreamIndex } from '../../catalog/index.ts'
import { VALUE_CODE } from '../../catalog/shape/index.ts'
import { addressPath, type ShowFile } from '../../feed/index.ts'
import type { InputBatch, RowCell } from '../../sql/index.ts'
import type { SampleColumns, StreamHandle } from '../../store/index.ts'

/** A column of rows on their way to a runner. */
export type RowColumn = InputBatch['columns'][number]

/** Shows the text of a file sample as the address of its file. */
export type ShowSample = ShowFile

const WHOLE: ReadonlySet<number> = new Set([
  VALUE_CODE.LONG,
  VALUE_CODE.INTEGER,
  VALUE_CODE.SHORT,
  VALUE_CODE.BOOLEAN,
  VALUE_CODE.DATETIME,
])

const REAL: ReadonlySet<number> = new Set([
  VALUE_CODE.DOUBLE,
  VALUE_CODE.FLOAT,
  VALUE_CODE.LATITUDE,
  VALUE_CODE.LONGITUDE,
  VALUE_CODE.ELEVATION,
])

/** Whether all values of a stream of this type are numbers, by which sums of it are known. */
export function isNumeric(valueCode: number): boolean {
  return WHOLE.has(valueCode) || REAL.has(valueCode)
}

/** Whether a stream of this type has no fractions. */
export function isWhole(valueCode: number): boolean {
  return WHOLE.has(valueCode)
}

/** A number of a stream as a cell: an INTEGER where its type has no fractions. */
export function numberCell(valueCode: number, value: number): RowCell {
  return WHOLE.has(valueCode) && Number.isSafeInteger(value) ? BigInt(value) : value
}

interface OneValue {
  readonly handle: StreamHandle
  readonly time: number
  readonly value: number | string
}

/** One value as a cell: decimals are numbers, files their addresses. */
export function sampleCell(
  index: StreamIndex,
  { handle, time, value }: OneValue,
  showFile: ShowSample,
): RowCell {
  const valueCode = index.valueCodeOf(handle)
  if (typeof value === 'number') return numberCell(valueCode, value)
  if (valueCode === VALUE_CODE.BIG_DECIMAL) return Number(value)
  if (valueCode !== VALUE_CODE.FILE) return value
  return showFile(value, { ...addressPath(index, handle), time })
}

/** The values of samples as a column; those of numbers cost eight bytes each. */
export function sampleColumn(
  index: StreamIndex,
  handle: StreamHandle,
  samples: SampleColumns,
  showFile: ShowSample,
): RowColumn {
  const { count, numbers, texts, times } = samples
  const valueCode = index.valueCodeOf(handle)
  if (texts === undefined && REAL.has(valueCode)) return { kind: 'reals', values: numbers }
  if (texts === undefined && WHOLE.has(valueCode)) return { kind: 'integers', values: numbers }
  const values = Array.from({ length: count }, (_, at): RowCell => {
    const value = texts?.[at] ?? numbers[at]
    return sampleCell(index, { handle, time: times[at], value }, showFile)
  })
  return { kind: 'cells', values }
}
