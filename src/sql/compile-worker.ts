/** The thread that compiles long texts of GS SQL. */
import { serveThread } from '../base/plain.ts'
import { ExpressionError, type Span } from '../expression/index.ts'
import { compileGsSql } from './compile-gs-sql.ts'
import type { CompileAnswer, CompileRequest } from './compile-thread.ts'

function answer({ text, options }: CompileRequest): CompileAnswer {
  try {
    return { program: compileGsSql(text, options) }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return { mistake: { message: error.message, span: spanOf(error, text) } }
  }
}

/** Where a mistake stands, from its line and column. */
function spanOf({ line, column, length }: ExpressionError, text: string): Span {
  let lineStart = 0
  for (let at = 1; at < line; at++) lineStart = text.indexOf('\n', lineStart) + 1
  const from = lineStart + column - 1
  return { from, until: from + length }
}

serveThread(answer)
