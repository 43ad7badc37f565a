/** What a query asks of a stored table, with the values that it has at run time. */
import { EARLIEST_TIME, TIME_END } from '../../base/index.ts'
import type { CompiledRead, RowCell, SqlPredicate, WantedRead } from '../../sql/index.ts'
import { labelOf, OF_SAMPLES } from './stored-tables.ts'

/** Times of samples, from ≤ time < until. */
export interface TimeRange {
  readonly from: number
  readonly until: number
}

/** What Sample(…) says. */
interface AskedSample {
  readonly cycleId?: string
  readonly stat?: string
  readonly sd?: number
  readonly ed?: number
  readonly last?: number
  readonly currentCycle?: string
}

/** What is asked of a table. */
export interface Asked {
  readonly of: CompiledRead['of']
  /** The columns in small letters but for labels, in the order of the read. */
  readonly columns: readonly string[]
  /** Texts that a column must be among, by its name in small letters. */
  readonly texts: ReadonlyMap<string, ReadonlySet<string>>
  readonly times: TimeRange
  /** Whether a condition is on time. */
  readonly isTimeBound: boolean
  readonly sample: AskedSample | undefined
  /** The statistics of columns, by the number of the column. */
  readonly statistics: ReadonlyMap<number, string>
  readonly isSummed: boolean
  /** Whether there is a row for each sample, or sums of them. */
  readonly isOfSamples: boolean
}

/** A setting that cannot be used; the message says why. */
export class BadSetting extends Error {}

const ALL_TIMES: TimeRange = { from: EARLIEST_TIME, until: TIME_END }

/** Reads what a query asks; throws BadSetting. */
export function readAsked({ of, columns: names, ask }: CompiledRead, wanted: WantedRead): Asked {
  const columns = names.map(columnKey)
  const texts = new Map<string, ReadonlySet<string>>()
  let times = ALL_TIMES
  let isTimeBound = false
  const take = ({ column, is, cells }: SqlPredicate, row: readonly RowCell[]): void => {
    const name = columnKey(column)
    const values = cells.map((cell) => (typeof cell === 'string' ? cell : (row[cell] ?? null)))
    if (name === 'time') {
      isTimeBound = true
      times = narrowed(times, is, values)
    } else if (is === 'in') texts.set(name, common(texts.get(name), textsOf(values)))
  }
  if (wanted.bounds !== undefined) {
    for (const predicate of ask?.predicates ?? []) take(predicate, wanted.bounds)
  }
  for (const demand of ask?.demands ?? []) take(demand, wanted.given)
  const sample = ask?.sample === undefined ? undefined : readSample(ask.sample, wanted.given)
  const isOfSamples =
    of === 'SAMPLE' || ask?.isSummed === true || sample !== undefined || columns.some(isOfSample)
  return {
    of,
    columns,
    texts,
    times,
    isTimeBound,
    sample,
    isOfSamples,
    statistics: statisticsOf(columns, wanted.given),
    isSummed: ask?.isSummed === true,
  }
}

function columnKey(name: string): string {
  return labelOf(name) === undefined ? name.toLowerCase() : name
}

function isOfSample(column: string): boolean {
  return OF_SAMPLES.has(column)
}

/** A number is never equal to a text, NULL to nothing. */
function textsOf(values: readonly RowCell[]): ReadonlySet<string> {
  return new Set(values.filter((value) => typeof value === 'string'))
}

function common(one: ReadonlySet<string> | undefined, other: ReadonlySet<string>) {
  return one === undefined ? other : one.intersection(other)
}

/** Times that a condition leaves; numbers come before texts, and NULL leaves none. */
function narrowed(
  { from, until }: TimeRange,
  is: SqlPredicate['is'],
  values: readonly RowCell[],
): TimeRange {
  if (is === 'in') {
    const numbers = values.filter(isNumber).map(Number)
    if (numbers.length === 0) return { from, until: from }
    return {
      from: Math.max(from, Math.ceil(Math.min(...numbers))),
      until: Math.min(until, Math.floor(Math.max(...numbers)) + 1),
    }
  }
  const [value] = values
  if (!isNumber(value)) {
    const isLeft = typeof value === 'string' && (is === '<' || is === '<=')
    return { from, until: isLeft ? until : from }
  }
  const bound = Number(value)
  switch (is) {
    case '>':
      return { from: Math.max(from, Math.floor(bound) + 1), until }
    case '>=':
      return { from: Math.max(from, Math.ceil(bound)), until }
    case '<':
      return { from, until: Math.min(until, Math.ceil(bound)) }
    case '<=':
      return { from, until: Math.min(until, Math.floor(bound) + 1) }
  }
}

function isNumber(value: RowCell): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

type Cells = Readonly<Record<string, number | undefined>>

function readSample(ask: Cells, given: readonly RowCell[]): AskedSample {
  const cellOf = (name: string): RowCell => {
    const cell = ask[name]
    return cell === undefined ? null : given[cell]
  }
  const textOf = (name: string): string | undefined => {
    const value = cellOf(name)
    if (value === null || typeof value === 'string') return value ?? undefined
    throw new BadSetting(`${name} must be a text`)
  }
  const numberOf = (name: string): number | undefined => {
    const value = cellOf(name)
    if (value === null || isNumber(value)) return value === null ? undefined : Number(value)
    throw new BadSetting(`${name} must be a number`)
  }
  const last = numberOf('last')
  if (last !== undefined && !(Number.isSafeInteger(last) && last >= 1)) {
    throw new BadSetting('last must be an integer of at least 1')
  }
  const [sd, ed] = [numberOf('sd'), numberOf('ed')]
  if (sd !== undefined && ed !== undefined && sd > ed) {
    throw new BadSetting(`sd (${sd}) of Range(…) must not be after ed (${ed})`)
  }
  return {
    cycleId: textOf('cycleId'),
    stat: textOf('stat'),
    last,
    sd,
    ed,
    currentCycle: textOf('currentCycle'),
  }
}

/** Columns that are statistics are named `stat` and the number of the cell that names it. */
function statisticsOf(columns: readonly string[], given: readonly RowCell[]) {
  const statistics = new Map<number, string>()
  for (const [index, column] of columns.entries()) {
    const [, cell] = /^stat (\d+)$/.exec(column) ?? []
    if (cell === undefined) continue
    const value = given[Number(cell)]
    if (typeof value !== 'string') throw new BadSetting('stat must be a text')
    statistics.set(index, value)
  }
  return statistics
}
