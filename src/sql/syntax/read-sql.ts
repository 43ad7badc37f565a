import { type IToken, tokenMatcher } from 'chevrotain'
import { ExpressionError, isCondition, loadSyntax } from '../../expression/index.ts'
import { GS_SQL_LENGTH_MAX } from './gs-sql-limits.ts'
import { SqlGrammar } from './sql-grammar.ts'
import { Semicolon, SQL_SIGNS, SQL_WORDS } from './sql-tokens.ts'
import type { Statement } from './sql-tree.ts'
import { FOREIGN_STATEMENTS } from './sql-words.ts'

const VOCABULARY = {
  what: 'text',
  keywords: SQL_WORDS,
  signs: SQL_SIGNS,
  lengthMax: GS_SQL_LENGTH_MAX,
}

let grammar: SqlGrammar | undefined

/**
 * Reads the statements of a text; throws ExpressionError where it cannot. `conditions` are the offsets
 * of columns that are known to be conditions, by which || between them is OR.
 */
export function readSql(text: string, conditions: ReadonlySet<number> = new Set()): Statement[] {
  const tokens = loadSyntax().scanExpression(text, VOCABULARY)
  refuseForeign(text, tokens)
  grammar ??= new SqlGrammar()
  const statements = grammar.readStatements(text, tokens, {
    conditions,
    isCondition: (node) => isCondition(node, () => false),
  })
  if (statements.length > 0) return statements
  const problem = 'There is no statement: write one, such as SELECT 1'
  throw new ExpressionError(problem, text, { from: 0, until: 0 })
}

const STATEMENTS =
  'GS SQL has SET, SELECT and INSERT OR REPLACE INTO SAMPLE, each perhaps behind WITH'

/** Names what begins no statement of GS SQL, before the grammar looks for anything else in it. */
function refuseForeign(text: string, tokens: readonly IToken[]): void {
  for (const [index, token] of tokens.entries()) {
    const isFirst = index === 0 || tokenMatcher(tokens[index - 1], Semicolon)
    const word = token.image.toUpperCase()
    if (!isFirst || ['SET', 'SELECT', 'INSERT', 'WITH', ';'].includes(word)) continue
    const shown = word.length > 40 ? `${word.slice(0, 40)}…` : word
    const isKnown = FOREIGN_STATEMENTS.has(word)
    const what = isKnown
      ? `GS SQL does not support ${word}`
      : `${JSON.stringify(shown)} is not the start of a statement`
    const span = { from: token.startOffset, until: token.endOffset ?? token.startOffset }
    throw new ExpressionError(`${what}: ${STATEMENTS}`, text, span)
  }
}
