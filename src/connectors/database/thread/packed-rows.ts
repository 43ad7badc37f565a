/** Rows between threads: one text and the lengths of its cells cross much faster than an object per row. */
import type { Row } from '../database-port.ts'

/** The cells of rows one after the other. */
export interface PackedRows {
  readonly text: string
  /** The length of each cell in UTF-16 units; -1 for NULL. */
  readonly lengths: Int32Array<ArrayBuffer>
  readonly rowCount: number
}

/** Packs rows, which all have the same number of cells. */
export function packRows(rows: readonly Row[]): PackedRows {
  const width = rows[0]?.length ?? 0
  const lengths = new Int32Array(rows.length * width)
  const texts: string[] = []
  let at = 0
  for (const row of rows) {
    for (let column = 0; column < width; column += 1) {
      const cell = row[column] ?? null
      lengths[at] = cell === null ? -1 : cell.length
      if (cell !== null) texts.push(cell)
      at += 1
    }
  }
  return { text: texts.join(''), lengths, rowCount: rows.length }
}

/** The rows that were packed. */
export function unpackRows({ text, lengths, rowCount }: PackedRows): Row[] {
  const width = rowCount === 0 ? 0 : lengths.length / rowCount
  const rows: Row[] = []
  let at = 0
  let start = 0
  for (let row = 0; row < rowCount; row += 1) {
    const cells: (string | null)[] = []
    for (let column = 0; column < width; column += 1) {
      const length = lengths[at]
      cells.push(length < 0 ? null : text.slice(start, start + length))
      if (length > 0) start += length
      at += 1
    }
    rows.push(cells)
  }
  return rows
}
