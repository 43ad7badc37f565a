/**
 * Refuses statements that could end the transaction in which they run, and so write in spite of it, before
 * they are sent. What is inside a transaction that only reads is held by the server itself.
 */
import { DatabaseFailure } from '../database-port.ts'
import { placeAt } from '../text-place.ts'
import { type SqlDialect, type SqlToken, sqlTokens } from './unquoted-tokens.ts'

/** What modes of a MySQL or MariaDB session say about quotes. */
interface MysqlModes {
  readonly hasBackslashes: boolean
  /** Double quotes enclose names, in which a backslash is one. */
  readonly hasAnsiQuotes: boolean
}

const MYSQL_FIRST = /^(?:SELECT|WITH|VALUES|TABLE|SHOW|DESC|DESCRIBE|EXPLAIN)$/i
const ORACLE_FIRST = /^(?:SELECT|WITH)$/i
const SQLSERVER_FIRST = /^(?:SELECT|WITH|DECLARE|SET)$/i
/** Reserved words, so that none is a name unless quoted; a number may stand right before them. */
const SQLSERVER_REFUSED =
  /^(?:[$\d]\w*?)?(?:COMMIT|ROLLBACK|EXEC|EXECUTE|INSERT|UPDATE|DELETE|TRUNCATE|CREATE|ALTER|DROP|GRANT|REVOKE|DENY|BACKUP|RESTORE|KILL|SHUTDOWN|RECONFIGURE|DBCC)$/i

/** Refuses what MySQL or MariaDB could be made to write by; modes are those of the session. */
export function requireMysqlReading(sql: string, modes: MysqlModes): void {
  const { hasBackslashes, hasAnsiQuotes } = modes
  const tokens = [
    ...sqlTokens(sql, {
      quotes: { "'": "'", '"': '"', '`': '`' },
      hasHashComments: true,
      nestsComments: false,
      backslashed: hasBackslashes ? (hasAnsiQuotes ? "'" : `'"`) : '',
    }),
  ]
  const odd = tokens.find(({ kind, text }) => kind === 'comment' && isReadByServer(text))
  if (odd !== undefined) refuseAt(sql, odd, 'executable comments (/*! … */) are not allowed')
  const meant = tokens.filter(({ kind }) => kind !== 'comment')
  const first = requireFirst(sql, meant, MYSQL_FIRST)
  const second = meant[meant.indexOf(first) + 1]
  if (/^(?:DESC|DESCRIBE|EXPLAIN)$/i.test(first.text) && /^ANALYZE$/i.test(second?.text ?? '')) {
    refuseAt(sql, second, 'EXPLAIN ANALYZE runs the statement')
  }
  for (const [at, token] of meant.entries()) {
    // A number may stand right before INTO.
    const next = meant[at + 1]?.text ?? ''
    if (/INTO$/i.test(token.text) && /^(?:OUTFILE|DUMPFILE)$/i.test(next)) {
      refuseAt(sql, token, `INTO ${next.toUpperCase()} writes a file`)
    }
  }
}

/** Refuses what Oracle could be made to write by: blocks may commit, and so may functions that come with a query. */
export function requireOracleReading(sql: string): void {
  const meant = [...sqlTokens(sql, plain(false))].filter(({ kind }) => kind !== 'comment')
  const first = requireFirst(sql, meant, ORACLE_FIRST)
  const second = meant[meant.indexOf(first) + 1]
  const isDeclared = /^(?:FUNCTION|PROCEDURE)$/i.test(second?.text ?? '')
  if (/^WITH$/i.test(first.text) && isDeclared) {
    refuseAt(sql, second, 'inline functions can write')
  }
}

/** Refuses the words by which SQL Server ends the transaction that is to be rolled back, or does what no rollback undoes. */
export function requireSqlserverReading(sql: string): void {
  const tokens = [...sqlTokens(sql, plain(true))]
  // No documentation says whether a carriage return alone ends such a comment.
  const odd = tokens.find(({ text }) => /^--.*\r(?!\n)/s.test(text))
  if (odd !== undefined) refuseAt(sql, odd, 'line comments must end with a line feed')
  const meant = tokens.filter(({ kind }) => kind !== 'comment')
  requireFirst(sql, meant, SQLSERVER_FIRST)
  const refused = meant.find(({ text }) => SQLSERVER_REFUSED.test(text))
  if (refused !== undefined) refuseAt(sql, refused, `${refused.text.slice(0, 30)} is not allowed`)
}

function plain(nestsComments: boolean): SqlDialect {
  const brackets: Readonly<Record<string, string>> = nestsComments ? { '[': ']' } : {}
  return {
    quotes: { "'": "'", '"': '"', ...brackets },
    backslashed: '',
    hasHashComments: false,
    nestsComments,
  }
}

/** Executed comments, and hints that hold quotes: those may end elsewhere than they seem to. */
function isReadByServer(comment: string): boolean {
  return /^\/\*M?!/.test(comment) || /^\/\*\+.*['"`]/s.test(comment)
}

/** The first word, behind parentheses; refuses another than those that read. */
function requireFirst(sql: string, tokens: readonly SqlToken[], allowed: RegExp): SqlToken {
  const first = tokens.find(({ text }) => text !== '(')
  if (first === undefined) throw new DatabaseFailure('sql', 'The statement is blank')
  if (allowed.test(first.text)) return first
  const word = first.text.slice(0, 30).toUpperCase()
  return refuseAt(sql, first, `statements that start with ${word} are not allowed`)
}

function refuseAt(sql: string, { at }: SqlToken, what: string): never {
  const message = `External SQL only reads: ${what}. Write one SELECT (or WITH … SELECT)`
  throw new DatabaseFailure('sql', message, { place: placeAt(sql, [...sql.slice(0, at)].length) })
}
