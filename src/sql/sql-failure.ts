import { ExpressionError } from '../expression/index.ts'
import type { CompiledQuery, SqlPlace } from './compiled-sql.ts'

/**
 * What went wrong while a query ran, thrown by functions that `registerSqlFunctions` registers and by
 * `loadSource`. `place` is the number of a place of that query; undefined where the whole is meant.
 */
export class SqlFailure extends Error {
  readonly place: number | undefined

  constructor(problem: string, place?: number) {
    super(problem)
    this.name = 'SqlFailure'
    this.place = place
  }
}

/** A failure as people see it: with the line, the column and a pointer into the text. */
export function failureAt(
  text: string,
  query: Pick<CompiledQuery, 'places' | 'place'>,
  { message, place }: { readonly message: string; readonly place?: SqlPlace | number | undefined },
): ExpressionError {
  const named = typeof place === 'number' ? query.places[place] : place
  const [from, until] = named ?? query.place
  return new ExpressionError(message, text, { from, until })
}
