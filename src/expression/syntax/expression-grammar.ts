/**
 * The grammar of expressions. It reads operands and operators in their order, arrangeOperators()
 * makes trees of them.
 */
import {
  EmbeddedActionsParser,
  EOF,
  type IParserErrorMessageProvider,
  type IToken,
  type TokenType,
  tokenMatcher,
} from 'chevrotain'
import { invariant } from '../../base/plain.ts'
import type { ExpressionValue, Span } from '../expression-types.ts'
import { arrangeOperators, type IsCondition, type Item } from './arrange-operators.ts'
import { castTypeOf } from './cast-types.ts'
import * as t from './expression-tokens.ts'
import type { BinaryOperator, Expression } from './expression-tree.ts'
import { grammarMessages } from './grammar-messages.ts'
import { EXPRESSION_NESTING_MAX } from './syntax-limits.ts'
import { TreeBuilder } from './tree-builder.ts'

/** What the grammar must know of names to read a text. */
interface NameReading {
  /** Whether a name in double quotes is a variable; otherwise it is a text. */
  readonly isVariable: (name: string) => boolean
  /** Whether an operand reads as a condition. Then two bars mean OR. */
  readonly isCondition: IsCondition
}

const SPELLINGS: ReadonlyMap<string, BinaryOperator> = new Map([
  ['==', '='],
  ['!=', '<>'],
  ['&&', 'AND'],
])

/**
 * Reads one expression from tokens; made once and used again, as Chevrotain advises. A language around
 * it extends the class, overrides what it adds to, and studies the whole with performSelfAnalysis().
 */
export class ExpressionGrammar extends EmbeddedActionsParser {
  protected builder = new TreeBuilder('')
  #names: NameReading = { isVariable: () => false, isCondition: () => false }
  #nesting = 0

  constructor(
    vocabulary: TokenType[] = t.VOCABULARY,
    messages: IParserErrorMessageProvider = grammarMessages,
  ) {
    super(vocabulary, { maxLookahead: 2, errorMessageProvider: messages })
    if (new.target === ExpressionGrammar) this.performSelfAnalysis()
  }

  /** Takes the tokens of a text; throws ExpressionError at the first that does not fit. */
  read(text: string, tokens: IToken[], names: NameReading): Expression {
    this.begin(new TreeBuilder(text), tokens, names)
    const tree = this.expression()
    this.refuseMistakes()
    return tree
  }

  /** Makes the grammar ready for the tokens of a text. */
  protected begin(builder: TreeBuilder, tokens: IToken[], names: NameReading): void {
    this.builder = builder
    this.#names = names
    this.#nesting = 0
    this.input = tokens
  }

  /** Throws the first mistake that was found, with its place. */
  protected refuseMistakes(): void {
    const [error] = this.errors
    if (error === undefined) return
    const { token } = error
    const { text } = this.builder
    const end = { from: text.trimEnd().length, until: text.trimEnd().length }
    this.builder.fail(error.message, tokenMatcher(token, EOF) ? end : spanOf(token))
  }

