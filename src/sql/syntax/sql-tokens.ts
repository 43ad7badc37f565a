import { createToken, type TokenType } from 'chevrotain'
import { loadSyntax } from '../../expression/index.ts'
import { SOFT_WORDS, SQL_KEYWORDS } from './sql-words.ts'

const { tokens } = loadSyntax()

const word = (name: string, categories: TokenType[] = []): [string, TokenType] => [
  name,
  createToken({ name: `Sql${name}`, label: name, categories }),
]

const hard = new Map(SQL_KEYWORDS.map((name) => word(name)))
const soft = new Map(SOFT_WORDS.map((name) => word(name, [tokens.Name])))

export const Semicolon = createToken({ name: 'Semicolon', label: '";"' })

/** The token of a word of SQL. */
export function keyword(
  name: (typeof SQL_KEYWORDS)[number] | (typeof SOFT_WORDS)[number],
): TokenType {
  return (hard.get(name) ?? soft.get(name)) as TokenType
}

/** What each word of GS SQL is read as. */
export const SQL_WORDS: ReadonlyMap<string, TokenType> = new Map([
  ...tokens.KEYWORDS,
  ...hard,
  ...soft,
])

/** The signs of GS SQL. */
export const SQL_SIGNS: readonly (readonly [string, TokenType])[] = [
  ...tokens.SIGNS,
  [';', Semicolon],
]

/** Every kind of token that the grammar knows. */
export const SQL_VOCABULARY: TokenType[] = [
  ...new Set([...tokens.VOCABULARY, ...hard.values(), ...soft.values(), Semicolon]),
]
