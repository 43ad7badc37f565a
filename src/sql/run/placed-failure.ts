import type { CompiledQuery, SqlPlace } from '../compiled-sql.ts'
import { SqlFailure } from '../sql-failure.ts'
import { SQL_TEXT_BYTES_MAX } from './sql-limits.ts'

/** A failure of a run, with the stretch of the program's text that is meant. */
export class PlacedFailure extends Error {
  readonly place: SqlPlace

  constructor(problem: string, place: SqlPlace, cause: unknown) {
    super(problem, { cause })
    this.name = 'PlacedFailure'
    this.place = place
  }
}

/** SQLite's codes of results, as far as a SELECT in memory can meet them. */
const NO_MEMORY = 7
const TOO_BIG = 18
const NOT_ALLOWED = 23

/** Gives a failure its place, unless it has one: where a function says, else the whole query. */
export function placeFailure(
  error: unknown,
  { place, places }: Pick<CompiledQuery, 'place' | 'places'>,
): PlacedFailure {
  if (error instanceof PlacedFailure) return error
  if (error instanceof SqlFailure) {
    const found = error.place === undefined ? undefined : places[error.place]
    return new PlacedFailure(error.message, found ?? place, error)
  }
  return new PlacedFailure(problemOf(error), place, error)
}

/** What went wrong in words of our own, as far as it is known. */
function problemOf(error: unknown): string {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message: string }
  if (code !== 'ERR_SQLITE_ERROR') return `Cannot run this: ${message}`
  // A function that is not allowed has the code of any mistake.
  const result = message.startsWith('not authorized') ? NOT_ALLOWED : (errcode ?? 0) & 0xff
  switch (result) {
    case NO_MEMORY:
      return 'Cannot run this: it needs more memory than a run can use'
    case TOO_BIG:
      return `Cannot run this: a text is longer than ${SQL_TEXT_BYTES_MAX} bytes`
    case NOT_ALLOWED:
      return 'Cannot run this: it uses a feature that GS SQL does not support'
    default:
      return `Cannot run this: ${message}`
  }
}
