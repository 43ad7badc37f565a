import { wordsOf } from '../words-of.ts'
import { inQuotes, syntaxError } from './syntax-error.ts'

type TokenKind =
  | 'identifier'
  | 'metric identifier'
  | 'keyword'
  | 'aggregation'
  | 'string'
  | 'number'
  | 'duration'
  | 'operator'
  | 'punctuation'
  | 'end'

export interface QueryToken {
  readonly kind: TokenKind
  /** As it is in the query. */
  readonly text: string
  /** In lower case for keywords, aggregations, and operators that are words. */
  readonly word: string
  readonly start: number
  readonly end: number
}

/** The aggregations. Those with a parameter take it as their first argument. */
const aggregations: ReadonlySet<string> = new Set(
  wordsOf(`
  sum avg count min max group stddev stdvar topk bottomk count_values quantile
  limitk limit_ratio
`),
)

const wordOperators = new Set(['and', 'or', 'unless', 'atan2'])

const keywords = new Set(
  wordsOf(`
  offset smoothed anchored by without on ignoring group_left group_right bool
  start end step range max_of min_of
`),
)

/** Keywords only before a parenthesis, so that metrics may have these names. */
const fillWords = new Set(['fill', 'fill_left', 'fill_right'])

const durationWords = new Set(['step', 'range', 'max_of', 'min_of'])

