/** Errors of GS SQL as callers see them: always with a place in the text. */
import { Refusal, refusal } from '../base/index.ts'
import { ExpressionError } from '../expression/index.ts'
import { type CompiledSql, failureAt, SqlRunError } from '../sql/index.ts'
import type { InsertRows } from './insert-rows.ts'

/** What runs GS SQL is started again in less. */
const RETRY_AFTER_SECONDS = 5

type PlacedCode = 'bad_sql' | 'sql_error'

/** The refusal of a mistake that has its place in a text. */
export function mistakeRefusal(mistake: ExpressionError, code: PlacedCode): Refusal {
  const { message: what, line, column, pointer } = mistake
  return refusal(code, { what, place: { line, column, pointer } })
}

/** A refusal of samples with the place of their INSERT, where the statement can be made better; others stay as they are. */
export function placedRefusal(error: unknown, program: CompiledSql, inserts: InsertRows): unknown {
  if (!(error instanceof Refusal) || !isOfStatement(error)) return error
  const { query } = program.statements[inserts.statementOf(error)]
  const { line, column, pointer } = failureAt(program.text, query, { message: error.message })
  return new Refusal(error.code, error.message, { place: { line, column, pointer } })
}

function isOfStatement({ code, status }: Refusal): boolean {
  return status === 400 || status === 404 || code === 'too_many_samples'
}

/** The error of a failed run: a refusal for errors of the statements or their runner, else the error itself. */
export function runRefusal(error: unknown, program: CompiledSql): unknown {
  if (!(error instanceof SqlRunError)) return error
  const { message, reason, place } = error
  if (reason === 'crash' || reason === 'wait') {
    return refusal('sql_unavailable', { what: message, retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
  // Of what takes too long it is not known which statement it was.
  const [from, until] = place ?? program.statements[0].query.place
  return mistakeRefusal(new ExpressionError(message, program.text, { from, until }), 'sql_error')
}
