/** The functions that compiled queries ask for, as a database of node:sqlite takes them. */
import {
  ExpressionError,
  knownVariableOf,
  SQL_VARIABLE,
  sqlFunctionOf,
  sqlFunctions,
} from '../../expression/index.ts'
import type { SqlCell } from '../compiled-sql.ts'
import { SqlFailure } from '../sql-failure.ts'
import { aggregates, type OwnAggregate } from './aggregates.ts'
import { rowCount, sampleTime } from './own-operations.ts'

const OPTIONS = { useBigIntArguments: true, varargs: true } as const

/** Bytes are no values of GS SQL: only what leaves a query is marked with them. */
type HostCell = SqlCell | Uint8Array

/** What functions are registered with: a DatabaseSync of node:sqlite. */
interface FunctionHost {
  function(name: string, options: typeof OPTIONS, call: (...args: HostCell[]) => SqlCell): void
  aggregate<State>(
    name: string,
    options: typeof OPTIONS & {
      readonly start: () => State
      readonly step: (state: State, ...args: HostCell[]) => State
      readonly result: (state: State) => SqlCell
    },
  ): void
}

const finite = {
  name: 'weir_finite',
  call: (value: SqlCell): SqlCell => {
    if (typeof value !== 'number' || Number.isFinite(value)) return value
    throw new SqlFailure('The result of avg() is not finite')
  },
}

const calls: ReadonlyMap<string, (...args: SqlCell[]) => SqlCell> = new Map(
  [...sqlFunctions, ...[rowCount, sampleTime].map(sqlFunctionOf), finite].map(({ name, call }) => [
    name,
    call,
  ]),
)

/** The value of a variable by its number, at the time of a call. */
type VariableOf = (number: number) => SqlCell

/** A function by its name; one whose first argument is a variable takes it from there. */
function callOf(
  name: string,
  variableOf: VariableOf,
): ((...args: SqlCell[]) => SqlCell) | undefined {
  const number = knownVariableOf(name)
  if (number === undefined) return calls.get(name)
  const call = calls.get(name.slice(0, -`${SQL_VARIABLE}${number}`.length))
  return call && ((...args) => call(variableOf(number), ...args))
}

/** Called with errors of functions. Node drops them when aggregate functions end later. */
type OnFailure = (failure: SqlFailure) => void

/**
 * Registers functions by their names, such as `functions` of a compiled query lists them; names that
 * are none of ours are passed over. They throw SqlFailure, and ask for the variables that they know.
 */
export function registerSqlFunctions(
  host: FunctionHost,
  names: Iterable<string>,
  onFailure: OnFailure = () => {},
  variableOf: VariableOf = () => null,
): void {
  const add = <State>(name: string, { start, step, result }: OwnAggregate<State>): void =>
    host.aggregate(name, { ...OPTIONS, start, step, result: reporting(result, onFailure) })
  for (const name of names) {
    const call = callOf(name, variableOf)
    if (call !== undefined) host.function(name, OPTIONS, reporting(placed(call), onFailure))
    // Each has a state of its own type.
    if (name === 'weir_sum') add(name, aggregates[name])
    if (name === 'weir_mean') add(name, aggregates[name])
    if (name === 'weir_first' || name === 'weir_last') add(name, aggregates[name])
  }
}

function reporting<Args extends unknown[]>(
  call: (...args: Args) => SqlCell,
  onFailure: OnFailure,
): (...args: Args) => SqlCell {
  return (...args) => {
    try {
      return call(...args)
    } catch (error) {
      if (error instanceof SqlFailure) onFailure(error)
      throw error
    }
  }
}

/** The first argument is the number of the place that a failure names. */
function placed(call: (...args: SqlCell[]) => SqlCell): (...args: HostCell[]) => SqlCell {
  return (place, ...args) => {
    try {
      return call(...(args as SqlCell[]))
    } catch (error) {
      if (error instanceof ExpressionError || error instanceof SqlFailure) {
        throw new SqlFailure(error.message, Number(place))
      }
      throw error
    }
  }
}
