/** Rows of CSV by RFC 4180: fields may stand in double quotes, which stand twice for one inside. */
import { SqlFailure } from '../sql-failure.ts'

/** A field; one that is empty and without quotes is undefined. */
type CsvField = string | undefined

/** Calls `addRow` with the fields of each line that is not blank. */
export function readCsvRows(
  text: string,
  delimiter: string,
  addRow: (fields: readonly CsvField[]) => void,
): void {
  for (let at = 0, line = 1; at < text.length; line++) {
    const { fields, end } = readLine(text, at, { delimiter, line })
    // A cell in quotes is one, even if nothing is in it.
    const isBlank = fields.length === 1 && text[at] !== '"' && (fields[0] ?? '').trim() === ''
    if (!isBlank) addRow(fields)
    at = end
  }
}

interface Line {
  readonly delimiter: string
  readonly line: number
}

function readLine(text: string, start: number, { delimiter, line }: Line) {
  const fields: CsvField[] = []
  let at = start
  for (;;) {
    const field = text[at] === '"' ? quotedField(text, at, line) : plainField(text, at, delimiter)
    fields.push(field.value)
    at = field.end
    if (text[at] === delimiter) at += 1
    else if (at >= text.length) return { fields, end: at }
    else if (text[at] === '\n') return { fields, end: at + 1 }
    else if (text[at] === '\r') return { fields, end: at + (text[at + 1] === '\n' ? 2 : 1) }
    else {
      throw new SqlFailure(`The text is not valid CSV: row ${line} has text after a closing quote`)
    }
  }
}

function plainField(text: string, start: number, delimiter: string) {
  let end = start
  while (end < text.length) {
    const char = text[end]
    if (char === delimiter || char === '\n' || char === '\r') break
    end += 1
  }
  return { value: end === start ? undefined : text.slice(start, end), end }
}

function quotedField(text: string, start: number, line: number) {
  const parts: string[] = []
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at)
    if (quote < 0) {
      throw new SqlFailure(`The text is not valid CSV: row ${line} has an unclosed quote`)
    }
    parts.push(text.slice(at, quote))
    if (text[quote + 1] !== '"') return { value: parts.join('"'), end: quote + 1 }
    at = quote + 2
  }
}
