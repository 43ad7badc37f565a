import { EOF, type IParserErrorMessageProvider, type IToken, tokenMatcher } from 'chevrotain'
import { loadSyntax } from '../../expression/index.ts'
import { Semicolon, SQL_WORDS } from './sql-tokens.ts'

const { tokens: t } = loadSyntax()

const VALUE =
  'a value is expected: a number, a text in quotes, a column, a variable, a function or "("'
const NAME = 'a name is expected'
const TABLE = 'a table is expected: a name, JSON_TABLE, CSV_TABLE or a query in parentheses'

/** What rules expect where no alternative fits. */
const EXPECTED: Readonly<Record<string, string>> = {
  otherTest: 'IN, LIKE or BETWEEN is expected behind NOT',
  caseOf: 'WHEN is expected',
  queryStatement: 'SELECT or INSERT is expected behind WITH',
  tableItem: TABLE,
  joinClause: 'JOIN is expected',
  joinOn: 'ON or USING is expected',
  sqlName: NAME,
  names: NAME,
  jsonTable: NAME,
  insertOptions: NAME,
  commonTables: NAME,
  csvTable: 'a position is expected, a whole number from 1',
}

/** What the grammar of GS SQL says of a token that does not fit, and what to write instead. */
export const sqlMessages: IParserErrorMessageProvider = {
  buildMismatchTokenMessage({ expected, actual, previous, ruleName }) {
    if (previous.image.toUpperCase() === 'INSERT') {
      return `${found(actual)}: write INSERT OR REPLACE INTO SAMPLE(…): a sample at the same time is replaced`
    }
    if (tokenMatcher(actual, Semicolon) && ruleName !== 'program') {
      return `The statement ends too early: ${expected.LABEL ?? expected.name} is expected before ";"`
    }
    return `${found(actual)}: ${expected.LABEL ?? expected.name} is expected${adviceOn(actual)}`
  },
  buildNotAllInputParsedMessage({ firstRedundant }) {
    const word = firstRedundant.image.toUpperCase()
    if (tokenMatcher(firstRedundant, t.RightParenthesis)) {
      return 'There is no "(" to this ")": take it away, or write "(" before'
    }
    if (['SELECT', 'INSERT', 'SET', 'WITH'].includes(word)) {
      return `${found(firstRedundant)}: write ";" between two statements`
    }
    if (word === 'INTERSECT' || word === 'EXCEPT')
      return `${word} is not in GS SQL: use IN or EXISTS`
    if (word === 'OVER') return 'Window functions are not in GS SQL: use GROUP BY or a subquery'
    if (word === ',') return `${found(firstRedundant)}: in LIMIT write LIMIT count OFFSET start`
    return `${found(firstRedundant)}: an operator, a clause or ";" is expected${adviceOn(firstRedundant)}`
  },
  buildNoViableAltMessage({ actual, ruleName }) {
    const [token] = actual
    return `${found(token)}: ${EXPECTED[ruleName] ?? VALUE}${adviceOn(token)}`
  },
  buildEarlyExitMessage({ actual, ruleName }) {
    return `${found(actual[0])}: ${EXPECTED[ruleName] ?? VALUE}${adviceOn(actual[0])}`
  },
}

function found(token: IToken): string {
  if (tokenMatcher(token, EOF)) return 'The text ends too early'
  if (tokenMatcher(token, Semicolon)) return 'The statement ends too early'
  const shown = token.image.length > 40 ? `${token.image.slice(0, 40)}…` : token.image
  return `${JSON.stringify(shown)} does not fit here`
}

function adviceOn(token: IToken): string {
  const isWord = SQL_WORDS.has(token.image.toUpperCase()) && !tokenMatcher(token, t.Name)
  return isWord ? '; a column of this name stands in double quotes' : ''
}
