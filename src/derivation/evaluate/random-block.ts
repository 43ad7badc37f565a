/** Rows of a derived stream whose results lie at the times of samples. */
import type { DerivationPlan, PlanVariable } from '../derivation-plan.ts'
import { ColumnFiller, type InputColumn } from './input-column.ts'
import { intersectTimes, type JoinedTimes, uniteTimes } from './join-times.ts'
import { readSource, type Source, type SourceSamples } from './source-samples.ts'
import { type ReadDeps, windowColumn } from './window-columns.ts'

/** Rows to be evaluated: their times and what each variable has there. */
export interface InputBlock {
  readonly times: Float64Array
  /** In the order of the plan's variables. */
  readonly columns: readonly InputColumn[]
  /** Up to here, exclusive, no row is missing. */
  readonly until: number
}

/** Results from ≤ time < until, at most about `limit` rows of them. */
export interface BlockQuery {
  readonly from: number
  readonly until: number
  readonly limit: number
}

/** A block without rows. */
export function emptyBlock(plan: DerivationPlan, until: number): InputBlock {
  const columns = plan.variables.map(() => new ColumnFiller(0))
  return { times: new Float64Array(0), columns, until }
}

/** The next rows of a stream with random results. */
export async function readRandomBlock(
  deps: ReadDeps,
  plan: DerivationPlan,
  query: BlockQuery,
): Promise<InputBlock> {
  const sources = sourcesOf(plan)
  const isAny = plan.trigger === 'ANY'
  const samples: SourceSamples[] = []
  let from = query.from
  for (const source of sources) {
    const read = await readSource(deps.store, source, { ...query, ...source, from, ...deps })
    samples.push(read)
    if (isAny) continue
    // Where one of them has nothing the others need not be read.
    if (read.count === read.history) return emptyBlock(plan, read.completeUntil)
    from = read.times[read.history]
  }
  const complete = Math.min(...samples.map(({ completeUntil }) => completeUntil))
  const until = isAny ? complete : Math.max(complete, from)
  const join = isAny ? uniteTimes : intersectTimes
  const joined = join(samples, { from, until: complete })
  const columns: InputColumn[] = []
  const places = new Map(sources.map(({ handle }, at) => [handle, at]))
  for (const variable of plan.variables) {
    const which = places.get(variable.handle) ?? -1
    const { window } = variable
    columns.push(
      window === undefined
        ? sampleColumn(samples[which], joined.positions[which], -variable.offset)
        : await soFarColumn(deps, { ...variable, window }, joined),
    )
  }
  return { times: joined.times, columns, until }
}

interface HistorySource extends Source {
  readonly history: number
}

/** The streams that are read, each once, and how many samples back its variables look. */
function sourcesOf({ variables, trigger }: DerivationPlan): HistorySource[] {
  const sources = new Map<number, HistorySource>()
  for (const { handle, source, offset, window } of variables) {
    // The sample that an absent one is replaced by may lie before the block.
    const carried = trigger === 'ANY' ? 1 : 0
    const history = window === undefined ? carried - offset : 0
    const known = sources.get(handle)?.history ?? 0
    sources.set(handle, { handle, cycle: source.cycle, history: Math.max(known, history) })
  }
  return [...sources.values()]
}

/** The samples that are `before` places before the given positions. */
function sampleColumn(
  { numbers, texts }: SourceSamples,
  positions: Int32Array,
  before: number,
): InputColumn {
  const count = positions.length
  const values = new Float64Array(count)
  const shown = texts && new Array<string | undefined>(count)
  let absent: Uint8Array | undefined
  for (let row = 0; row < count; row++) {
    const index = positions[row] - before
    if (index < 0) {
      absent ??= new Uint8Array(count)
      absent[row] = 1
      continue
    }
    values[row] = numbers[index]
    if (shown !== undefined) shown[row] = texts?.[index]
  }
  return { numbers: values, texts: shown, absent }
}

/**
 * A statistic of the period of each time, over the samples up to and including that time. A sample of
 * an interval stream stands for the time before it, so it belongs to the period that ends with it.
 */
function soFarColumn(
  deps: ReadDeps,
  variable: PlanVariable & { readonly window: NonNullable<PlanVariable['window']> },
  { times }: JoinedTimes,
): Promise<InputColumn> {
  const isInterval = variable.source.kind === 'interval'
  return windowColumn(deps, variable, {
    instants: isInterval ? times.map((time) => time - 1) : times,
    cuts: times.map((time) => time + 1),
  })
}
