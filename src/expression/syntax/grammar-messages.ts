import { EOF, type IParserErrorMessageProvider, type IToken, tokenMatcher } from 'chevrotain'
import { KEYWORDS, RightParenthesis } from './expression-tokens.ts'

const VALUE = 'a number, a text in quotes, a variable, a function or "(" is expected'

/** What the grammar says of a token that does not fit, and what to write instead. */
export const grammarMessages: IParserErrorMessageProvider = {
  buildMismatchTokenMessage({ expected, actual }) {
    const wanted = expected.LABEL ?? expected.name
    return `${found(actual)}: ${wanted} is expected${adviceOn(actual)}`
  },
  buildNotAllInputParsedMessage({ firstRedundant }) {
    if (tokenMatcher(firstRedundant, RightParenthesis)) {
      return 'There is no "(" to this ")": take it away, or write "(" before'
    }
    return `${found(firstRedundant)}: an operator such as + is expected before it${adviceOn(firstRedundant)}`
  },
  buildNoViableAltMessage({ actual, ruleName }) {
    const wanted = ruleName === 'otherTest' ? 'IN, LIKE or BETWEEN is expected behind NOT' : VALUE
    return `${found(actual[0])}: ${wanted}${adviceOn(actual[0])}`
  },
  buildEarlyExitMessage({ actual, ruleName }) {
    const wanted = ruleName === 'caseOf' ? 'WHEN is expected' : VALUE
    return `${found(actual[0])}: ${wanted}${adviceOn(actual[0])}`
  },
}

function found(token: IToken): string {
  if (tokenMatcher(token, EOF)) return 'The expression ends too early'
  const shown = token.image.length > 40 ? `${token.image.slice(0, 40)}…` : token.image
  return `${JSON.stringify(shown)} does not fit here`
}

function adviceOn({ image }: IToken): string {
  const isWord = KEYWORDS.has(image.toUpperCase()) && /^[a-z]+$/i.test(image)
  return isWord ? `; a variable of this name stands in double quotes` : ''
}