const symbolPattern = /==|!=|<=|<\/|>=|>\/|[-+*/%^<>=,()[\]{}@:]/y
const hexPattern = /0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*(?![0-9A-Za-z_.])/y
const numberPattern =
  /(?:[0-9]+(?:_[0-9]+)*(?:\.(?:[0-9]+(?:_[0-9]+)*)?)?|\.[0-9]+(?:_[0-9]+)*)(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?(?![0-9A-Za-z_.])/y
const durationPattern = /[0-9]+[smhdwy]s?(?:[0-9]+[smhdw]s?)*(?![0-9A-Za-z_])/y
const wordPattern = /[A-Za-z_:][A-Za-z0-9_:]*/y
const labelPattern = /[A-Za-z_][A-Za-z0-9_]*/y
const spacePattern = /(?:[ \t\r\n]+|#[^\r\n]*)+/y
const rawStringPattern = /`[^`]*`/y
const doubleStringPattern = /"(?:[^"\\\n]|\\.)*"/y
const singleStringPattern = /'(?:[^'\\\n]|\\.)*'/y

const arithmetic = new Set(['+', '-', '*', '/', '%', '^', '==', '!=', '<=', '<', '>=', '>'])
const histogramOperators = new Set(['</', '>/'])

/** Cuts a query into tokens, one at a time, because a brace or a bracket changes what follows. */
export class QueryLexer {
  readonly #query: string
  #at = 0
  #parens = 0
  #isInBraces = false
  #isInBrackets = false
  #hasColon = false

  constructor(query: string) {
    this.#query = query
  }

  next(): QueryToken {
    this.#match(spacePattern)
    const start = this.#at
    if (start >= this.#query.length) return this.#end(start)
    if (this.#isInBraces) return this.#nextInBraces(start)
    const char = this.#query[start]
    if (/[0-9]/.test(char) || (char === '.' && /[0-9]/.test(this.#query[start + 1] ?? ''))) {
      return this.#number(start)
    }
    if (char === '"' || char === "'" || char === '`') return this.#string(start)
    if (/[A-Za-z_]/.test(char) || (char === ':' && !this.#isInBrackets)) return this.#word(start)
    const symbol = this.#match(symbolPattern)
    if (symbol === undefined) throw this.#unexpected(start)
    return this.#symbol(symbol, start)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const text = pattern.exec(this.#query)?.[0]
    if (text !== undefined) this.#at += text.length
    return text
  }

  #token(kind: TokenKind, start: number): QueryToken {
    const text = this.#query.slice(start, this.#at)
    return { kind, text, word: text.toLowerCase(), start, end: this.#at }
  }

  #error(start: number, message: string): Error {
    return syntaxError(this.#query, start, message)
  }

  #unexpected(start: number, where = ''): Error {
    const char = String.fromCodePoint(this.#query.codePointAt(start) ?? 0)
    return this.#error(start, `unexpected character${where}: '${char}'`)
  }

  #end(start: number): QueryToken {
    if (this.#isInBraces) throw this.#error(start, 'unexpected end of input inside braces')
    if (this.#parens > 0) throw this.#error(start, 'unclosed left parenthesis')
    if (this.#isInBrackets) throw this.#error(start, 'unclosed left bracket')
    return { kind: 'end', text: '', word: '', start, end: start }
  }

  #number(start: number): QueryToken {
    if ((this.#match(hexPattern) ?? this.#match(numberPattern)) !== undefined)
      return this.#token('number', start)
    if (this.#match(durationPattern) !== undefined) return this.#token('duration', start)
    const text = /^[0-9A-Za-z_.]*/.exec(this.#query.slice(start, start + 40))?.[0] ?? ''
    throw this.#error(start, `bad number or duration syntax: ${inQuotes(text)}`)
  }

  #string(start: number): QueryToken {
    const char = this.#query[start]
    const pattern =
      char === '`' ? rawStringPattern : char === '"' ? doubleStringPattern : singleStringPattern
    if (this.#match(pattern) !== undefined) return this.#token('string', start)
    throw this.#error(start, `unterminated ${char === '`' ? 'raw' : 'quoted'} string`)
  }

  #word(start: number): QueryToken {
    const text = this.#match(wordPattern) ?? ''
    const word = text.toLowerCase()
    if (this.#isInBrackets && !durationWords.has(word)) throw this.#unexpected(start)
    if (word === 'inf' || word === 'nan') return this.#token('number', start)
    if (wordOperators.has(word)) return this.#token('operator', start)
    if (aggregations.has(word)) return this.#token('aggregation', start)
    if (keywords.has(word)) return this.#token('keyword', start)
    if (fillWords.has(word) && /^[ \t\r\n]*\(/.test(this.#query.slice(this.#at))) {
      return this.#token('keyword', start)
    }
    return this.#token(text.includes(':') ? 'metric identifier' : 'identifier', start)
  }

  #symbol(symbol: string, start: number): QueryToken {
    if (arithmetic.has(symbol) || histogramOperators.has(symbol)) {
      return this.#token('operator', start)
    }
    if (symbol === '(') this.#parens++
    if (symbol === ')' && --this.#parens < 0) {
      throw this.#error(start, "unexpected right parenthesis ')'")
    }
    if (symbol === '{') this.#isInBraces = true
    if (symbol === '[') {
      if (this.#isInBrackets) throw this.#error(start, "unexpected left bracket '['")
      this.#isInBrackets = true
      this.#hasColon = false
    }
    if (symbol === ']') {
      if (!this.#isInBrackets) throw this.#error(start, "unexpected right bracket ']'")
      this.#isInBrackets = false
    }
    if (symbol === ':') {
      if (this.#hasColon) throw this.#error(start, "unexpected colon ':'")
      this.#hasColon = true
    }
    if (symbol === '}' || (symbol === '=' && this.#query[this.#at] === '~')) {
      throw this.#unexpected(symbol === '=' ? this.#at : start, symbol === '=' ? " after '='" : '')
    }
    return this.#token('punctuation', start)
  }

  #nextInBraces(start: number): QueryToken {
    const char = this.#query[start]
    if (char === '"' || char === "'" || char === '`') return this.#string(start)
    if (this.#match(labelPattern) !== undefined) return this.#token('identifier', start)
    const two = this.#query.slice(start, start + 2)
    if (two === '=~' || two === '!~' || two === '!=') {
      this.#at += 2
      return this.#token('operator', start)
    }
    this.#at++
    if (char === '=') return this.#token('operator', start)
    if (char === ',') return this.#token('punctuation', start)
    if (char === '}') {
      this.#isInBraces = false
      return this.#token('punctuation', start)
    }
    throw this.#unexpected(start, ' inside braces')
  }
}
