import { PROMQL_DEPTH_MAX } from '../promql-limits.ts'
import type { QueryToken } from './query-lexer.ts'

/** What `step()` and `range()` stand for in durations: 0 for a query at one time. */
export interface QuerySteps {
  readonly stepMs: number
  readonly rangeMs: number
}

/** The tokens of a query, as its parser reads them. */
interface DurationTokens {
  readonly token: () => QueryToken
  readonly advance: () => QueryToken
  readonly is: (word: string) => boolean
  readonly expect: (word: string, context: string) => QueryToken
  /** The seconds of a number or duration. */
  readonly seconds: (token: QueryToken) => number
  readonly unexpected: (context: string, expected: string) => Error
  readonly error: (place: { readonly start: number }, message: string) => Error
}

/** Longest duration, in seconds: that of Prometheus, whose durations are 64-bit nanoseconds. */
export const DURATION_SECONDS_MAX = 2 ** 63 / 1e9

/** Operators by how tightly they bind. */
const PRECEDENCES: Readonly<Record<string, number>> = {
  '+': 1,
  '-': 1,
  '*': 2,
  '/': 2,
  '%': 2,
  '^': 3,
}
const POWER = 3

interface Duration {
  readonly seconds: number
  /** Whether it is a number or duration as it is written. */
  readonly isLiteral: boolean
}

/** Reads durations of a query, which may be arithmetic expressions. */
export class DurationReader {
  readonly #tokens: DurationTokens
  readonly #steps: QuerySteps
  #depth = 0

  constructor(tokens: DurationTokens, steps: QuerySteps) {
    this.#tokens = tokens
    this.#steps = steps
  }

  /** Milliseconds of a range or step. */
  positive(context: string): number {
    const start = this.#tokens.token()
    const ms = this.#milliseconds(this.#expression(0, context), start)
    if (ms <= 0) throw this.#tokens.error(start, 'duration must be greater than 0')
    return ms
  }

  /** Milliseconds of an offset. An operator belongs to it only in parentheses, or behind these. */
  offset(): number {
    const start = this.#tokens.token()
    const isWhole = this.#tokens.is('(')
    const duration = isWhole ? this.#expression(0, 'offset') : this.#signed('offset')
    return this.#milliseconds(duration, start)
  }

  #milliseconds({ seconds, isLiteral }: Duration, place: QueryToken): number {
    if (!Number.isFinite(seconds)) {
      throw this.#tokens.error(place, 'duration is NaN or infinite')
    }
    if (Math.abs(seconds) > DURATION_SECONDS_MAX)
      throw this.#tokens.error(place, 'duration is out of range')
    // Prometheus keeps literals as nanoseconds and cuts them to milliseconds where it compares times.
    return Math.trunc(isLiteral ? Math.round(seconds * 1e9) / 1e6 : seconds * 1000)
  }

  #expression(lowest: number, context: string): Duration {
    if (++this.#depth > PROMQL_DEPTH_MAX) {
      throw this.#tokens.error(this.#tokens.token(), 'duration is nested too deep')
    }
    let left = this.#unary(context)
    for (;;) {
      const { kind, word } = this.#tokens.token()
      const precedence = kind === 'operator' ? PRECEDENCES[word] : undefined
      if (precedence === undefined || precedence < lowest) break
      const operator = this.#tokens.advance()
      const right = this.#expression(word === '^' ? POWER : precedence + 1, context)
      left = { seconds: this.#apply(operator, left.seconds, right.seconds), isLiteral: false }
    }
    this.#depth--
    return left
  }

  #apply(operator: QueryToken, left: number, right: number): number {
    const { word } = operator
    if (right === 0 && word === '/') throw this.#tokens.error(operator, 'division by zero')
    if (right === 0 && word === '%') throw this.#tokens.error(operator, 'modulo by zero')
    switch (word) {
      case '+':
        return left + right
      case '-':
        return left - right
      case '*':
        return left * right
      case '/':
        return left / right
      case '%':
        return left % right
      default:
        return left ** right
    }
  }

  #unary(context: string): Duration {
    if (!this.#isSign()) return this.#primary(context)
    const isNegative = this.#tokens.advance().word === '-'
    const duration = this.#expression(POWER, context)
    return isNegative ? { ...duration, seconds: -duration.seconds } : duration
  }

  /** A single value with any signs. */
  #signed(context: string): Duration {
    let isNegative = false
    while (this.#isSign()) if (this.#tokens.advance().word === '-') isNegative = !isNegative
    const duration = this.#primary(context)
    return isNegative ? { ...duration, seconds: -duration.seconds } : duration
  }

  #isSign(): boolean {
    return this.#tokens.is('-') || this.#tokens.is('+')
  }

  #primary(context: string): Duration {
    const token = this.#tokens.token()
    if (token.kind === 'number' || token.kind === 'duration') {
      const seconds = this.#tokens.seconds(this.#tokens.advance())
      if (!(Math.abs(seconds) <= DURATION_SECONDS_MAX))
        throw this.#tokens.error(token, 'duration out of range')
      return { seconds, isLiteral: true }
    }
    if (this.#tokens.is('(')) {
      this.#tokens.advance()
      const inner = this.#expression(0, context)
      this.#tokens.expect(')', context)
      return inner
    }
    if (this.#tokens.is('step') || this.#tokens.is('range')) {
      const { word } = this.#tokens.advance()
      this.#tokens.expect('(', context)
      this.#tokens.expect(')', context)
      const ms = word === 'step' ? this.#steps.stepMs : this.#steps.rangeMs
      return { seconds: ms / 1000, isLiteral: false }
    }
    if (this.#tokens.is('min_of') || this.#tokens.is('max_of')) return this.#choice(context)
    const isLast = context === 'subquery selector'
    const expected = `number, duration, step(), ${isLast ? 'range(), or "]"' : 'or range()'}`
    throw this.#tokens.unexpected(context, expected)
  }

  #choice(context: string): Duration {
    const { word } = this.#tokens.advance()
    this.#tokens.expect('(', context)
    const { seconds: first } = this.#expression(0, context)
    this.#tokens.expect(',', context)
    const { seconds: second } = this.#expression(0, context)
    this.#tokens.expect(')', context)
    const seconds = word === 'min_of' ? Math.min(first, second) : Math.max(first, second)
    return { seconds, isLiteral: false }
  }
}
