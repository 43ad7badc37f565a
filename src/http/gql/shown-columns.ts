import type { RowCell, SqlColumn } from '../../sql/index.ts'

type Shown = { readonly name: string; readonly valueType: string }

/** Which types the values of a column have had. */
interface Seen {
  isLong: boolean
  isDouble: boolean
  isText: boolean
  isTruth: boolean
}

/** The columns of an answer: where the text does not give a type, the values do. */
export class ShownColumns {
  readonly #columns: readonly SqlColumn[]
  readonly #open: ReadonlyMap<number, Seen>

  constructor(columns: readonly SqlColumn[]) {
    this.#columns = columns
    this.#open = new Map(
      columns.flatMap(({ type }, at): [number, Seen][] =>
        type === 'UNKNOWN' || type === 'NULL'
          ? [[at, { isLong: false, isDouble: false, isText: false, isTruth: false }]]
          : [],
      ),
    )
  }

  /** Whether more rows could determine more types. */
  get areOpen(): boolean {
    return this.#open.size > 0
  }

  /** Takes note of a row. */
  see(row: readonly RowCell[]): void {
    for (const [at, seen] of this.#open) {
      const cell = row[at]
      if (typeof cell === 'bigint') seen.isLong = true
      else if (typeof cell === 'number') seen.isDouble = true
      else if (typeof cell === 'string') seen.isText = true
      else if (cell !== null) seen.isTruth = true
    }
  }

  /** The columns as answers list them, by the rows that were seen. */
  list(): Shown[] {
    return this.#columns.map(({ name, type }, at) => {
      const seen = this.#open.get(at)
      return { name, valueType: seen === undefined ? recordType(type) : seenType(seen) }
    })
  }
}

/** A type as records name it. */
function recordType(type: SqlColumn['type']): string {
  return type === 'BIGDECIMAL' ? 'BIG_DECIMAL' : type
}

/** Blank where there was no value, or values of several types; all numbers are DOUBLE if some are. */
function seenType({ isLong, isDouble, isText, isTruth }: Seen): string {
  const isNumber = isLong || isDouble
  if (Number(isNumber) + Number(isText) + Number(isTruth) !== 1) return ''
  if (isNumber) return isDouble ? 'DOUBLE' : 'LONG'
  return isText ? 'STRING' : 'BOOLEAN'
}
