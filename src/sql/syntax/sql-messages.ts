import { EOF, type IParserErrorMessageProvider, type IToken, tokenMatcher } from 'chevrotain'
import { loadSyntax } from '../../expression/index.ts'
import { Semicolon, SQL_WORDS } from './sql-tokens.ts'

const { tokens: t } = loadSyntax()

const VALUE =
  'expected a value: a number, a text in quotes, a column, a variable, a function, or "("'
const NAME = 'expected a name'
const TABLE = 'expected a table: a name, JSON_TABLE, CSV_TABLE, or a query in parentheses'

/** What rules expect where no alternative fits. */
const EXPECTED: Readonly<Record<string, string>> = {
  otherTest: 'expected IN, LIKE, or BETWEEN after NOT',
  caseOf: 'expected WHEN',
  queryStatement: 'expected SELECT or INSERT after WITH',
  tableItem: TABLE,
  joinClause: 'expected JOIN',
  joinOn: 'expected ON or USING',
  sqlName: NAME,
  names: NAME,
  jsonTable: NAME,
  insertOptions: NAME,
  commonTables: NAME,
  csvTable: 'expected a position, an integer of at least 1',
}

/** What the grammar of GS SQL says of a token that does not fit, and what to write instead. */
export const sqlMessages: IParserErrorMessageProvider = {
  buildMismatchTokenMessage({ expected, actual, previous, ruleName }) {
    if (previous.image.toUpperCase() === 'INSERT') {
      return `${found(actual)}. Write INSERT OR REPLACE INTO SAMPLE(…), which replaces a sample with the same time`
    }
    if (tokenMatcher(actual, Semicolon) && ruleName !== 'program') {
      return `The statement is incomplete: expected ${expected.LABEL ?? expected.name} before ";"`
    }
    return `${found(actual)}: expected ${expected.LABEL ?? expected.name}${adviceOn(actual)}`
  },
  buildNotAllInputParsedMessage({ firstRedundant }) {
    const word = firstRedundant.image.toUpperCase()
    if (tokenMatcher(firstRedundant, t.RightParenthesis)) {
      return 'This ")" has no matching "(". Remove it, or add "("'
    }
    if (['SELECT', 'INSERT', 'SET', 'WITH'].includes(word)) {
      return `${found(firstRedundant)}. Separate statements with ";"`
    }
    if (word === 'INTERSECT' || word === 'EXCEPT')
      return `GS SQL does not support ${word}. Use IN or EXISTS`
    if (word === 'OVER')
      return 'GS SQL does not support window functions. Use GROUP BY or a subquery'
    if (word === ',') return `${found(firstRedundant)}. Write LIMIT count OFFSET start`
    return `${found(firstRedundant)}: expected an operator, a clause, or ";"${adviceOn(firstRedundant)}`
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
  if (tokenMatcher(token, EOF)) return 'The query is incomplete'
  if (tokenMatcher(token, Semicolon)) return 'The statement is incomplete'
  const shown = token.image.length > 40 ? `${token.image.slice(0, 40)}…` : token.image
  return `Unexpected ${JSON.stringify(shown)}`
}

function adviceOn(token: IToken): string {
  const isWord = SQL_WORDS.has(token.image.toUpperCase()) && !tokenMatcher(token, t.Name)
  return isWord ? '. Put a column of this name in double quotes' : ''
}
