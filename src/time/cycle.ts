import type { EpochMs } from '../base/plain.ts'

/** A stretch of time, from ≤ instant < until. */
export interface Range {
  readonly from: number
  readonly until: number
}

/** One turn of a cycle; never empty. */
export interface Period {
  readonly from: EpochMs
  readonly until: EpochMs
}

/** Periods as columns, ascending: period i is froms[i] ≤ instant < untils[i]. */
export interface Periods {
  readonly count: number
  readonly froms: Float64Array
  readonly untils: Float64Array
}

/** The most boundaries one call computes: ten years of minutes fit, a mistake does not. */
export const EDGES_MAX = 10_000_000

/**
 * A calendar rule ready to compute. Periods follow each other without gaps, except those of a CUSTOM
 * cycle: an instant that none of its intervals holds belongs to no period.
 */
export interface Cycle {
  /** The length all periods share in milliseconds; undefined where calendar or list decide. */
  readonly fixedMs: number | undefined
  /** The period that holds an instant. */
  periodOf(at: number): Period | undefined
  /** The first period that starts after an instant. */
  next(at: number): Period | undefined
  /** The last period that ends before the one that holds an instant begins, or before the instant. */
  previous(at: number): Period | undefined
  /** The periods that overlap a range, the latest `limit` of them. */
  periods(range: Range, limit: number): Periods
  /** Every boundary of the periods that overlap a range, ascending, each once. */
  edges(range: Range): Float64Array
  /** How many periods overlap a range. */
  countPeriods(range: Range): number
  /** How many periods start within a range. */
  countStarts(range: Range): number
}
