/** The result of an external query as CSV, as @JDBC_RESULT holds it. */
import { DatabaseFailure, type Row } from '../database/database-port.ts'

/** What @JDBC_RESULT may have: it is one text in the memory of the service and of a runner. */
export const RESULT_CHARS_MAX = 16_000_000

/** Gathers rows as CSV by RFC 4180, the names of columns first; NULL is an empty field, an empty text `""`. */
export class ResultCsv {
  readonly #lines: string[] = []
  #length = 0

  /** Adds rows of columns, which come before the first; throws where it would be too long for a text. */
  add(columns: readonly string[], rows: readonly Row[]): void {
    if (this.#lines.length === 0) this.#add(columns)
    for (const row of rows) this.#add(row)
  }

  toString(): string {
    return this.#lines.join('')
  }

  #add(row: Row): void {
    const line = `${row.map(fieldOf).join(',')}${isBlank(row) ? ',' : ''}\n`
    this.#length += line.length
    if (this.#length > RESULT_CHARS_MAX) {
      throw new DatabaseFailure(
        'too_large',
        `The result of the external SQL is longer than ${RESULT_CHARS_MAX} characters. Select fewer rows or columns, or set maxRows`,
      )
    }
    this.#lines.push(line)
  }
}

/** A line with nothing in it would be skipped; a second field, which nobody reads, keeps it. */
function isBlank(row: Row): boolean {
  return row.length === 1 && (row[0] ?? '').trim() === ''
}

function fieldOf(cell: string | null): string {
  if (cell === null) return ''
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
