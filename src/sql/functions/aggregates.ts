/** Functions of groups that are ours: sums, means of means, the first and the last by time. */
import type { ExactSums } from '../../base/plain.ts'
import type { SqlCell } from '../compiled-sql.ts'
import { SqlFailure } from '../sql-failure.ts'
import { addToSum, newExactSum, newSum, sumOf } from './sum.ts'

type Cell = SqlCell | Uint8Array

/** A function of the rows of a group, as node:sqlite takes it. */
export interface OwnAggregate<State> {
  readonly start: () => State
  readonly step: (state: State, ...args: Cell[]) => State
  readonly result: (state: State) => SqlCell
}

/** A mean on its way, exact; that of one row alone stays as it is, with its sign too. */
interface Mean {
  place: number | undefined
  rowCount: number
  only: number
  weight: number
  total: ExactSums | undefined
  /** The error. It is thrown at the end, as SQLite drops errors of steps. */
  failure: string | undefined
}

const NO_MEAN = { place: undefined, rowCount: 0, only: 0, weight: 0 }

/** Each row has the mean of some samples and their count; a whole number is their exact sum instead. */
const mean: OwnAggregate<Mean> = {
  start: () => ({ ...NO_MEAN, total: undefined, failure: undefined }),
  step: (state, place, value, count) => {
    state.place = Number(place)
    if (value === null || state.failure !== undefined) return state
    if (typeof value !== 'number' && typeof value !== 'bigint') {
      state.failure = 'avg() needs numbers, got a text. Convert with CAST(… AS DOUBLE)'
    } else if (typeof value === 'number' && !Number.isFinite(value)) {
      state.failure = 'The result of avg() is not finite'
    } else addToMean(state, value, Number(count))
    return state
  },
  result: ({ place, rowCount, only, weight, total, failure }) => {
    if (failure !== undefined) throw new SqlFailure(failure, place)
    if (total === undefined) return null
    return rowCount === 1 ? only : total.quotient(0, weight)
  },
}

function addToMean(state: Mean, value: number | bigint, count: number): void {
  state.total ??= newExactSum()
  if (typeof value === 'bigint') state.total.add(0, Number(value))
  else state.total.addProduct(0, value, count)
  state.rowCount += 1
  state.only = typeof value === 'bigint' ? Number(value) / count : value
  state.weight += count
}

/** A value and what it is ordered by. */
interface Chosen {
  value: SqlCell
  by: SqlCell
}

/** Of values at one time the same is chosen, whatever the order in which they come. */
function chooses(isBetter: (order: number) => boolean): OwnAggregate<Chosen> {
  return {
    start: () => ({ value: null, by: null }),
    step: (state, given, place) => {
      const value = given as SqlCell
      const by = place as SqlCell
      if (value === null || by === null) return state
      const order =
        state.by === null || state.value === null
          ? undefined
          : compareCells(by, state.by) || compareCells(value, state.value)
      if (order !== undefined && !isBetter(order)) return state
      state.value = value
      state.by = by
      return state
    },
    result: ({ value }) => value,
  }
}

/** Numbers come before texts. */
function compareCells(one: NonNullable<SqlCell>, other: NonNullable<SqlCell>): number {
  const isText = typeof one === 'string'
  if (isText !== (typeof other === 'string')) return isText ? 1 : -1
  if (one === other) return 0
  return one < other ? -1 : 1
}

const sum: OwnAggregate<ReturnType<typeof newSum>> = {
  start: newSum,
  step: (state, ...args) => addToSum(state, ...(args as SqlCell[])),
  result: sumOf,
}

/** By their names in compiled queries. */
export const aggregates = {
  weir_sum: sum,
  weir_mean: mean,
  weir_first: chooses((order) => order < 0),
  weir_last: chooses((order) => order > 0),
}
