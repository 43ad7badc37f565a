import type { ExpressionType, Span, Term } from '../../expression/index.ts'
import {
  type CompiledAsk,
  type CompiledRead,
  type CompiledText,
  periodColumn,
  type SampleSetting,
  type SqlPlace,
  type SqlPredicate,
  type SumColumn,
} from '../compiled-sql.ts'

/** A column of a stored table: one that `*` leaves out is hidden, one of samples has a row for each. */
export interface StoredColumn {
  readonly name: string
  readonly type: ExpressionType
  readonly isHidden?: boolean
  /** Of samples: those that sums are known of, and others. */
  readonly ofSample?: 'time' | 'sample' | 'other'
}

/** A condition on a column, with the terms that it is compared with. */
export interface Restriction {
  readonly column: string
  readonly is: SqlPredicate['is']
  readonly terms: readonly Term[]
}

/** More conditions on one table are not worth the time to look at them. */
const RESTRICTIONS_MAX = 50

/** Values of conditions that are asked for as cells; texts that are written down are not among them. */
const CELLS_MAX = 500

/** Thrown where a query needs samples one by one: it is compiled again without sums. */
export class NotSummed extends Error {}

/** How the text of a query is finished. */
type FinishText = (terms: readonly Term[], span: Span) => CompiledText

/** A stored table that a query reads, while it is compiled. */
export class StoredRead {
  readonly table: string
  readonly of: CompiledRead['of']
  readonly sqlName: string
  readonly columns: string[]
  readonly span: Span
  /** Whether sums of its samples are read; columns that need samples show as `sqlName.x`. */
  readonly isSummed: boolean
  /** Whether a column of samples was used. */
  usesSamples = false
  /** What Sample(…) says here, undefined where it does not stand. */
  sample: ReadonlyMap<SampleSetting, Term> | undefined
  #isSumUsed = false
  readonly #restrictions: Restriction[] = []
  readonly #demands: Restriction[] = []
  readonly #statistics: Term[] = []

  constructor(about: {
    readonly table: string
    readonly of: CompiledRead['of']
    readonly sqlName: string
    readonly firstColumn: string
    readonly span: Span
    readonly isSummed: boolean
  }) {
    this.table = about.table
    this.of = about.of
    this.sqlName = about.sqlName
    // A table needs a column, if only to count its rows.
    this.columns = [about.firstColumn]
    this.span = about.span
    this.isSummed = about.isSummed
  }

  /** The text of a column in the query; it is read from here on. */
  use({ name, ofSample }: StoredColumn): string {
    if (ofSample !== undefined) this.usesSamples = true
    return this.isSummed && ofSample !== undefined ? this.summedText(ofSample) : this.#textOf(name)
  }

  /** The text that stands for a column of samples which is not there, as they are summed up. */
  summedText(ofSample: NonNullable<StoredColumn['ofSample']>): string {
    return `${this.sqlName}.x_${ofSample}`
  }

  /** The text of a sum of samples. */
  useSum(name: SumColumn): string {
    this.#isSumUsed = true
    return this.#textOf(name)
  }

  /** SQL for the start of each period of `ms` milliseconds, for rows of sums. */
  usePeriod(ms: number): string {
    return this.#textOf(periodColumn(ms))
  }

  /** The text of a statistic of the cycle that Sample(…) names. */
  useStatistic(statistic: Term, nameOf: (cell: number) => string): string {
    this.usesSamples = true
    this.#statistics.push(statistic)
    return this.#textOf(nameOf(this.#settings().length + this.#statistics.length - 1))
  }

  #textOf(name: string): string {
    const index = this.columns.indexOf(name)
    return `${this.sqlName}.c${index >= 0 ? index : this.columns.push(name) - 1}`
  }

  /** Whether sums were used, and samples are asked for: a row is not a stream. */
  get isOnlySummed(): boolean {
    const isOfSamples = this.of === 'SAMPLE' || this.usesSamples || this.sample !== undefined
    return this.#isSumUsed && isOfSamples
  }

  /** Notes a condition that all rows which count fulfil, and that the query checks. */
  restrict(restriction: Restriction): void {
    if (this.#restrictions.length < RESTRICTIONS_MAX) this.#restrictions.push(restriction)
  }

  /** Notes a condition that the query does not check. */
  demand(demand: Restriction): void {
    this.#demands.push(demand)
  }

  #settings(): [SampleSetting, Term][] {
    return [...(this.sample ?? [])]
  }

  /** The read as it leaves the compiler. */
  finish(finishText: FinishText): CompiledRead {
    const { table, of, columns, span } = this
    const place: SqlPlace = [span.from, span.until]
    const ask = this.#ask(finishText)
    const read = { table: `${table}x${columns.length}`, of, columns, place }
    return ask === undefined ? read : { ...read, ask }
  }

  #ask(finishText: FinishText): CompiledAsk | undefined {
    const { sample, isSummed, span } = this
    const settings = this.#settings()
    const isPlain = this.#restrictions.length === 0 && !isSummed && sample === undefined
    if (isPlain) return undefined
    const given = [...settings.map(([, term]) => term), ...this.#statistics]
    const bounds: Term[] = []
    const demands = this.#demands.map((demand) => predicateOf(demand, given))
    const predicates = this.#restrictions
      .map((restriction) => predicateOf(restriction, bounds))
      .filter(({ cells }) => cells.every((cell) => typeof cell === 'string' || cell < CELLS_MAX))
    const named = settings.map(([name], index) => [name, index] as const)
    return {
      given: given.length === 0 ? undefined : finishText(given, span),
      bounds: bounds.length === 0 ? undefined : finishText(bounds.slice(0, CELLS_MAX), span),
      predicates,
      demands,
      isSummed,
      sample: sample === undefined ? undefined : Object.fromEntries(named),
    }
  }
}

/** A condition with its values as cells of a list, which grows by them; texts stay as they are. */
function predicateOf({ column, is, terms }: Restriction, list: Term[]): SqlPredicate {
  const cells = terms.map((term) =>
    term.kind === 'constant' && typeof term.value === 'string' ? term.value : list.push(term) - 1,
  )
  return { column, is, cells }
}
