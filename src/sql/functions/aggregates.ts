/** Functions of groups that are ours: sums, means of means, the first and the last by time. */
import type { SqlCell } from '../compiled-sql.ts'
import { SqlFailure } from '../sql-failure.ts'
import { addToSum, newSum, sumOf } from './sum.ts'

type Cell = SqlCell | Uint8Array

/** A function of the rows of a group, as node:sqlite takes it. */
export interface OwnAggregate<State> {
  readonly start: () => State
  readonly step: (state: State, ...args: Cell[]) => State
  readonly result: (state: State) => SqlCell
}

/** A mean on its way: one alone stays as it is, to the last bit. */
interface Mean {
  place: number | undefined
  rowCount: number
  only: number
  weight: number
  total: number
}

const mean: OwnAggregate<Mean> = {
  start: () => ({ place: undefined, rowCount: 0, only: 0, weight: 0, total: 0 }),
  step: (state, place, value, count) => {
    state.place = Number(place)
    if (value === null) return state
    // A text cannot be part of a mean; what is thrown here SQLite drops.
    const number = typeof value === 'string' ? Number.NaN : Number(value)
    state.rowCount += 1
    state.only = number
    state.weight += Number(count)
    state.total += number * Number(count)
    return state
  },
  result: ({ place, rowCount, only, weight, total }) => {
    if (rowCount === 0) return null
    const result = rowCount === 1 ? only : total / weight
    if (Number.isNaN(result)) {
      throw new SqlFailure('avg() takes numbers, got a text: CAST(… AS DOUBLE) reads them', place)
    }
    if (!Number.isFinite(result)) throw new SqlFailure('The result of avg() is not finite', place)
    return result
  },
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
  ...{ weir_sum: sum, weir_mean: mean },
  weir_first: chooses((order) => order < 0),
  weir_last: chooses((order) => order > 0),
}
