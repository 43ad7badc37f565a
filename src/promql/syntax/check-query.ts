import type { CompilePattern, SeriesMatcher } from '../source.ts'
import { type FunctionSignature, functionSignatures } from './function-signatures.ts'
import type {
  AggregateNode,
  FunctionNode,
  NodePlace,
  OperatorNode,
  PromqlType,
  QueryNode,
  SelectorNode,
} from './query-node.ts'
import { inQuotes, syntaxError } from './syntax-error.ts'

/** The names of types in messages. */
const typeNames: Readonly<Record<PromqlType, string>> = {
  scalar: 'scalar',
  string: 'string',
  vector: 'instant vector',
  matrix: 'range vector',
}

const comparisons = new Set(['==', '!=', '<', '<=', '>', '>='])

const setOperations = new Set(['and', 'or', 'unless'])

/** Whether an operation compares, and so keeps or drops elements. */
function isComparison(operation: string): boolean {
  return comparisons.has(operation)
}

/** Whether an operation combines sets of series. */
export function isSetOperation(operation: string): boolean {
  return setOperations.has(operation)
}

/** The type that a node evaluates to. */
export function queryTypeOf(node: QueryNode): PromqlType {
  switch (node.kind) {
    case 'number':
      return 'scalar'
    case 'string':
      return 'string'
    case 'selector':
    case 'aggregate':
      return 'vector'
    case 'matrix':
    case 'subquery':
      return 'matrix'
    case 'call':
      return functionSignatures.get(node.name)?.result ?? 'vector'
    case 'binary':
      return queryTypeOf(node.left) === 'scalar' && queryTypeOf(node.right) === 'scalar'
        ? 'scalar'
        : 'vector'
    case 'unary':
    case 'paren':
      return queryTypeOf(node.inner)
  }
}

/** Throws the `PromqlError` of the first wrong type, matcher, or pattern in a tree. */
export function checkQuery(query: string, node: QueryNode, compilePattern: CompilePattern): void {
  new QueryCheck(query, compilePattern).check(node)
}

class QueryCheck {
  readonly #query: string
  readonly #compilePattern: CompilePattern

  constructor(query: string, compilePattern: CompilePattern) {
    this.#query = query
    this.#compilePattern = compilePattern
  }

  /** Checks a node and everything below it. Returns the type of the node. */
  check(node: QueryNode): PromqlType {
    switch (node.kind) {
      case 'number':
        return 'scalar'
      case 'string':
        return 'string'
      case 'selector':
        return this.#selector(node, node.name !== '')
      case 'matrix':
        return this.#matrix(node.selector)
      case 'subquery':
        return this.#subquery(node, this.check(node.inner))
      case 'call':
        return this.#call(node)
      case 'aggregate':
        return this.#aggregate(node)
      case 'binary':
        return this.#binary(node)
      case 'paren':
        return this.check(node.inner)
      case 'unary':
        return this.#unary(node, this.check(node.inner))
    }
  }

  #fail(place: Pick<NodePlace, 'start'>, message: string): never {
    throw syntaxError(this.#query, place.start, message)
  }

