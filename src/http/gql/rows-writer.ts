import { PassThrough, type Readable } from 'node:stream'
import { nextTurn } from '../../base/index.ts'
import type { ExpressionValue } from '../../expression/index.ts'
import type { GqlOutcome } from '../../gql/index.ts'
import { type RowCell, readCell, type SqlColumn } from '../../sql/index.ts'

/** So many characters of an answer are held back, so that what fails early is told by its status. */
const HELD_UNITS_MAX = 1_000_000

/** Rows written before others have their turn: about a millisecond. */
const ROWS_PER_SLICE = 2_000

/** Thrown into a run when there are as many rows as were asked for. */
export class EnoughRows extends Error {}

/** How rows are answered. */
export interface RowsForm {
  readonly isCsv: boolean
  /** Whether CSV begins with the names of its columns. */
  readonly hasHeader: boolean
  /** The most rows; the others are left out. */
  readonly rowsMax: number
  /** Whether the run goes on when there are so many, as it stores samples too. */
  readonly goesOn: boolean
}

/** Writes rows as they come, as JSON or CSV; a long answer leaves before it is whole. */
export class RowsWriter {
  /** Resolves when the answer is too long to be held back, with what is left of it. */
  readonly begun: Promise<Readable>
  readonly #form: RowsForm
  readonly #begin: (stream: Readable) => void
  #held: string[] = []
  #heldUnits = 0
  #stream: PassThrough | undefined
  #rowCount = 0
  #isOpen = false
  #hasMore = false

  constructor(form: RowsForm) {
    this.#form = form
    const { promise, resolve } = Promise.withResolvers<Readable>()
    this.begun = promise
    this.#begin = resolve
  }

  /** Takes rows; where there are more than were asked for it leaves them, and throws EnoughRows unless the run goes on. */
  async take(rows: readonly RowCell[][], columns: readonly SqlColumn[]): Promise<void> {
    this.#open(columns)
    const taken = rows.slice(0, this.#form.rowsMax - this.#rowCount)
    for (let from = 0; from < taken.length; from += ROWS_PER_SLICE) {
      if (from > 0) await nextTurn()
      const lines = taken.slice(from, from + ROWS_PER_SLICE).map((row) => this.#line(row, columns))
      await this.#write(lines.join(''))
    }
    if (taken.length === rows.length) return
    this.#hasMore = true
    if (!this.#form.goesOn) throw new EnoughRows('There are more rows')
  }

  /** Ends the answer; undefined where it is leaving already. */
  finish(outcome: GqlOutcome | undefined): string | undefined {
    this.#open(outcome?.columns ?? [])
    const end = this.#form.isCsv ? '' : `]${this.#hasMore ? ',"more":true' : ''}${endOf(outcome)}}`
    if (this.#stream === undefined) return `${this.#held.join('')}${end}`
    this.#stream.end(end)
    return undefined
  }

  /** Breaks an answer off that is leaving: its reader must not take it for whole. */
  fail(error: unknown): void {
    this.#stream?.destroy(error instanceof Error ? error : new Error(String(error)))
  }

  #open(columns: readonly SqlColumn[]): void {
    if (this.#isOpen) return
    this.#isOpen = true
    const { isCsv, hasHeader } = this.#form
    if (!isCsv) {
      const cols = columns.map(({ name, type }) => ({ name, valueType: valueTypeOf(type) }))
      this.#hold(`{"cols":${JSON.stringify(cols)},"rows":[`)
    } else if (hasHeader && columns.length > 0) {
      this.#hold(`${columns.map(({ name }) => csvText(name)).join(',')}\r\n`)
    }
  }

  #line(row: readonly RowCell[], columns: readonly SqlColumn[]): string {
    const isFirst = this.#rowCount === 0
    this.#rowCount += 1
    const values = columns.map(({ type }, at) => ({ type, value: readCell(row[at], type) }))
    if (this.#form.isCsv) return `${values.map(csvValue).join(',')}\r\n`
    return `${isFirst ? '' : ','}[${values.map(jsonValue).join(',')}]`
  }

  async #write(text: string): Promise<void> {
    const stream = this.#stream
    if (stream === undefined) {
      this.#hold(text)
      if (this.#heldUnits > HELD_UNITS_MAX) this.#release()
      return
    }
    if (stream.destroyed || stream.write(text)) return
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        stream.off('drain', settle)
        stream.off('close', settle)
        resolve()
      }
      stream.once('drain', settle)
      stream.once('close', settle)
    })
  }

  #hold(text: string): void {
    this.#held.push(text)
    this.#heldUnits += text.length
  }

  #release(): void {
    const stream = new PassThrough()
    // Whoever sends it hears of its end; nobody else has to.
    stream.on('error', () => {})
    stream.write(this.#held.join(''))
    this.#held = []
    this.#stream = stream
    this.#begin(stream)
  }
}

/** What stands behind the rows: who has read `success` has all of them. */
function endOf(outcome: GqlOutcome | undefined): string {
  const { sampleCount = 0, samples, warnings = [] } = outcome ?? {}
  const told = samples === undefined ? '' : `,"samples":${JSON.stringify(samples)}`
  const message = JSON.stringify(warnings.join(' '))
  return `,"sampleCount":${sampleCount}${told},"message":${message},"success":true`
}

/** A type as records name it; blank where a column has values of several. */
function valueTypeOf(type: SqlColumn['type']): string {
  if (type === 'BIGDECIMAL') return 'BIG_DECIMAL'
  return type === 'UNKNOWN' || type === 'NULL' ? '' : type
}

interface TypedValue {
  readonly type: SqlColumn['type']
  readonly value: ExpressionValue
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Whole numbers and decimals keep all their digits. */
function jsonValue({ type, value }: TypedValue): string {
  if (typeof value === 'bigint') return String(value)
  if (type === 'BIGDECIMAL' && typeof value === 'string' && JSON_NUMBER.test(value)) return value
  return JSON.stringify(value)
}

/** NULL is an empty cell, an empty text one in quotes. */
function csvValue({ value }: TypedValue): string {
  if (value === null) return ''
  return typeof value === 'string' ? csvText(value) : String(value)
}

function csvText(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