  /** Operands with operators between them. */
  expression = this.RULE('expression', (): Expression => {
    const items: Item[] = []
    this.enter()
    this.SUBRULE(this.operand, { ARGS: [items] })
    this.MANY(() => {
      this.OR([
        { ALT: () => this.SUBRULE(this.nullTest, { ARGS: [items] }) },
        { ALT: () => this.SUBRULE(this.otherTest, { ARGS: [items] }) },
        {
          ALT: () => {
            const token = this.CONSUME(t.Binary)
            this.ACTION(() => items.push(binaryItem(token)))
            this.SUBRULE2(this.operand, { ARGS: [items] })
          },
        },
      ])
    })
    return this.ACTION(() => {
      this.leave()
      return arrangeOperators(items, this.builder, this.#names.isCondition)
    })
  })

  protected operand = this.RULE('operand', (items: Item[]): void => {
    this.MANY(() => {
      const token = this.CONSUME(t.Prefix)
      this.ACTION(() => items.push(prefixItem(token)))
    })
    const node = this.SUBRULE(this.primary)
    this.ACTION(() => items.push({ is: 'operand', node }))
  })

  protected nullTest = this.RULE('nullTest', (items: Item[]): void => {
    const first = this.CONSUME(t.Is)
    const negation = this.OPTION(() => this.CONSUME(t.Not))
    const last = this.CONSUME(t.Null)
    this.ACTION(() => {
      const span = between(first, last)
      const isNegated = negation !== undefined
      items.push({ is: 'postfixTest', test: 'isNull', isNegated, args: [], span })
    })
  })

  protected otherTest = this.RULE('otherTest', (items: Item[]): void => {
    const negation = this.OPTION(() => this.CONSUME(t.Not))
    this.OR([
      {
        ALT: () => {
          const first = this.CONSUME(t.In)
          this.CONSUME(t.LeftParenthesis)
          const args = this.SUBRULE(this.candidates)
          const last = this.CONSUME(t.RightParenthesis)
          this.ACTION(() => {
            const isNegated = negation !== undefined
            const span = between(first, last)
            items.push({ is: 'postfixTest', test: 'in', isNegated, args, span })
          })
        },
      },
      { ALT: () => this.infix(items, 'like', negation) },
      { ALT: () => this.infix(items, 'between', negation) },
    ])
  })

  /** What stands in the parentheses of IN. */
  protected candidates = this.RULE('candidates', (): Expression[] => this.SUBRULE(this.list))

  protected infix(items: Item[], test: 'like' | 'between', negation: IToken | undefined): void {
    const token = test === 'like' ? this.CONSUME(t.Like) : this.CONSUME(t.Between)
    this.ACTION(() => {
      const isNegated = negation !== undefined
      items.push({ is: 'infixTest', test, isNegated, span: spanOf(token) })
    })
    if (test === 'like') this.SUBRULE(this.operand, { ARGS: [items] })
    else this.SUBRULE2(this.operand, { ARGS: [items] })
  }

  protected list = this.RULE('list', (): Expression[] => {
    const nodes: Expression[] = []
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        nodes.push(this.SUBRULE(this.expression))
      },
    })
    return nodes
  })

  protected primary = this.RULE(
    'primary',
    (): Expression =>
      this.OR([
        { ALT: () => this.SUBRULE(this.plain) },
        { ALT: () => this.SUBRULE(this.named) },
        { ALT: () => this.SUBRULE(this.caseOf) },
        { ALT: () => this.SUBRULE(this.cast) },
        {
          ALT: () => {
            this.CONSUME(t.LeftParenthesis)
            const node = this.SUBRULE(this.expression)
            this.CONSUME(t.RightParenthesis)
            return node
          },
        },
      ]),
  )

  /** A value that is written down. */
  protected plain = this.RULE(
    'plain',
    (): Expression =>
      this.OR([
        { ALT: () => this.#literal(this.CONSUME(t.Numeral), numberOf) },
        { ALT: () => this.#literal(this.CONSUME(t.Text), textOf) },
        { ALT: () => this.#literal(this.CONSUME(t.Null), () => null) },
        { ALT: () => this.#literal(this.CONSUME(t.True), () => true) },
        { ALT: () => this.#literal(this.CONSUME(t.False), () => false) },
      ]),
  )

  /** A function with its arguments, a variable, or a text in double quotes. */
  protected named = this.RULE('named', (): Expression => {
    const first = this.OR([
      { ALT: () => this.CONSUME(t.Name) },
      { ALT: () => this.CONSUME(t.QuotedName) },
    ])
    return this.OR2([
      {
        ALT: () => {
          this.CONSUME(t.LeftParenthesis)
          const args = this.OPTION(() => this.SUBRULE(this.list)) ?? []
          const last = this.CONSUME(t.RightParenthesis)
          return this.ACTION(() => this.call(first, args, between(first, last)))
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.Dot)
          const last = this.OR3([
            { ALT: () => this.CONSUME2(t.Name) },
            { ALT: () => this.CONSUME2(t.QuotedName) },
          ])
          return this.ACTION(() => {
            const name = `${nameOfToken(first)}.${nameOfToken(last)}`
            return this.builder.node({ kind: 'variable', name, span: between(first, last) })
          })
        },
      },
      { ALT: () => this.ACTION(() => this.#nameOrText(first)) },
    ])
  })

  protected caseOf = this.RULE('caseOf', (): Expression => {
    const first = this.CONSUME(t.Case)
    const subject = this.OPTION(() => this.SUBRULE(this.expression))
    const branches: { when: Expression; then: Expression }[] = []
    this.AT_LEAST_ONE(() => {
      this.CONSUME(t.When)
      const when = this.SUBRULE2(this.expression)
      this.CONSUME(t.Then)
      const then = this.SUBRULE3(this.expression)
      this.ACTION(() => branches.push({ when, then }))
    })
    const otherwise = this.OPTION2(() => {
      this.CONSUME(t.Else)
      return this.SUBRULE4(this.expression)
    })
    const last = this.CONSUME(t.End)
    return this.ACTION(() => {
      const children = [subject, ...branches.flatMap(({ when, then }) => [when, then]), otherwise]
      const span = between(first, last)
      return this.builder.node(
        { kind: 'case', subject, branches, otherwise, span },
        children.filter((child) => child !== undefined),
      )
    })
  })

  protected cast = this.RULE('cast', (): Expression => {
    const first = this.CONSUME(t.Cast)
    this.CONSUME(t.LeftParenthesis)
    const operand = this.SUBRULE(this.expression)
    this.CONSUME(t.As)
    const name = this.CONSUME(t.Name)
    const last = this.CONSUME(t.RightParenthesis)
    return this.ACTION(() => {
      const type = castTypeOf(name.image)
      if (type === undefined) {
        const types = 'LONG, DOUBLE, BIGDECIMAL, STRING, or BOOLEAN'
        return this.builder.fail(
          `Unknown type ${name.image.slice(0, 40)}. Use ${types}`,
          spanOf(name),
        )
      }
      const span = between(first, last)
      return this.builder.node({ kind: 'cast', operand, type, span }, [operand])
    })
  })

  /** Goes one level deeper, and refuses one too many. */
  protected enter(): void {
    this.ACTION(() => {
      this.#nesting += 1
      const next = this.LA(1)
      // The first level is the expression itself.
      if (this.#nesting <= EXPRESSION_NESTING_MAX + 1) return
      const most = `Parentheses are nested deeper than ${EXPRESSION_NESTING_MAX} levels`
      this.builder.fail(
        `${most}. Split the expression`,
        tokenMatcher(next, EOF) ? END : spanOf(next),
      )
    })
  }

  /** Comes back from one level. */
  protected leave(): void {
    this.#nesting -= 1
  }

  #literal(token: IToken, readValue: (token: IToken) => ExpressionValue): Expression {
    return this.ACTION(() => {
      const value = readValue(token)
      const span = spanOf(token)
      if (typeof value === 'number' && !Number.isFinite(value)) {
        this.builder.fail('This number is too large: at most 1.7976931348623157e308', span)
      }
      return this.builder.node({ kind: 'literal', type: typeOf(token, value), value, span })
    })
  }

  protected call(name: IToken, args: readonly Expression[], span: Span): Expression {
    if (tokenMatcher(name, t.QuotedName)) {
      this.builder.fail('A function name must not be quoted. Remove the quotes', spanOf(name))
    }
    return this.builder.node({ kind: 'call', name: name.image, args, span }, args)
  }

  #nameOrText(token: IToken): Expression {
    const span = spanOf(token)
    const name = nameOfToken(token)
    if (!tokenMatcher(token, t.QuotedName) || this.#names.isVariable(name)) {
      return this.builder.node({ kind: 'variable', name, span })
    }
    return this.builder.node({ kind: 'literal', type: 'STRING', value: name, span })
  }
}

const END: Span = { from: 0, until: 0 }

/** The stretch of a token. */
export function spanOf({ startOffset, endOffset }: IToken): Span {
  return { from: startOffset, until: endOffset ?? startOffset }
}

/** The stretch from one token to another. */
export function between(first: IToken, last: IToken): Span {
  return { from: spanOf(first).from, until: spanOf(last).until }
}

function binaryItem(token: IToken): Item {
  const operator = SPELLINGS.get(token.image) ?? (token.image.toUpperCase() as BinaryOperator)
  return { is: 'binary', operator, span: spanOf(token) }
}

function prefixItem(token: IToken): Item {
  const operator = token.image.toUpperCase()
  invariant(['-', '+', '!', 'NOT'].includes(operator), `prefix ${operator}`)
  return { is: 'prefix', operator: operator as '-' | '+' | '!' | 'NOT', span: spanOf(token) }
}

/** The text that a token is, without its quotes. */
export function textOf({ image }: IToken): string {
  return image.slice(1, -1).replaceAll(image[0] + image[0], image[0])
}

/** The name that a token is, without its quotes. */
export function nameOfToken(token: IToken): string {
  return tokenMatcher(token, t.QuotedName) ? textOf(token) : token.image
}

/** The greatest LONG; larger numerals are DOUBLE. */
const LONG_MAX = 2n ** 63n - 1n

function numberOf({ image }: IToken): number | bigint {
  const number = Number(image)
  if (!/^\d+$/.test(image) || number <= Number.MAX_SAFE_INTEGER) return number
  if (image.length > 400) return Number.POSITIVE_INFINITY
  const whole = BigInt(image)
  return whole <= LONG_MAX ? whole : number
}

function typeOf({ image }: IToken, value: ExpressionValue) {
  if (typeof value === 'bigint') return 'LONG'
  if (typeof value === 'string') return 'STRING'
  if (typeof value === 'boolean') return 'BOOLEAN'
  if (value === null) return 'NULL'
  return /^\d+$/.test(image) && value <= Number.MAX_SAFE_INTEGER ? 'LONG' : 'DOUBLE'
}
