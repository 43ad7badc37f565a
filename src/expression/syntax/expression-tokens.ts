import { createToken, type TokenType } from 'chevrotain'

const token = (name: string, label: string, ...categories: TokenType[]): TokenType =>
  createToken({ name, label, categories })

/** What stands between two operands. */
export const Binary = token('Binary', 'an operator')
/** What stands before an operand. */
export const Prefix = token('Prefix', 'an operator')

export const Name = token('Name', 'a name')
export const QuotedName = token('QuotedName', 'a name in double quotes')
export const Text = token('Text', 'a text in quotes')
export const Numeral = token('Numeral', 'a number')
export const LeftParenthesis = token('LeftParenthesis', '"("')
export const RightParenthesis = token('RightParenthesis', '")"')
export const Comma = token('Comma', '","')
export const Dot = token('Dot', '"."')
export const Bars = token('Bars', '"||"', Binary)
export const Bang = token('Bang', '"!"', Prefix)
export const Not = token('Not', 'NOT', Prefix)
export const Is = token('Is', 'IS')
export const In = token('In', 'IN')
export const Like = token('Like', 'LIKE')
export const Between = token('Between', 'BETWEEN')
export const Null = token('Null', 'NULL')
export const True = token('True', 'TRUE')
export const False = token('False', 'FALSE')
export const Case = token('Case', 'CASE')
export const When = token('When', 'WHEN')
export const Then = token('Then', 'THEN')
export const Else = token('Else', 'ELSE')
export const End = token('End', 'END')
export const Cast = token('Cast', 'CAST')
export const As = token('As', 'AS')

const And = token('And', 'AND', Binary)
export const Or = token('Or', 'OR', Binary)
const Sign = token('Sign', '"+" or "-"', Binary, Prefix)
const Factor = token('Factor', 'an operator', Binary)
export const Star = token('Star', '"*"', Binary)
export const Comparison = token('Comparison', 'a comparison', Binary)

/** Words that are no names unless they are quoted. */
export const KEYWORDS: ReadonlyMap<string, TokenType> = new Map([
  ...[And, Or, Not, Is, In, Like, Between, Null, True, False].map(byWord),
  ...[Case, When, Then, Else, End, Cast, As].map(byWord),
])

function byWord(type: TokenType): [string, TokenType] {
  return [type.name.toUpperCase(), type]
}

/** Signs, the longest first where one begins like another. */
export const SIGNS: readonly (readonly [string, TokenType])[] = [
  ...(['<=', '>=', '<>', '!=', '=='] as const).map((sign) => [sign, Comparison] as const),
  ...([
    ['&&', And],
    ['||', Bars],
  ] as const),
  ...(['=', '<', '>'] as const).map((sign) => [sign, Comparison] as const),
  ...(['+', '-'] as const).map((sign) => [sign, Sign] as const),
  ...(['/', '%'] as const).map((sign) => [sign, Factor] as const),
  ...([
    ['*', Star],
    ['!', Bang],
    ['(', LeftParenthesis],
    [')', RightParenthesis],
  ] as const),
  ...([
    [',', Comma],
    ['.', Dot],
  ] as const),
]

/** Every kind of token that the grammar knows. */
export const VOCABULARY: TokenType[] = [
  Binary,
  Prefix,
  Name,
  QuotedName,
  Text,
  Numeral,
  ...KEYWORDS.values(),
  ...new Set(SIGNS.map(([, type]) => type)),
]
