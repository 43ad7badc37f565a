import { EOF, type IParserErrorMessageProvider, type IToken, tokenMatcher } from 'chevrotain'
import { KEYWORDS, RightParenthesis } from './expression-tokens.ts'

const VALUE = 'expected a number, a text in quotes, a variable, a function, or "("'

/** What the grammar says of a token that does not fit, and what to write instead. */
export const grammarMessages: IParserErrorMessageProvider = {
  buildMismatchTokenMessage({ expected, actual }) {
    const wanted = expected.LABEL ?? expected.name
    return `${found(actual)}: expected ${wanted}${adviceOn(actual)}`
  },
  buildNotAllInputParsedMessage({ firstRedundant }) {
    if (tokenMatcher(firstRedundant, RightParenthesis)) {
      return 'This ")" has no matching "(". Remove it, or add "("'
    }
    return `${found(firstRedundant)}: expected an operator such as + before it${adviceOn(firstRedundant)}`
  },
  buildNoViableAltMessage({ actual, ruleName }) {
    const wanted = ruleName === 'otherTest' ? 'expected IN, LIKE, or BETWEEN after NOT' : VALUE
    return `${found(actual[0])}: ${wanted}${adviceOn(actual[0])}`
  },
  buildEarlyExitMessage({ actual, ruleName }) {
    const wanted = ruleName === 'caseOf' ? 'expected WHEN' : VALUE
    return `${found(actual[0])}: ${wanted}${adviceOn(actual[0])}`
  },
}

function found(token: IToken): string {
  if (tokenMatcher(token, EOF)) return 'The expression is incomplete'
  const shown = token.image.length > 40 ? `${token.image.slice(0, 40)}…` : token.image
  return `Unexpected ${JSON.stringify(shown)}`
}

function adviceOn({ image }: IToken): string {
  const isWord = KEYWORDS.has(image.toUpperCase()) && /^[a-z]+$/i.test(image)
  return isWord ? `. Put a variable of this name in double quotes` : ''
}
