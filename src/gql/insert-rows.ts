/** Rows of INSERTs on their way to one put. */
import {
  type EpochMs,
  isSampleTime,
  type MemoryShare,
  type Refusal,
  readId,
  refuse,
  refuseFieldAt,
  requireUnicode,
} from '../base/index.ts'
import type { ExpressionType, ExpressionValue } from '../expression/index.ts'
import {
  IncomingSamples,
  OpenTargets,
  type SampleRun,
  type TargetRules,
  VALUE_FALSE,
  VALUE_LONG_NUMBER,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from '../feed/index.ts'
import { type INSERT_OPTIONS, type RowCell, readCell } from '../sql/index.ts'
import type { RunnableText } from './compiled-texts.ts'
import { ShownSamples } from './shown-samples.ts'

/** What a sample takes: columns, the journal's frame, its place in the list of its stream. */
const SAMPLE_BYTES = 57

/** What a stream takes, with its IDs. */
const TARGET_BYTES = 600

/** Rows of short calls are not counted. */
const UNCOUNTED_BYTES_MAX = 64 * 1024

/** The share grows in steps, so that few rows have to ask for it. */
const STEP_BYTES = 1024 * 1024

const RULE_OF = {
  COMP_TMPL_ID: 'compTmplId',
  FOLDER_PATH: 'folder',
  CNAME: 'compName',
} as const satisfies Record<(typeof INSERT_OPTIONS)[number], keyof TargetRules>

/** Samples, and bytes of texts, that are handed over at a time. */
const HANDED_SAMPLES = 25_000
const HANDED_TEXT_BYTES = 4 * 1024 * 1024

/** One statement's rows. */
interface InsertStatement {
  readonly number: number
  run: SampleRun
  targets: OpenTargets
  readonly rules: TargetRules | undefined
  readonly sampleType: ExpressionType
}

interface InsertParts {
  readonly share: MemoryShare
  readonly shownAt: EpochMs | undefined
  readonly samplesMax: number
  /** Takes the samples as they come; where it is absent all are gathered. */
  readonly onSamples: ((samples: IncomingSamples) => Promise<void>) | undefined
}

/** Gathers the rows of all INSERTs of a run as the samples of one put, within a share of memory, or hands them on. */
export class InsertRows {
  /** Those that were not handed over. */
  samples = new IncomingSamples()
  readonly samplesMax: number
  /** Of a dry run, what would be stored. */
  readonly shown: ShownSamples | undefined
  readonly #text: RunnableText
  readonly #share: MemoryShare
  readonly #onSamples: InsertParts['onSamples']
  #runs: SampleRun[] = []
  readonly #statements: InsertStatement[] = []
  #statement: InsertStatement | undefined
  #rules: { readonly statement: number; readonly rules: TargetRules } | undefined
  #textBytes = 0
  #handedCount = 0
  #nullCount = 0

  constructor(text: RunnableText, { share, shownAt, samplesMax, onSamples }: InsertParts) {
    this.#text = text
    this.#share = share
    this.#onSamples = onSamples
    this.samplesMax = samplesMax
    this.shown = shownAt === undefined ? undefined : new ShownSamples(shownAt)
    this.samples.form = 'rows'
    this.samples.runs = this.#runs
  }

  /** The rows of all INSERTs so far. */
  get rowCount(): number {
    return this.#handedCount + this.samples.count
  }

  /** Those of them that have a value: a null is no sample. */
  get sampleCount(): number {
    return this.rowCount - this.#nullCount
  }

  /** Takes the options of an INSERT, before its rows. */
  takeOptions(statement: number, row: readonly RowCell[]): void {
    const compiled = this.#text.program.statements[statement]
    const columns = (compiled.kind === 'insert' && compiled.options?.columns) || []
    const rules: { -readonly [Name in keyof TargetRules]: TargetRules[Name] } = {}
    for (const [at, { name }] of columns.entries()) {
      // A blank text says as little as none.
      const value = row[at]
      if (typeof value !== 'string' || value === '') continue
      const where = this.#text.names[statement]
      rules[RULE_OF[name as keyof typeof RULE_OF]] = requireUnicode(value, where, name)
    }
    this.#rules = { statement, rules }
  }

  /** Takes rows of an INSERT; what it returns is pending while there is no memory for more. */
  takeRows(number: number, rows: readonly RowCell[][]): void | Promise<void> {
    const { samplesMax } = this
    const statement = this.#statementOf(number)
    if (this.rowCount + rows.length > samplesMax) refuse('too_many_samples', { samplesMax })
    for (const row of rows) this.#takeRow(statement, row)
    const isLong = this.samples.count >= HANDED_SAMPLES || this.#textBytes >= HANDED_TEXT_BYTES
    return this.#onSamples !== undefined && isLong ? this.handOver() : this.#hold()
  }

  /** Hands over what was gathered, to who takes it as it comes; numbers of rows count on. */
  async handOver(): Promise<void> {
    const { samples } = this
    if (this.#onSamples === undefined || samples.count === 0) return
    const { count } = samples
    await this.#onSamples(samples)
    samples.release()
    this.#handedCount += count
    this.#textBytes = 0
    this.samples = new IncomingSamples()
    this.samples.form = 'rows'
    const statement = this.#statement
    this.#runs =
      statement === undefined ? [] : [{ ...statement.run, from: statement.run.from - count }]
    this.samples.runs = this.#runs
    if (statement === undefined) return
    statement.run = this.#runs[0]
    statement.targets = new OpenTargets(this.samples, undefined, statement.rules)
  }

  /** The number of the INSERT that a refusal of the put is about: it names one, or an option of one, or may mean all. */
  statementOf({ code, message }: Refusal): number {
    if (code === 'too_many_samples' && this.#statement !== undefined) return this.#statement.number
    const named = this.#text.names.findIndex((name) => message.includes(name))
    if (named >= 0) return named
    const hasOption = ({ rules = {} }: InsertStatement): boolean =>
      Object.values(rules).some((value) => message.includes(JSON.stringify(value)))
    return this.#statements.find(hasOption)?.number ?? this.#text.firstInsert
  }

  #statementOf(number: number): InsertStatement {
    if (this.#statement?.number === number) return this.#statement
    const { program, names } = this.#text
    const rules = this.#rules?.statement === number ? this.#rules.rules : undefined
    const run = { from: this.samples.count, name: names[number] }
    this.#runs.push(run)
    this.#statement = {
      number,
      run,
      rules,
      targets: new OpenTargets(this.samples, undefined, rules),
      sampleType: program.statements[number].query.columns[3].type,
    }
    this.#statements.push(this.#statement)
    return this.#statement
  }

  #takeRow({ run, targets, sampleType }: InsertStatement, row: readonly RowCell[]): void {
    const { samples } = this
    const index = samples.count
    const where = `row ${index - run.from + 1} of ${run.name}`
    const cid = idOf(row[0], where, 'CID')
    const id = idOf(row[1], where, 'ID')
    const time = timeOf(row[2], where)
    const value = readCell(row[3], sampleType)
    targets.addById(cid, id, index)
    this.#addValue(time, value, where)
    this.shown?.add({ cid, id, time, value })
  }

  #addValue(time: number, value: ExpressionValue, where: string): void {
    const { samples } = this
    switch (typeof value) {
      case 'number':
        samples.add(0, time, { kind: VALUE_NUMBER, number: value, text: undefined })
        return
      case 'string':
        requireUnicode(value, where, 'SAMPLE')
        this.#textBytes += 64 + 2 * value.length
        samples.add(0, time, { kind: VALUE_TEXT, number: 0, text: value })
        return
      case 'bigint':
        this.#textBytes += 128
        samples.add(0, time, {
          kind: VALUE_LONG_NUMBER,
          number: Number(value),
          text: String(value),
        })
        return
      case 'boolean':
        samples.add(0, time, { kind: value ? VALUE_TRUE : VALUE_FALSE, number: 0, text: undefined })
        return
      default:
        this.#nullCount += 1
        samples.add(0, time, { kind: VALUE_NULL, number: 0, text: undefined })
    }
  }

  #hold(): void | Promise<void> {
    const { handles, open } = this.samples
    const bytes = handles.length * SAMPLE_BYTES + open.length * TARGET_BYTES + this.#textBytes
    if (bytes <= UNCOUNTED_BYTES_MAX || bytes <= this.#share.bytes) return
    const wanted = Math.ceil(bytes / STEP_BYTES) * STEP_BYTES
    if (!this.#share.resizeNow(wanted)) return this.#share.resize(wanted)
  }
}

function idOf(cell: RowCell, where: string, column: string): string {
  if (cell === null) refuseFieldAt(where, column, 'is NULL')
  return readId(cell, where, column)
}

function timeOf(cell: RowCell, where: string): number {
  if (cell === null) return Number.NaN
  const time = Number(cell)
  if (isSampleTime(time)) return time
  refuseFieldAt(where, 'TIME', `must be epoch milliseconds from 1900 to 2261, got ${cell}`)
}
