/** Sample(…): which samples of a stored table are read, or which statistic of a cycle. */
import { nearestName, type Span, shorten, type Term } from '../../expression/index.ts'
import { SAMPLE_SETTINGS, type SampleSetting, statisticColumn } from '../compiled-sql.ts'
import type { SampleSettings } from '../syntax/sql-tree.ts'
import { isKnown } from './push-down.ts'
import { keyOf, type ScopeTable, SqlScope } from './sql-scope.ts'
import type { StatementContext } from './statement-context.ts'
import { NotSummed, type StoredRead } from './stored-read.ts'

type Settings = Map<SampleSetting, Term>

/** How the value of a setting becomes a term, in a scope without columns. */
type Check = (node: SampleSettings['settings'][number]['value'], scope: SqlScope) => Term

const TEXTS: ReadonlySet<SampleSetting> = new Set(['cycleId', 'stat', 'currentCycle'])

/** The settings of Sample(…), checked. */
function readSettings(
  statement: StatementContext,
  { settings, range, span }: SampleSettings,
  check: Check,
): Settings {
  const read: Settings = new Map()
  for (const { name, value } of settings) {
    take(statement, read, { name, known: SAMPLE_SETTINGS.own, termIn: (own) => check(value, own) })
  }
  for (const { name, value } of range ?? []) {
    take(statement, read, {
      name,
      known: SAMPLE_SETTINGS.range,
      termIn: (own) => check(value, own),
    })
  }
  const isBounded = read.has('sd') || read.has('ed')
  const ranges = [isBounded, read.has('last'), read.has('currentCycle')]
  if (ranges.filter((isGiven) => isGiven).length > 1) {
    const problem = 'Range accepts sd and ed, or last, or currentCycle. Remove the others'
    throw statement.failAt(problem, span)
  }
  return read
}

interface GivenSetting {
  readonly name: SampleSettings['settings'][number]['name']
  readonly known: readonly SampleSetting[]
  readonly termIn: (scope: SqlScope) => Term
}

function take(
  statement: StatementContext,
  read: Settings,
  { name, known, termIn }: GivenSetting,
): void {
  const setting = known.find((one) => keyOf(one) === keyOf(name.text))
  if (setting === undefined) {
    const nearest = nearestName(name.text, known)
    const advice =
      nearest === undefined ? `settings are ${known.join(', ')}` : `did you mean ${nearest}?`
    throw statement.failAt(`Unknown setting "${shorten(name.text)}": ${advice}`, name.span)
  }
  if (read.has(setting)) throw statement.failAt(`${setting} is given twice`, name.span)
  const refused = 'Sample(…) accepts numbers, texts, variables, and now(), not columns or queries'
  const term = termIn(new SqlScope(undefined, refused))
  if (!isKnown(statement, term)) throw statement.failAt(refused, term.span)
  const isOpen = term.type === 'UNKNOWN' || term.type === 'NULL'
  if (!isOpen && (term.type === 'STRING') !== TEXTS.has(setting)) {
    const needed = TEXTS.has(setting) ? 'a text' : 'a number, or a time such as -7d'
    throw statement.failAt(`${setting} must be ${needed}`, term.span)
  }
  read.set(setting, term)
}

/** Gives a table of FROM the settings that stand behind it. */
export function settleTable(
  statement: StatementContext,
  read: StoredRead,
  { settings, check }: { readonly settings: SampleSettings; readonly check: Check },
): void {
  if (read.of === 'COMPONENT') {
    throw statement.failAt('COMPONENT has no samples. Remove Sample(…)', settings.span)
  }
  const own = readSettings(statement, settings, check)
  refuseBareStatistic(statement, own, settings.span)
  read.sample = own
  // Sums are of all samples of a stretch of time.
  if (read.isSummed && (own.has('last') || own.has('cycleId'))) throw new NotSummed()
}

/** The term of Sample(…) among values: a sample, or a statistic, of the one stored table of FROM. */
export function sampleTerm(
  statement: StatementContext,
  settings: SampleSettings,
  { scope, span, check }: { scope: SqlScope; span: Span; check: Check },
): Term {
  const table = tableOf(statement, scope, span)
  const read = table.stored as StoredRead
  if (read.isSummed) throw new NotSummed()
  const own = readSettings(statement, settings, check)
  const statistic = own.get('stat')
  own.delete('stat')
  const before = read.sample
  if (before === undefined) read.sample = own
  else if (own.size > 0 && spell(statement, own) !== spell(statement, before)) {
    const problem = 'Sample(…) is used twice for one table with different cycles or ranges'
    throw statement.failAt(`${problem}. They may differ only in stat`, span)
  }
  if (statistic !== undefined && read.sample?.has('cycleId') !== true) {
    throw statement.failAt('stat needs a cycle. Add cycleId', span)
  }
  if (statistic !== undefined) {
    return statement.input(read.useStatistic(statistic, statisticColumn), 'UNKNOWN', span)
  }
  const sample = table.columns.find(({ name }) => keyOf(name) === 'sample')
  return statement.input(sample?.sql() ?? 'NULL', 'UNKNOWN', span)
}

function tableOf(statement: StatementContext, scope: SqlScope, span: Span): ScopeTable {
  const stored = scope.tables.filter(
    ({ stored: read }) => read !== undefined && read.of !== 'COMPONENT',
  )
  if (stored.length === 1) return stored[0]
  const problem = 'Sample(…) as a value needs exactly one table STREAM or SAMPLE in FROM'
  throw statement.failAt(`${problem}. Write it after the table it refers to`, span)
}

function refuseBareStatistic(statement: StatementContext, own: Settings, span: Span): void {
  if (!own.has('stat') || own.has('cycleId')) return
  throw statement.failAt('stat needs a cycle. Add cycleId', span)
}

/** Settings without the statistic, as one text. */
function spell(statement: StatementContext, settings: ReadonlyMap<SampleSetting, Term>): string {
  const words = [...settings].filter(([name]) => name !== 'stat')
  return words
    .map(([name, term]) => `${name}=${statement.print(term)}`)
    .sort()
    .join(', ')
}
