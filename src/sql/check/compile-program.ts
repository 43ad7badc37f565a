import { ExpressionError } from '../../expression/index.ts'
import type { CompiledSql, CompiledStatement } from '../compiled-sql.ts'
import { type GsSqlOptions, SYSTEM_VARIABLES } from '../gs-sql-options.ts'
import { readSql } from '../syntax/read-sql.ts'
import { compileQuery } from './compile-query.ts'
import { compileStatement } from './compile-statement.ts'
import { ProgramVariables } from './statement-context.ts'

/**
 * Limits for compiling a text again after columns turned out to be conditions: the number of times, and the characters
 * in all.
 */
const READINGS_MAX = 50
const READ_CHARACTERS_MAX = 2_000_000

/** Compiles a text; throws ExpressionError at the first mistake. */
export function compileProgram(text: string, options: GsSqlOptions): CompiledSql {
  const readingsMax = Math.min(READINGS_MAX, Math.ceil(READ_CHARACTERS_MAX / (text.length + 1)))
  let conditions: ReadonlySet<number> = new Set()
  for (let reading = 1; ; reading++) {
    const found = new Set<number>()
    const result = compileOnce(text, options, { conditions, found })
    // Whether || is OR depends on the types of columns, which are known only when all is read.
    const open = text.includes('||') ? [...found].filter((from) => !conditions.has(from)) : []
    if (open.length === 0) {
      if (result instanceof ExpressionError) throw result
      return result
    }
    if (reading === readingsMax) {
      const [from] = open.sort((a, b) => a - b)
      throw new ExpressionError('Too many || operators. Write OR', text, {
        from,
        until: from + 1,
      })
    }
    conditions = new Set([...conditions, ...found])
  }
}

function compileOnce(
  text: string,
  options: GsSqlOptions,
  { conditions, found }: { conditions: ReadonlySet<number>; found: Set<number> },
): CompiledSql | ExpressionError {
  const variables = new ProgramVariables()
  const given = options.variables ?? SYSTEM_VARIABLES
  for (const [name, type] of Object.entries(given)) variables.define(name, type)
  const program = {
    text,
    timeZoneId: options.timeZoneId ?? 'UTC',
    variables,
    compileQuery,
    stored: options.stored ?? {},
    conditions: found,
  }
  const statements: CompiledStatement[] = []
  let mistake: ExpressionError | undefined
  for (const tree of readSql(text, conditions)) {
    try {
      statements.push(compileStatement(program, tree))
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      // What stands behind it is looked at as well: which columns are conditions.
      mistake ??= error
    }
  }
  return mistake ?? { text, variables: variables.names, statements }
}
