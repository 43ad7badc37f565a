import type { Readable } from 'node:stream'
import { nextIteration, Refusal } from '../../base/index.ts'
import type { ExpressionValue } from '../../expression/index.ts'
import type { GqlOutcome } from '../../gql/index.ts'
import { type RowCell, readCell, type SqlColumn } from '../../sql/index.ts'
import { errorReply } from '../transport/error-reply.ts'
import { RowsStream } from './rows-stream.ts'
import { ShownColumns } from './shown-columns.ts'

/** Characters of a response that are held back, so that an early failure can set its status. */
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
  /** Whether the run continues at the row limit, because it stores samples too. */
  readonly goesOn: boolean
}

/** Writes rows as they come, as JSON or CSV; a long answer leaves before it is whole. */
export class RowsWriter {
  /** Resolves when the answer is too long to be held back, with what is left of it. */
  readonly begun: Promise<Readable>
  readonly #form: RowsForm
  readonly #reportBegun: (stream: Readable) => void
  #held: string[] = []
  #heldUnits = 0
  #stream: RowsStream | undefined
  #rowCount = 0
  #columns: ShownColumns | undefined
  /** Whether the columns follow the rows, which determine their types. */
  #hasColumnsLast = false
  #hasMore = false
  #isBroken = false

  constructor(form: RowsForm) {
    this.#form = form
    const { promise, resolve } = Promise.withResolvers<Readable>()
    this.begun = promise
    this.#reportBegun = resolve
  }

  /** Whether rows were left out. */
  get hasMore(): boolean {
    return this.#hasMore
  }

  /** Takes rows; where there are more than were asked for it leaves them, and throws EnoughRows unless the run goes on. */
  async take(rows: readonly RowCell[][], columns: readonly SqlColumn[]): Promise<void> {
    const shown = this.#open(columns)
    const taken = rows.slice(0, this.#form.rowsMax - this.#rowCount)
    for (let from = 0; from < taken.length; from += ROWS_PER_SLICE) {
      if (from > 0) await nextIteration()
      if (this.#isBroken) return
      const slice = taken.slice(from, from + ROWS_PER_SLICE)
      if (shown.areOpen) for (const row of slice) shown.see(row)
      const lines = slice.map((row) => this.#line(row, columns))
      await this.#write(lines.join(''))
    }
    if (taken.length === rows.length) return
    this.#hasMore = true
    if (!this.#form.goesOn) throw new EnoughRows('There are more rows')
  }

  /** Ends the answer; undefined where it is leaving already. */
  finish(outcome: GqlOutcome | undefined): string | undefined {
    const shown = this.#open(outcome?.columns ?? [])
    const { isCsv } = this.#form
    const last = this.#hasColumnsLast ? `,"cols":${JSON.stringify(shown.list())}` : ''
    const end = isCsv ? '' : `]${last}${this.#hasMore ? ',"more":true' : ''}${endOf(outcome)}}`
    if (this.#stream === undefined) return `${this.#begin(shown)}${this.#held.join('')}${end}`
    this.#stream.finish(end)
    return undefined
  }

  /**
   * Breaks off an answer that is leaving, whose reader must not take it for whole: `cut` cuts its connection.
   * What was wrong stands at the end of JSON.
   */
  async fail(error: unknown, cut: () => void): Promise<void> {
    const stream = this.#stream
    if (stream === undefined) return
    this.#isBroken = true
    if (this.#form.isCsv || !(error instanceof Refusal)) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)))
      return
    }
    await stream.put(`],${errorReply(error).body.slice(1)}`)
    await stream.emptied()
    // Node hands what is written in one turn to the connection at its end.
    await nextIteration()
    cut()
  }

  #open(columns: readonly SqlColumn[]): ShownColumns {
    this.#columns ??= new ShownColumns(columns)
    return this.#columns
  }

  /** What stands before the rows. */
  #begin(shown: ShownColumns): string {
    const { isCsv, hasHeader } = this.#form
    if (!isCsv) {
      return this.#hasColumnsLast ? '{"rows":[' : `{"cols":${JSON.stringify(shown.list())},"rows":[`
    }
    const names = shown.list().map(({ name }) => csvText(name))
    return hasHeader && names.length > 0 ? `${names.join(',')}\r\n` : ''
  }

  #line(row: readonly RowCell[], columns: readonly SqlColumn[]): string {
    const isFirst = this.#rowCount === 0
    this.#rowCount += 1
    const values = columns.map(({ type }, at) => ({ type, value: readCell(row[at], type) }))
    if (this.#form.isCsv) return `${values.map(csvValue).join(',')}\r\n`
    return `${isFirst ? '' : ','}[${values.map(jsonValue).join(',')}]`
  }

  async #write(text: string): Promise<void> {
    if (this.#stream !== undefined) {
      await this.#stream.put(text)
      return
    }
    this.#held.push(text)
    this.#heldUnits += text.length
    if (this.#heldUnits > HELD_UNITS_MAX) this.#release()
  }

  #release(): void {
    const shown = this.#open([])
    this.#hasColumnsLast = !this.#form.isCsv && shown.areOpen
    const stream = new RowsStream(`${this.#begin(shown)}${this.#held.join('')}`)
    this.#held = []
    this.#stream = stream
    this.#reportBegun(stream)
  }
}

/** What stands behind the rows: who has read `success` has all of them. */
function endOf(outcome: GqlOutcome | undefined): string {
  const { sampleCount = 0, samples, warnings = [] } = outcome ?? {}
  const count = samples === undefined ? '' : `,"samples":${JSON.stringify(samples)}`
  const message = JSON.stringify(warnings.join(' '))
  return `,"sampleCount":${sampleCount}${count},"message":${message},"success":true`
}

interface TypedValue {
  readonly type: SqlColumn['type']
  readonly value: ExpressionValue
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Whole numbers and decimals keep all their digits. */
function jsonValue({ type, value }: TypedValue): string {
  if (typeof value === 'bigint') return String(value)
  if (Object.is(value, -0)) return '-0'
  if (type === 'BIGDECIMAL' && typeof value === 'string' && JSON_NUMBER.test(value)) return value
  return JSON.stringify(value)
}

/** NULL is an empty cell, an empty text one in quotes. */
function csvValue({ value }: TypedValue): string {
  if (value === null) return ''
  if (Object.is(value, -0)) return '-0'
  return typeof value === 'string' ? csvText(value) : String(value)
}

function csvText(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
