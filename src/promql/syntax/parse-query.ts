import { PROMQL_CHARS_MAX, PROMQL_DEPTH_MAX } from '../promql-limits.ts'
import type { SeriesMatcher } from '../source.ts'
import { wordsOf } from '../words-of.ts'
import { DURATION_SECONDS_MAX, DurationReader, type QuerySteps } from './duration-reader.ts'
import { experimentalRefusal, functionSignatures } from './function-signatures.ts'
import { QueryLexer, type QueryToken } from './query-lexer.ts'
import type {
  AggregateNode,
  FunctionNode,
  NodePlace,
  OperatorNode,
  QueryNode,
  SelectorNode,
  VectorMatching,
} from './query-node.ts'
import { inQuotes, syntaxError } from './syntax-error.ts'
import { readDuration, readNumberLiteral, unquote } from './text-literals.ts'

/** Operators by how tightly they bind, the loosest first. */
const levels = ['or', 'and unless', '== != <= < >= > </ >/', '+ -', '* / % atan2', '^']
const precedences: ReadonlyMap<string, number> = new Map(
  levels.flatMap((words, level) => wordsOf(words).map((word) => [word, level + 1] as const)),
)
const POWER = levels.length

const parameterized = new Set(['topk', 'bottomk', 'count_values', 'quantile', 'limitk'])

/** Words that cannot be names of metrics outside of braces. */
const reserved = new Set(['bool', 'on', 'ignoring', 'group_left', 'group_right', 'atan2'])

const ONE_TIME: QuerySteps = { stepMs: 0, rangeMs: 0 }

/** Parses a query into a tree, or throws the `PromqlError` of the first fault. Types are not checked. */
export function parseQuery(query: string, steps = ONE_TIME): QueryNode {
  if (query.length > PROMQL_CHARS_MAX) {
    throw syntaxError(query, 0, `query has more than ${PROMQL_CHARS_MAX} characters`)
  }
  return new QueryParser(query, steps).whole()
}

/** Parses a text that must be one selector, such as the value of `match[]`. */
export function parseSelectorText(text: string): SelectorNode {
  const node = parseQuery(text)
  if (node.kind !== 'selector' || node.offsetMs !== 0 || node.at !== undefined) {
    throw syntaxError(text, 0, 'expected a series selector without modifiers')
  }
  return node
}

class QueryParser {
  readonly #query: string
  readonly #lexer: QueryLexer
  #token: QueryToken
  /** The end of the token before. */
  #closed = 0
  #depth = 0
  readonly #durations: DurationReader

