/**
 * The text of an expression as tokens. Written by hand, not with Chevrotain's lexer: names of every
 * script, and texts and comments that never end, are read in linear time and reported with their place.
 */
import { createTokenInstance, type IToken, type TokenType } from 'chevrotain'
import { ExpressionError } from '../expression-error.ts'
import { KEYWORDS, Name, Numeral, QuotedName, SIGNS, Text } from './expression-tokens.ts'
import { EXPRESSION_LENGTH_MAX } from './syntax-limits.ts'

const NAME = /[\p{L}_@][\p{L}\p{M}\p{N}_$]*/uy
const NUMERAL = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const BLANKS = /[\s\u{FEFF}]+/uy

/** The words and signs of a language, and how long a text of it may be. */
export interface ScanVocabulary {
  /** What the text is, in messages: "expression". */
  readonly what: string
  readonly keywords: ReadonlyMap<string, TokenType>
  readonly signs: readonly (readonly [string, TokenType])[]
  readonly lengthMax: number
}

const EXPRESSION_VOCABULARY: ScanVocabulary = {
  what: 'expression',
  keywords: KEYWORDS,
  signs: SIGNS,
  lengthMax: EXPRESSION_LENGTH_MAX,
}

/** Splits a text into tokens without blanks and comments; throws ExpressionError where none fits. */
export function scanExpression(text: string, vocabulary = EXPRESSION_VOCABULARY): IToken[] {
  refuseText(text, vocabulary)
  const tokens: IToken[] = []
  for (let at = skipBlanks(text, 0); at < text.length; ) {
    const { type, end } = scanToken(text, at, vocabulary)
    tokens.push(tokenOf(type, text, at, end))
    at = skipBlanks(text, end)
  }
  return tokens
}

function tokenOf(type: TokenType, text: string, from: number, until: number): IToken {
  return createTokenInstance(type, text.slice(from, until), from, until, 0, 0, 0, 0)
}

function refuseText(text: string, { what, lengthMax }: ScanVocabulary): void {
  if (text.length > lengthMax) {
    const problem = `The ${what} has ${text.length} characters, at most ${lengthMax} are allowed. Split it`
    throw new ExpressionError(problem, text.slice(0, 100), { from: 0, until: 0 })
  }
  const nul = text.indexOf('\0')
  if (nul >= 0) {
    const problem = 'The character U+0000 is not allowed. Remove it'
    throw new ExpressionError(problem, text, { from: nul, until: nul + 1 })
  }
  if (text.isWellFormed()) return
  const at = firstDifference(text, text.toWellFormed())
  const problem = 'An unpaired surrogate is not a character. Remove it'
  throw new ExpressionError(problem, text, { from: at, until: at + 1 })
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (one[at] === other[at]) at += 1
  return at
}

/** Where the next token begins, behind blanks and comments. */
function skipBlanks(text: string, start: number): number {
  let at = start
  for (;;) {
    at = endOf(BLANKS, text, at) ?? at
    if (text.startsWith('--', at)) {
      const end = text.indexOf('\n', at)
      if (end < 0) return text.length
      at = end
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      if (end < 0) {
        throw new ExpressionError('This comment is not closed. Add */', text, {
          from: at,
          until: at + 2,
        })
      }
      at = end + 2
    } else return at
  }
}

function scanToken(
  text: string,
  at: number,
  { keywords, signs }: ScanVocabulary,
): { type: TokenType; end: number } {
  const nameEnd = endOf(NAME, text, at)
  if (nameEnd !== undefined) {
    const word = text.slice(at, nameEnd)
    // Only plain letters make keywords: in capitals ı is I as well.
    const keyword = /^[A-Za-z_]+$/.test(word) ? keywords.get(word.toUpperCase()) : undefined
    return { type: keyword ?? Name, end: nameEnd }
  }
  const numeralEnd = endOf(NUMERAL, text, at)
  if (numeralEnd !== undefined) return { type: Numeral, end: numeralEnd }
  if (text[at] === "'") return { type: Text, end: quotedEnd(text, at) }
  if (text[at] === '"') return { type: QuotedName, end: quotedEnd(text, at) }
  for (const [sign, type] of signs) {
    if (text.startsWith(sign, at)) return { type, end: at + sign.length }
  }
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
  const span = { from: at, until: at + char.length }
  const code = char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  throw new ExpressionError(
    `Unexpected character ${JSON.stringify(char)} (U+${code}). Put texts and names with special characters in quotes`,
    text,
    span,
  )
}

/** Where a quoted text ends; its quote, twice, stands for one in it. */
function quotedEnd(text: string, start: number): number {
  const quote = text[start]
  for (let at = start + 1; ; ) {
    const end = text.indexOf(quote, at)
    if (end < 0) {
      const problem = `This text is not closed. Add ${quote} at the end. Write ${quote}${quote} for a quote inside`
      throw new ExpressionError(problem, text, { from: start, until: start + 1 })
    }
    if (text[end + 1] !== quote) return end + 1
    at = end + 2
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
