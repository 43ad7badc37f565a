import { castText, JsonMistake, type JsonRaw } from '../../expression/index.ts'
import type { CompiledSource, SourceType, SqlCell } from '../compiled-sql.ts'
import { SqlFailure } from '../sql-failure.ts'
import { readCsvRows } from './csv-rows.ts'
import { readJsonRows } from './json-rows.ts'

/** A call stores no more samples than this, and each row is at most one of a stream. */
const ROWS_MAX = 1_000_000

/** Rows times columns: what is kept of them in memory. */
const SOURCE_CELLS_MAX = 10_000_000

/**
 * Reads the rows of a source from its text and hands each to `addRow`, with a cell for each column of
 * its table. NULL and blank texts have none. Throws SqlFailure where the text is malformed.
 */
export function loadSource(
  { plan, columnCount, place }: Pick<CompiledSource, 'plan' | 'columnCount' | 'place'>,
  text: SqlCell,
  addRow: (cells: SqlCell[]) => void,
): void {
  let rows = 0
  const add = (cells: SqlCell[]): void => {
    rows += 1
    if (rows > ROWS_MAX || rows * columnCount > SOURCE_CELLS_MAX) {
      throw new SqlFailure(`The text has more than ${rows - 1} rows. Split it`)
    }
    addRow(cells)
  }
  try {
    readRows(plan, typeof text === 'string' ? text : String(text ?? ''), add)
  } catch (error) {
    const isMistake = error instanceof SqlFailure || error instanceof JsonMistake
    if (isMistake) throw new SqlFailure(error.message, place)
    throw error
  }
}

function readRows(
  plan: CompiledSource['plan'],
  given: string,
  add: (cells: SqlCell[]) => void,
): void {
  const text = given.replace(/^\uFEFF/, '')
  if (text.trim() === '') return
  if (plan.kind === 'json') {
    const types = plan.columns.map(({ type }) => type)
    readJsonRows(plan, text, (values) => add(types.map((type, at) => jsonCell(type, values[at]))))
    return
  }
  let isHeader = plan.hasHeader
  readCsvRows(text, plan.delimiter, (fields) => {
    if (!isHeader)
      add(plan.columns.map(({ type, position }) => csvCell(type, fields[position - 1])))
    isHeader = false
  })
}

function jsonCell(type: SourceType, raw: JsonRaw | undefined): SqlCell {
  if (raw === undefined || raw.is === 'null') return null
  if (type === 'STRING') return raw.text
  if (raw.is === 'whole') return null
  const isTruth = raw.is === 'true' || raw.is === 'false'
  if (isTruth && type !== 'BOOLEAN') return castText(type, raw.is === 'true' ? '1' : '0')
  return castText(type, raw.text)
}

/** What a column of CSV_TABLE makes of a field; undefined: it is missing, or empty without quotes. */
export function csvCell(type: SourceType, field: string | undefined): SqlCell {
  if (field === undefined || type === 'STRING') return field ?? null
  return castText(type, field)
}
