/** Stretches of gaps of which a formula gives nothing: very many intervals long, they are jumped over. */
import { EARLIEST_TIME, epochMs, TIME_END } from '../../base/index.ts'
import type { compileExpression } from '../../expression/index.ts'
import type { StatisticId } from '../../feed/statistic/index.ts'
import type { SampleStore } from '../../store/index.ts'
import type { DerivationPlan, PlanVariable } from '../derivation-plan.ts'
import type { InputBlock } from './random-block.ts'

type Compiled = ReturnType<typeof compileExpression>

/** Statistics that are NULL where there is no sample; counts are 0 there. */
const OF_VALUES: readonly StatisticId[] = ['first', 'last', 'min', 'max', 'avg', 'sum']

/** Blocks of fewer rows say nothing about those that follow. */
const ROWS_TELLING = 64
/** A block is mostly empty when at most one of this many rows needs evaluation. */
const ROWS_PER_VALUE = 16

/** Characters that a formula may work on without its variables, on the main loop; one of more is evaluated in every gap. */
const NULLS_CHARACTERS_MAX = 50_000

/** Whether a formula gives nothing where all that it uses is NULL. */
export function givesNothingOfNulls({ evaluate }: Compiled, variables: number): boolean {
  try {
    return evaluate(new Array<null>(variables).fill(null), NULLS_CHARACTERS_MAX) === null
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Each failure is counted.
    if (error.name === 'ExpressionError' || error.name === 'LongEvaluation') return false
    throw error
  }
}

/** A variable that is NULL in gaps, and the length of the intervals that its offset counts. */
interface GapVariable {
  readonly variable: PlanVariable
  readonly stepMs: number
}

/** The variables that a formula uses, if each is NULL in gaps of its source; undefined: some may be known there. */
export function gapVariablesOf(plan: DerivationPlan): readonly GapVariable[] | undefined {
  const { result, variables, expression } = plan
  const found: GapVariable[] = []
  for (const index of expression.used) {
    const variable = variables[index]
    const { source, rollup, window } = variable
    const stepMs = (result.kind === 'interval' ? result.cycle : source.cycle)?.fixedMs
    if (window !== undefined || source.kind !== 'interval' || stepMs === undefined) return undefined
    if (rollup !== undefined && !OF_VALUES.includes(rollup)) return undefined
    found.push({ variable, stepMs })
  }
  return found
}

/** Whether blocks begin behind intervals in which random sources have no sample. */
export function jumpsOverNothing({ result, trigger, variables }: DerivationPlan): boolean {
  if (result.kind !== 'interval') return false
  const isRandom = ({ source }: PlanVariable) => source.kind === 'random'
  if (trigger === 'ANY') return variables.every(isRandom)
  return variables.some((one) => isRandom(one) && one.window === undefined && one.offset === 0)
}

/** The time up to which, from a time on, all of some variables are gaps or there is no result; it may be too early. */
export async function nextKnown(
  store: SampleStore,
  { trigger, gaps }: Pick<DerivationPlan, 'trigger'> & { readonly gaps: readonly GapVariable[] },
  { from, until }: { readonly from: number; readonly until: number },
): Promise<number> {
  let next = until
  for (const { variable, stepMs } of gaps) {
    // Samples from here on may be seen by the first result.
    const seenFrom = from - (2 - variable.offset) * stepMs
    const { count, times } = await store.range(variable.handle, {
      from: epochMs(Math.max(seenFrom, EARLIEST_TIME)),
      until: TIME_END,
      limit: 1,
      order: 'oldest_first',
      isTimesOnly: true,
    })
    // Behind the last sample there are no gaps: with ANY that one counts on.
    if (count === 0 && trigger === 'ANY') return from
    if (count > 0) next = Math.min(next, Math.max(from, times[0]))
    if (next <= from) return from
  }
  return next
}

/**
 * Whether few rows of a block needed evaluation. The other rows have no sample, or have gaps in all of the listed
 * variables.
 */
export function isMostlyEmpty(
  { times, columns }: InputBlock,
  gaps: readonly number[] | undefined,
  results: number,
): boolean {
  const most = Math.floor(times.length / ROWS_PER_VALUE)
  if (times.length < ROWS_TELLING || results > most) return false
  const isGap = (at: number, row: number) =>
    Number.isNaN(columns[at].numbers[row]) && columns[at].texts?.[row] === undefined
  let known = 0
  for (let row = 0; row < times.length; row++) {
    if (columns.some(({ absent }) => absent?.[row] === 1)) continue
    if (gaps?.every((at) => isGap(at, row)) === true) continue
    known += 1
    if (known > most) return false
  }
  return true
}
