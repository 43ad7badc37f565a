import { createRequire } from 'node:module'
import type { CompiledSql } from './compiled-sql.ts'
import type { GsSqlOptions } from './gs-sql-options.ts'

type Compiler = typeof import('./check/compile-program.ts')

const load = createRequire(import.meta.url)
let compiler: Compiler | undefined

/**
 * Compiles GS SQL to plain data that a runner takes; throws ExpressionError with the line, the column
 * and a pointer at the first mistake. The compiler is loaded when the first text comes.
 */
export function compileGsSql(text: string, options: GsSqlOptions = {}): CompiledSql {
  compiler ??= load('./check/compile-program.ts') as Compiler
  return compiler.compileProgram(text, options)
}
