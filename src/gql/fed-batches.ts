import { type CsvTablePlan, csvCell, type InputBatch } from '../sql/index.ts'

/** Rows as texts, null where there is no value. */
export type TextRows = readonly (readonly (string | null)[])[]

/** What a batch for a runner comes to at most, beside one row that is longer by itself. */
const BATCH_CHARS_MAX = 4_000_000

/** Rows as the columns of a CSV_TABLE take them, in batches that a frame holds. */
export async function* fedBatches(
  batches: AsyncIterable<TextRows>,
  { columns }: CsvTablePlan,
): AsyncGenerator<InputBatch, void> {
  for await (const rows of batches) {
    for (const some of splitRows(rows)) {
      yield {
        rowCount: some.length,
        columns: columns.map(({ type, position }) => ({
          kind: 'cells',
          values: some.map((row) => csvCell(type, row[position - 1] ?? undefined)),
        })),
      }
    }
  }
}

function* splitRows(rows: TextRows): Generator<TextRows> {
  let from = 0
  let chars = 0
  for (const [at, row] of rows.entries()) {
    const length = row.reduce((sum, cell) => sum + (cell?.length ?? 0), 0)
    if (chars > 0 && chars + length > BATCH_CHARS_MAX) {
      yield rows.slice(from, at)
      from = at
      chars = 0
    }
    chars += length
  }
  if (from < rows.length) yield rows.slice(from)
}
