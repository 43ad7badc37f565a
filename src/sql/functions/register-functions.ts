/** The functions that compiled queries ask for, as a database of node:sqlite takes them. */
import { ExpressionError, sqlFunctionOf, sqlFunctions } from '../../expression/index.ts'
import type { SqlCell } from '../compiled-sql.ts'
import { SqlFailure } from '../sql-failure.ts'
import { aggregates } from './aggregates.ts'
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

const calls: ReadonlyMap<string, (...args: HostCell[]) => SqlCell> = new Map(
  [...sqlFunctions, ...[rowCount, sampleTime].map(sqlFunctionOf), finite].map(({ name, call }) => [
    name,
    placed(call),
  ]),
)

/**
 * Registers functions by their names, such as `functions` of a compiled query lists them; names that
 * are none of ours are passed over. They throw SqlFailure.
 */
export function registerSqlFunctions(host: FunctionHost, names: Iterable<string>): void {
  for (const name of names) {
    const call = calls.get(name)
    if (call !== undefined) host.function(name, OPTIONS, call)
    // Each has a state of its own type.
    if (name === 'weir_sum') host.aggregate(name, { ...OPTIONS, ...aggregates[name] })
    if (name === 'weir_mean') host.aggregate(name, { ...OPTIONS, ...aggregates[name] })
    if (name === 'weir_first' || name === 'weir_last') {
      host.aggregate(name, { ...OPTIONS, ...aggregates[name] })
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
