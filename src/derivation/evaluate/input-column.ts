import type { ExpressionValue } from '../../expression/index.ts'

/** The values that a variable has in the rows of a block. */
export interface InputColumn {
  /** NaN: the value is missing, or a text. */
  readonly numbers: Float64Array
  readonly texts: (string | undefined)[] | undefined
  /** 1 where the row has no result, as the source has nothing for it; undefined: nowhere. */
  readonly absent: Uint8Array | undefined
}

/** The value of a row as formulas see it. */
export function valueAt({ numbers, texts }: InputColumn, row: number): ExpressionValue {
  const text = texts?.[row]
  if (text !== undefined) return text
  return Number.isNaN(numbers[row]) ? null : numbers[row]
}

/** Fills a column row by row; what is not set is absent. */
export class ColumnFiller {
  readonly numbers: Float64Array
  texts: (string | undefined)[] | undefined
  readonly absent: Uint8Array

  constructor(count: number) {
    this.numbers = new Float64Array(count).fill(Number.NaN)
    this.absent = new Uint8Array(count).fill(1)
  }

  set(row: number, value: number | string | null): void {
    this.absent[row] = 0
    if (typeof value === 'number') this.numbers[row] = value
    else if (value !== null) {
      this.texts ??= new Array<string | undefined>(this.numbers.length)
      this.texts[row] = value
    }
  }
}

/** The rows of a column that are chosen. */
export function chooseRows(column: InputColumn, rows: Int32Array): InputColumn {
  const numbers = new Float64Array(rows.length)
  for (let at = 0; at < rows.length; at++) numbers[at] = column.numbers[rows[at]]
  const { texts } = column
  const chosen = texts && Array.from(rows, (row) => texts[row])
  return { numbers, texts: chosen, absent: undefined }
}