  constructor(query: string, steps: QuerySteps) {
    this.#query = query
    this.#durations = new DurationReader(
      {
        token: () => this.#token,
        advance: () => this.#advance(),
        is: (word) => this.#is(word),
        expect: (word, context) => this.#expect(word, context),
        seconds: (token) => this.#seconds(token),
        unexpected: (context, expected) => this.#unexpected(context, expected),
        error: (place, message) => this.#error(place, message),
      },
      steps,
    )
    this.#lexer = new QueryLexer(query)
    this.#token = this.#lexer.next()
  }

  whole(): QueryNode {
    if (this.#isAtEnd()) throw this.#error(this.#token, 'no expression found in input')
    const node = this.#expression(0)
    if (!this.#isAtEnd()) throw this.#unexpected()
    return node
  }

  #isAtEnd(): boolean {
    return this.#token.kind === 'end'
  }

  #error(place: { readonly start: number }, message: string): Error {
    return syntaxError(this.#query, place.start, message)
  }

  #unexpected(context = '', expected = ''): Error {
    const where = context === '' ? '' : ` in ${context}`
    const wanted = expected === '' ? '' : `, expected ${expected}`
    return this.#error(this.#token, `unexpected ${describe(this.#token)}${where}${wanted}`)
  }

  #advance(): QueryToken {
    const token = this.#token
    this.#closed = token.end
    this.#token = this.#lexer.next()
    return token
  }

  /** Whether the token is this symbol or word. */
  #is(word: string): boolean {
    const { kind } = this.#token
    if (kind === 'string' || kind === 'identifier' || kind === 'end') return false
    return this.#token.word === word
  }

  #accept(word: string): boolean {
    if (!this.#is(word)) return false
    this.#advance()
    return true
  }

  #expect(word: string, context = ''): QueryToken {
    if (!this.#is(word)) throw this.#unexpected(context, inQuotes(word))
    return this.#advance()
  }

  #deepen<T extends { readonly depth: number }>(node: T): T {
    if (node.depth > PROMQL_DEPTH_MAX) throw this.#tooDeep()
    return node
  }

  #tooDeep(): Error {
    return this.#error(this.#token, `query is nested more than ${PROMQL_DEPTH_MAX} levels deep`)
  }

  #expression(lowest: number): QueryNode {
    if (++this.#depth > PROMQL_DEPTH_MAX) throw this.#tooDeep()
    let left = this.#unary()
    for (;;) {
      const operation = this.#token.kind === 'operator' ? this.#token.word : ''
      const precedence = precedences.get(operation)
      if (precedence === undefined || precedence < lowest) break
      left = this.#binary(left, precedence)
    }
    this.#depth--
    return left
  }

  #binary(left: QueryNode, precedence: number): OperatorNode {
    const operation = this.#advance().word
    const isBool = this.#accept('bool')
    const matching = this.#matching()
    const right = this.#expression(precedence === POWER ? precedence : precedence + 1)
    const depth = Math.max(left.depth, right.depth) + 1
    return this.#deepen({
      kind: 'binary',
      operation,
      isBool,
      matching,
      left,
      right,
      depth,
      start: left.start,
      end: right.end,
    })
  }

  #matching(): VectorMatching {
    let cardinality: VectorMatching['cardinality'] = 'one-to-one'
    let labels: string[] = []
    let include: string[] = []
    const isOn = this.#is('on')
    if (isOn || this.#is('ignoring')) {
      this.#advance()
      labels = this.#groupingLabels()
      if (this.#is('group_left') || this.#is('group_right')) {
        cardinality = this.#advance().word === 'group_left' ? 'many-to-one' : 'one-to-many'
        if (this.#is('(')) include = this.#groupingLabels()
      }
    }
    if (this.#is('fill') || this.#is('fill_left') || this.#is('fill_right')) {
      throw this.#error(this.#token, experimentalRefusal(`modifier "${this.#token.word}"`))
    }
    return { cardinality, isOn, labels, include }
  }

  #groupingLabels(): string[] {
    this.#expect('(', 'grouping opts')
    const labels: string[] = []
    while (!this.#is(')')) {
      labels.push(this.#groupingLabel())
      if (this.#is(')')) break
      if (!this.#accept(',')) throw this.#unexpected('grouping opts', '"," or ")"')
    }
    this.#advance()
    return labels
  }

  #groupingLabel(): string {
    const token = this.#token
    if (token.kind === 'string') {
      const text = this.#text(this.#advance())
      if (text === '') throw this.#error(token, 'invalid label name for grouping: ""')
      return text
    }
    const isWord = /^[A-Za-z_:]/.test(token.text) && token.kind !== 'number'
    if (!isWord) throw this.#unexpected('grouping opts', 'label')
    return this.#advance().text
  }

  #unary(): QueryNode {
    if (!this.#is('-') && !this.#is('+')) return this.#postfix(this.#primary())
    const sign = this.#advance()
    const operation = sign.word === '-' ? '-' : '+'
    const inner = this.#expression(POWER)
    const { start } = sign
    if (inner.kind === 'number') {
      return { ...inner, value: operation === '-' ? -inner.value : inner.value, start }
    }
    return this.#deepen({
      kind: 'unary',
      operation,
      inner,
      depth: inner.depth + 1,
      start,
      end: inner.end,
    })
  }

  #primary(): QueryNode {
    const token = this.#token
    const { start } = token
    if (token.kind === 'number' || token.kind === 'duration') {
      const value = this.#seconds(this.#advance())
      return { kind: 'number', value, depth: 1, start, end: token.end }
    }
    if (token.kind === 'string') {
      const value = this.#text(this.#advance())
      return { kind: 'string', value, depth: 1, start, end: token.end }
    }
    if (this.#accept('(')) {
      const inner = this.#expression(0)
      this.#expect(')')
      return this.#deepen({
        kind: 'paren',
        inner,
        depth: inner.depth + 1,
        start,
        end: this.#closed,
      })
    }
    if (this.#is('{')) return this.#selector('', start)
    if (!/^[A-Za-z_:]/.test(token.text) || reserved.has(token.word)) throw this.#unexpected()
    return this.#named(this.#advance())
  }

  /** What starts with a word: an aggregation, a call, or a selector. */
  #named(token: QueryToken): QueryNode {
    if (token.kind === 'aggregation') {
      if (this.#is('(') || this.#is('by') || this.#is('without')) return this.#aggregate(token)
    } else if (this.#is('(') && token.kind !== 'metric identifier') {
      return this.#call(token)
    }
    return this.#selector(token.text, token.start)
  }

  #call(token: QueryToken): FunctionNode {
    const { start } = token
    const name = token.text
    if (functionSignatures.get(name) === undefined) {
      throw this.#error(token, `unknown function with name ${inQuotes(name)}`)
    }
    if (name === 'start_timestamp') {
      throw this.#error(token, experimentalRefusal(`function ${inQuotes(name)}`))
    }
    const args = this.#arguments()
    const depth = args.reduce((deepest, { depth }) => Math.max(deepest, depth), 0) + 1
    return this.#deepen({ kind: 'call', name, args, depth, start, end: this.#closed })
  }

  #arguments(): QueryNode[] {
    this.#expect('(')
    const args: QueryNode[] = []
    while (!this.#is(')')) {
      args.push(this.#expression(0))
      if (!this.#is(',')) break
      const comma = this.#advance()
      if (this.#is(')')) {
        throw this.#error(comma, 'trailing commas not allowed in function call args')
      }
    }
    this.#expect(')')
    return args
  }

  #aggregate(token: QueryToken): AggregateNode {
    const operation = token.word
    const { start } = token
    const before = this.#grouping()
    if (!this.#is('(')) throw this.#unexpected('aggregation')
    const args = this.#arguments()
    const { isWithout, grouping } = before ?? this.#grouping() ?? { isWithout: false, grouping: [] }
    const place = { start, end: this.#closed }
    if (operation === 'limit_ratio') {
      throw this.#error(place, experimentalRefusal('aggregation "limit_ratio"'))
    }
    if (args.length === 0) {
      throw this.#error(place, 'no arguments for aggregate expression provided')
    }
    const wanted = parameterized.has(operation) ? 2 : 1
    if (args.length !== wanted) {
      const counts = `expected ${wanted}, got ${args.length}`
      throw this.#error(
        place,
        `wrong number of arguments for aggregate expression provided, ${counts}`,
      )
    }
    const parameter = wanted === 2 ? args[0] : undefined
    const inner = args[wanted - 1]
    const depth = Math.max(inner.depth, parameter?.depth ?? 0) + 1
    return this.#deepen({
      kind: 'aggregate',
      operation,
      grouping,
      isWithout,
      parameter,
      inner,
      depth,
      ...place,
    })
  }

  #grouping(): { isWithout: boolean; grouping: string[] } | undefined {
    if (!this.#is('by') && !this.#is('without')) return undefined
    const isWithout = this.#advance().word === 'without'
    return { isWithout, grouping: this.#groupingLabels() }
  }

  #selector(name: string, start: number): SelectorNode {
    const matchers = this.#is('{') ? this.#matchers() : []
    if (name !== '') matchers.push({ name: '__name__', operation: '=', value: name })
    return {
      kind: 'selector',
      name,
      matchers,
      offsetMs: 0,
      at: undefined,
      depth: 1,
      start,
      end: this.#closed,
    }
  }

  #matchers(): SeriesMatcher[] {
    this.#expect('{')
    const matchers: SeriesMatcher[] = []
    while (!this.#is('}')) {
      matchers.push(this.#matcher())
      if (this.#is('}')) break
      if (!this.#accept(',')) throw this.#unexpected('label matching', '"," or "}"')
    }
    this.#advance()
    return matchers
  }

  #matcher(): SeriesMatcher {
    const { kind } = this.#token
    if (kind !== 'identifier' && kind !== 'string') {
      throw this.#unexpected('label matching', 'identifier or "}"')
    }
    const token = this.#advance()
    const name = kind === 'string' ? this.#text(token) : token.text
    const operation = this.#token.kind === 'operator' ? this.#token.word : ''
    if (operation !== '=' && operation !== '!=' && operation !== '=~' && operation !== '!~') {
      if (kind === 'string') return { name: '__name__', operation: '=', value: name }
      throw this.#unexpected('label matching', 'label matching operator')
    }
    this.#advance()
    if (this.#token.kind !== 'string') throw this.#unexpected('label matching', 'string')
    return { name, operation, value: this.#text(this.#advance()) }
  }

  #postfix(primary: QueryNode): QueryNode {
    let node = primary
    for (;;) {
      if (this.#is('[')) node = this.#bracket(node)
      else if (this.#is('offset')) node = this.#offset(node)
      else if (this.#is('@')) node = this.#at(node)
      else if (this.#is('anchored') || this.#is('smoothed')) {
        throw this.#error(node, experimentalRefusal(`modifier "${this.#token.word}"`))
      } else return node
    }
  }

  #bracket(node: QueryNode): QueryNode {
    const bracket = this.#advance()
    const rangeMs = this.#durations.positive('subquery or range selector')
    const { start } = node
    if (this.#accept(':')) {
      const stepMs = this.#is(']') ? 0 : this.#durations.positive('subquery selector')
      if (!this.#is(']')) throw this.#unexpected('subquery selector', '"]"')
      this.#advance()
      return this.#deepen({
        kind: 'subquery',
        inner: node,
        rangeMs,
        stepMs,
        offsetMs: 0,
        at: undefined,
        depth: node.depth + 1,
        start,
        end: this.#closed,
      })
    }
    if (!this.#is(']')) throw this.#unexpected('subquery or range', '":" or "]"')
    this.#advance()
    if (node.kind !== 'selector') {
      throw this.#error(bracket, 'ranges only allowed for vector selectors')
    }
    if (node.offsetMs !== 0) {
      throw this.#error(bracket, 'no offset modifiers allowed before range')
    }
    if (node.at !== undefined) throw this.#error(bracket, 'no @ modifiers allowed before range')
    return { kind: 'matrix', selector: node, rangeMs, depth: 2, start, end: this.#closed }
  }

  #offset(node: QueryNode): QueryNode {
    this.#advance()
    const offsetMs = this.#durations.offset()
    const shifted = shiftTarget(node)
    if (shifted === undefined) {
      const message =
        'offset modifier must be preceded by an instant vector selector or range vector selector or a subquery'
      throw this.#error(node, message)
    }
    if (shifted.offsetMs !== 0) throw this.#error(node, 'offset may not be set multiple times')
    return withShift(node, { offsetMs, end: this.#closed })
  }

  #at(node: QueryNode): QueryNode {
    this.#advance()
    const at = this.#atTime()
    const shifted = shiftTarget(node)
    if (shifted === undefined) {
      const message =
        '@ modifier must be preceded by an instant vector selector or range vector selector or a subquery'
      throw this.#error(node, message)
    }
    if (shifted.at !== undefined) {
      throw this.#error(node, '@ <timestamp> may not be set multiple times')
    }
    return withShift(node, { at, end: this.#closed })
  }

  #atTime(): number | 'start' | 'end' {
    if (this.#is('start') || this.#is('end')) {
      const end = this.#advance().word === 'end'
      this.#expect('(', '@')
      this.#expect(')', '@')
      return end ? 'end' : 'start'
    }
    const negative = this.#is('-')
    if (negative || this.#is('+')) this.#advance()
    const token = this.#token
    if (token.kind !== 'number' && token.kind !== 'duration') {
      throw this.#unexpected('@', 'timestamp')
    }
    const seconds = this.#seconds(this.#advance()) * (negative ? -1 : 1)
    if (!(Math.abs(seconds) < 2 ** 63)) {
      throw this.#error(token, `timestamp out of bounds for @ modifier: ${seconds}`)
    }
    return Math.round(seconds * 1000)
  }

  #seconds(token: QueryToken): number {
    if (token.kind === 'number') {
      const value = readNumberLiteral(token.text)
      if (Math.abs(value) === Number.POSITIVE_INFINITY && token.word !== 'inf') {
        throw this.#error(token, `error parsing number: ${inQuotes(token.text)} is out of range`)
      }
      return value
    }
    const ms = readDuration(token.text)
    if (ms === undefined) {
      throw this.#error(token, `not a valid duration string: ${inQuotes(token.text)}`)
    }
    if (ms > DURATION_SECONDS_MAX * 1000) throw this.#error(token, 'duration out of range')
    return ms / 1000
  }

  #text(token: QueryToken): string {
    const text = unquote(token.text)
    if (text === undefined) {
      throw this.#error(token, `error unquoting string ${inQuotes(token.text)}: invalid syntax`)
    }
    return text
  }
}

function describe(token: QueryToken): string {
  const { kind, text } = token
  if (kind === 'end') return 'end of input'
  if (kind === 'identifier' || kind === 'metric identifier') return `${kind} ${inQuotes(text)}`
  if (kind === 'operator') return `<op:${text}>`
  if (kind === 'keyword') return `<${text}>`
  if (kind === 'aggregation') return `<aggr:${text}>`
  if (kind === 'punctuation') return inQuotes(text)
  return `${kind} ${text.length > 10 ? `${inQuotes(text.slice(0, 10))}...` : inQuotes(text)}`
}

function shiftTarget(node: QueryNode): { offsetMs: number; at: unknown } | undefined {
  if (node.kind === 'matrix') return node.selector
  return node.kind === 'selector' || node.kind === 'subquery' ? node : undefined
}

function withShift(
  node: QueryNode,
  shift: { readonly offsetMs?: number; readonly at?: number | 'start' | 'end' } & Pick<
    NodePlace,
    'end'
  >,
): QueryNode {
  if (node.kind === 'matrix') {
    return { ...node, selector: { ...node.selector, ...shift }, end: shift.end }
  }
  return { ...node, ...shift } as QueryNode
}
