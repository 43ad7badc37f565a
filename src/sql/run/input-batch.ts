/** Rows of stored data on their way to a runner, column by column: a number costs eight bytes. */
import type { CellReader, CellWriter, RowCell } from './cell-codec.ts'

/** One column of a batch. */
type InputColumn =
  /** REAL; NaN is NULL. */
  | { readonly kind: 'reals'; readonly values: Float64Array }
  /** INTEGER, each a safe one; NaN is NULL. */
  | { readonly kind: 'integers'; readonly values: Float64Array }
  | { readonly kind: 'cells'; readonly values: readonly RowCell[] }
  /** The same cell in every row. */
  | { readonly kind: 'constant'; readonly value: RowCell }

/** Rows of a table, as many in each column. */
export interface InputBatch {
  readonly rowCount: number
  readonly columns: readonly InputColumn[]
}

const REALS = 0
const INTEGERS = 1
const CELLS = 2
const CONSTANT = 3

/** Writes the body of a frame with rows. */
export function writeInputBatch(writer: CellWriter, { rowCount, columns }: InputBatch): void {
  writer.uint32(rowCount)
  for (const column of columns) {
    switch (column.kind) {
      case 'reals':
      case 'integers':
        writer.uint8(column.kind === 'reals' ? REALS : INTEGERS)
        for (let row = 0; row < rowCount; row += 1) writer.float64(column.values[row])
        break
      case 'cells':
        writer.uint8(CELLS)
        for (let row = 0; row < rowCount; row += 1) {
          writer.cell(column.values[row], row === 0 ? undefined : column.values[row - 1])
        }
        break
      case 'constant':
        writer.uint8(CONSTANT)
        writer.cell(column.value)
        break
    }
  }
}

/** Reads such a body: how many rows there are, and the cells of each column. */
export function readInputColumns(
  reader: CellReader,
  columnCount: number,
): { readonly rowCount: number; readonly columns: RowCell[][] } {
  const rowCount = reader.uint32()
  const columns = Array.from({ length: columnCount }, () => readInputColumn(reader, rowCount))
  return { rowCount, columns }
}

function readInputColumn(reader: CellReader, rowCount: number): RowCell[] {
  const cells: RowCell[] = new Array(rowCount)
  const kind = reader.uint8()
  if (kind === CONSTANT) return cells.fill(reader.cell())
  for (let row = 0; row < rowCount; row += 1) {
    if (kind === CELLS) {
      cells[row] = reader.cell(row === 0 ? undefined : cells[row - 1])
      continue
    }
    const value = reader.float64()
    if (Number.isNaN(value)) cells[row] = null
    else cells[row] = kind === INTEGERS ? BigInt(value) : value
  }
  return cells
}