  #expect(node: QueryNode, wanted: PromqlType, context: string): void {
    const found = this.check(node)
    if (found === wanted) return
    this.#fail(node, `expected type ${typeNames[wanted]} in ${context}, got ${typeNames[found]}`)
  }

  #subquery(place: NodePlace, type: PromqlType): PromqlType {
    if (type !== 'vector') {
      this.#fail(place, `subquery is only allowed on instant vector, got ${type} instead`)
    }
    return 'matrix'
  }

  #unary(place: NodePlace, type: PromqlType): PromqlType {
    if (type === 'scalar' || type === 'vector') return type
    const allowed = 'unary expression only allowed on expressions of type scalar or instant vector'
    this.#fail(place, `${allowed}, got ${inQuotes(typeNames[type])}`)
  }

  #selector(node: SelectorNode, hasName: boolean): PromqlType {
    const { matchers } = node
    const inBraces = hasName ? matchers.slice(0, -1) : matchers
    const accepts = matchers.map((matcher) => this.#acceptsEmpty(node, matcher))
    if (hasName) {
      const twice = inBraces.find(({ name }) => name === '__name__')
      if (twice !== undefined) {
        const names = `${inQuotes(node.name)} or ${inQuotes(twice.value)}`
        this.#fail(node, `metric name must not be set twice: ${names}`)
      }
    } else if (accepts.every(Boolean)) {
      this.#fail(node, 'vector selector must contain at least one non-empty matcher')
    }
    this.#calendar(node)
    return 'vector'
  }

  #matrix(selector: SelectorNode): PromqlType {
    this.#selector(selector, selector.name !== '')
    if (selector.matchers.some(({ name }) => name === '__cycle__')) {
      this.#fail(selector, 'calendar statistics have no samples; use a subquery, as in [7d:1d]')
    }
    return 'matrix'
  }

  /** Whether a series without the label is accepted. */
  #acceptsEmpty(node: SelectorNode, matcher: SeriesMatcher): boolean {
    const { operation, value } = matcher
    if (operation === '=') return value === ''
    if (operation === '!=') return value !== ''
    try {
      const matches = this.#compilePattern(value).matches('')
      return operation === '=~' ? matches : !matches
    } catch (error) {
      this.#fail(node, error instanceof Error ? error.message : `${error}`)
    }
  }

  #calendar(node: SelectorNode): void {
    const cycles = node.matchers.filter(({ name }) => name === '__cycle__')
    const statistics = node.matchers.filter(({ name }) => name === '__stat__')
    if (cycles.length === 0 && statistics.length === 0) return
    const isPair = cycles.length === 1 && statistics.length === 1
    if (isPair && cycles[0].operation === '=' && statistics[0].operation === '=') return
    const example = '{__cycle__="day",__stat__="max"}'
    this.#fail(node, `calendar statistics need both labels once with "=", as in ${example}`)
  }

  #call(node: FunctionNode): PromqlType {
    const signature = functionSignatures.get(node.name)
    if (signature === undefined)
      this.#fail(node, `unknown function with name ${inQuotes(node.name)}`)
    this.#countArguments(node, signature)
    const { args, result } = signature
    for (const [index, argument] of node.args.entries()) {
      if (node.name === 'info' && index === 1) {
        this.#infoLabels(argument)
        continue
      }
      const wanted = args[Math.min(index, args.length - 1)]
      this.#expect(argument, wanted, `call to function ${inQuotes(node.name)}`)
    }
    return result
  }

  #countArguments(node: FunctionNode, { args, variadic }: FunctionSignature): void {
    const count = node.args.length
    const call = `argument(s) in call to ${inQuotes(node.name)}, got ${count}`
    if (variadic === 0) {
      if (count !== args.length) this.#fail(node, `expected ${args.length} ${call}`)
      return
    }
    const least = args.length - 1
    if (count < least) this.#fail(node, `expected at least ${least} ${call}`)
    if (variadic > 0 && count > least + variadic) {
      this.#fail(node, `expected at most ${least + variadic} ${call}`)
    }
  }

  #infoLabels(node: QueryNode): void {
    if (node.kind !== 'selector') this.#fail(node, 'expected label selectors only')
    if (node.name !== '') {
      this.#fail(node, 'expected label selectors only, got vector selector instead')
    }
    for (const matcher of node.matchers) this.#acceptsEmpty(node, matcher)
  }

  #aggregate(node: AggregateNode): PromqlType {
    this.#expect(node.inner, 'vector', 'aggregation expression')
    if (node.parameter !== undefined) {
      const wanted = node.operation === 'count_values' ? 'string' : 'scalar'
      this.#expect(node.parameter, wanted, 'aggregation parameter')
    }
    return 'vector'
  }

  #binary(node: OperatorNode): PromqlType {
    const { operation, matching } = node
    const left = this.check(node.left)
    const right = this.check(node.right)
    const operator = { start: this.#operatorStart(node) }
    if (node.isBool && !isComparison(operation)) {
      this.#fail(operator, 'bool modifier can only be used on comparison operators')
    }
    const areScalars = left === 'scalar' && right === 'scalar'
    if (isComparison(operation) && !node.isBool && areScalars) {
      this.#fail(operator, 'comparisons between scalars must use BOOL modifier')
    }
    const both = matching.isOn && matching.labels.find((name) => matching.include.includes(name))
    if (typeof both === 'string') {
      this.#fail(operator, `label ${inQuotes(both)} must not occur in ON and GROUP clause at once`)
    }
    const wanted = 'binary expression must contain only scalar and instant vector types'
    if (left !== 'scalar' && left !== 'vector') this.#fail(node.left, wanted)
    if (right !== 'scalar' && right !== 'vector') this.#fail(node.right, wanted)
    const areVectors = left === 'vector' && right === 'vector'
    if (!areVectors && matching.labels.length > 0) {
      this.#fail(node, 'vector matching only allowed between instant vectors')
    }
    if (isSetOperation(operation)) {
      if (areVectors && matching.cardinality !== 'one-to-one') {
        this.#fail(node, `no grouping allowed for ${inQuotes(operation)} operation`)
      }
      if (!areVectors) {
        this.#fail(
          node,
          `set operator ${inQuotes(operation)} not allowed in binary scalar expression`,
        )
      }
    }
    if (areScalars && (operation === '</' || operation === '>/')) {
      this.#fail(operator, `operator ${inQuotes(operation)} not allowed between scalars`)
    }
    return areScalars ? 'scalar' : 'vector'
  }

  #operatorStart(node: OperatorNode): number {
    const between = this.#query.slice(node.left.end)
    return node.left.end + (/\S/.exec(between)?.index ?? 0)
  }
}
