/** What is known of a derived stream once everything that its record names has been found. */
import type { ValueType } from '../catalog/shape/index.ts'
import type { CheckedExpression, ExpressionType } from '../expression/index.ts'
import type { StatisticId } from '../feed/statistic/index.ts'
import type { StreamHandle } from '../store/index.ts'
import type { Cycle } from '../time/index.ts'

/** How results lie in time: at times of samples, or one for each interval of a frozen base cycle. */
type PlanResult = { readonly kind: 'random' } | { readonly kind: 'interval'; readonly cycle: Cycle }

/** A stream that a variable reads. */
interface PlanSource {
  readonly kind: 'random' | 'interval'
  readonly valueType: ValueType
  /** Its base cycle in the frozen zone; of interval streams only. */
  readonly cycle: Cycle | undefined
}

/** A name of the formula, and where its values come from. */
export interface PlanVariable {
  readonly name: string
  readonly handle: StreamHandle
  /** How many samples, intervals or periods back, as a whole number from 0 down. */
  readonly offset: number
  /** What the formula takes its values for: first and last are as samples, other statistics numbers. */
  readonly type: ExpressionType
  readonly source: PlanSource
  /** The statistic that makes one value of its samples in an interval; undefined where they are taken as they are. */
  readonly rollup: StatisticId | undefined
  /** A statistic of periods, in the zone of the source's component unless the cycle has its own. */
  readonly window: { readonly cycle: Cycle; readonly stat: StatisticId } | undefined
}

/** One derived stream with everything resolved; another object whenever anything of it has changed. */
export interface DerivationPlan {
  readonly handle: StreamHandle
  readonly uid: string
  readonly componentUid: string
  readonly orgUid: string
  readonly result: PlanResult
  /** The type that results are settled to; '' when the first result determines it. */
  readonly valueType: ValueType
  /** In the order of the formula's variables, those that it does not use as well. */
  readonly variables: readonly PlanVariable[]
  readonly expression: CheckedExpression
  readonly trigger: 'ALL' | 'ANY'
  readonly followsCorrections: boolean
  /** Up to where sources had samples when the formula was saved; sources without samples are left out. */
  readonly leftAlone: ReadonlyMap<StreamHandle, number>
}

/** Why a derived stream cannot be derived until its record or a source changes. */
export interface PlanProblem {
  /** In words for people, without values. */
  readonly problem: string
}

/** Which streams are derived from which, in memory; it is never behind what the catalog has answered. */
export interface DerivationGraph {
  /** Whether no stream is derived from another; then nobody needs to ask further. */
  readonly isEmpty: boolean
  hasDependents(handle: StreamHandle): boolean
  /** The streams that are derived from this one directly. */
  dependentsOf(handle: StreamHandle): readonly StreamHandle[]
  /** The streams that a derived stream reads and that are there, each once. */
  sourcesOf(derived: StreamHandle): readonly StreamHandle[]
  /** Whether appends to sources change results that a derived stream has, though it does not follow corrections. */
  isRevised(derived: StreamHandle): boolean
  /** The plan of a living derived stream; a problem when a source is gone or its type does not fit. */
  planOf(derived: StreamHandle): Promise<DerivationPlan | PlanProblem>
  /** Every stream that others are derived from. */
  watched(): readonly StreamHandle[]
  /** Every derived stream. */
  derived(): readonly StreamHandle[]
  /** Moves whenever an edge was added or taken away. */
  readonly generation: number
}

/** Whether a plan cannot be carried out. */
export function isProblem(plan: DerivationPlan | PlanProblem): plan is PlanProblem {
  return 'problem' in plan
}
