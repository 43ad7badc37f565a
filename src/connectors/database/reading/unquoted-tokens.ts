/** Cuts SQL of several databases into what can mean something: words and marks, without what is quoted or commented out. */

/** In which ways databases differ about quotes and comments. */
export interface SqlDialect {
  /** Quotes in which a backslash takes the next character with it. */
  readonly backslashed: string
  /** Quotes by the character that opens them, each with the one that closes them; twice inside is itself. */
  readonly quotes: Readonly<Record<string, string>>
  /** `#` begins a comment, and `--` only with a space behind it. */
  readonly hasHashComments: boolean
  /** Comments may lie in comments. */
  readonly nestsComments: boolean
}

/** Something that is neither quoted nor a space. */
export interface SqlToken {
  readonly kind: 'word' | 'mark' | 'comment'
  readonly text: string
  /** Where it begins. */
  readonly at: number
}

const WORD = /[\p{L}\p{N}\p{M}_$@]+/uy
const SPACE = /\s+/y

/** The tokens of a statement in their order; an opened quote or comment that is not closed reaches to the end. */
export function* sqlTokens(sql: string, dialect: SqlDialect): Generator<SqlToken, void> {
  let at = 0
  while (at < sql.length) {
    const start = at
    const space = matchAt(SPACE, sql, at)
    const close = dialect.quotes[sql[at]]
    const commentEnd = space > 0 ? undefined : endOfComment(sql, at, dialect)
    if (space > 0) {
      at += space
    } else if (commentEnd !== undefined) {
      at = commentEnd
      yield { kind: 'comment', text: sql.slice(start, at), at: start }
    } else if (close !== undefined) {
      at = endOfQuoted(sql, at + 1, { close, isBackslashed: dialect.backslashed.includes(close) })
    } else {
      const length = matchAt(WORD, sql, at)
      at += Math.max(1, length)
      yield { kind: length > 0 ? 'word' : 'mark', text: sql.slice(start, at), at: start }
    }
  }
}

function matchAt(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(sql)?.[0].length ?? 0
}

/** Behind the comment that begins here; undefined where none begins. */
function endOfComment(sql: string, at: number, dialect: SqlDialect): number | undefined {
  if (sql.startsWith('/*', at)) return endOfBlock(sql, at, dialect.nestsComments)
  const isDashed = sql.startsWith('--', at)
  const behind = sql.charCodeAt(at + 2)
  const isSpaced = Number.isNaN(behind) || behind <= 0x20 || behind === 0x7f
  const isLine = dialect.hasHashComments ? sql[at] === '#' || (isDashed && isSpaced) : isDashed
  if (!isLine) return undefined
  const end = sql.indexOf('\n', at)
  return end < 0 ? sql.length : end + 1
}

function endOfBlock(sql: string, start: number, isNesting: boolean): number {
  let depth = 1
  let at = start + 2
  for (;;) {
    const close = sql.indexOf('*/', at)
    if (close < 0) return sql.length
    const open = isNesting ? sql.indexOf('/*', at) : -1
    if (open >= 0 && open < close) {
      depth += 1
      at = open + 2
    } else {
      depth -= 1
      at = close + 2
      if (depth === 0) return at
    }
  }
}

function endOfQuoted(
  sql: string,
  from: number,
  { close, isBackslashed }: { readonly close: string; readonly isBackslashed: boolean },
): number {
  for (let at = from; at < sql.length; at += 1) {
    if (isBackslashed && sql[at] === '\\') at += 1
    else if (sql[at] === close) {
      if (sql[at + 1] !== close) return at + 1
      at += 1
    }
  }
  return sql.length
}
