import type { SeriesMatcher } from '../source.ts'

export type PromqlType = 'scalar' | 'string' | 'vector' | 'matrix'

export interface NodePlace {
  /** Index of the first character in the query, and of the one after the last. */
  readonly start: number
  readonly end: number
}

interface NodeBase extends NodePlace {
  /** How many levels of nodes there are from here down. */
  readonly depth: number
}

interface NumberNode extends NodeBase {
  readonly kind: 'number'
  readonly value: number
}

interface StringNode extends NodeBase {
  readonly kind: 'string'
  readonly value: string
}

/** When a selector or subquery is evaluated, instead of at the time of each step. */
export interface TimeShift {
  readonly offsetMs: number
  /** A time of `@`, or one end of the query. */
  readonly at: number | 'start' | 'end' | undefined
}

export interface SelectorNode extends NodeBase, TimeShift {
  readonly kind: 'selector'
  /** The name before the braces; empty when there is none. */
  readonly name: string
  /** All matchers; that of the name is the last. */
  readonly matchers: readonly SeriesMatcher[]
}

export interface MatrixNode extends NodeBase {
  readonly kind: 'matrix'
  readonly selector: SelectorNode
  readonly rangeMs: number
}

export interface SubqueryNode extends NodeBase, TimeShift {
  readonly kind: 'subquery'
  readonly inner: QueryNode
  readonly rangeMs: number
  /** 0 when the query names none. */
  readonly stepMs: number
}

export interface FunctionNode extends NodeBase {
  readonly kind: 'call'
  readonly name: string
  readonly args: readonly QueryNode[]
}

export interface AggregateNode extends NodeBase {
  readonly kind: 'aggregate'
  readonly operation: string
  readonly grouping: readonly string[]
  readonly isWithout: boolean
  readonly parameter: QueryNode | undefined
  readonly inner: QueryNode
}

export interface VectorMatching {
  readonly cardinality: 'one-to-one' | 'many-to-one' | 'one-to-many'
  readonly isOn: boolean
  readonly labels: readonly string[]
  /** Labels that `group_left` or `group_right` copy from the "one" side. */
  readonly include: readonly string[]
}

export interface OperatorNode extends NodeBase {
  readonly kind: 'binary'
  readonly operation: string
  readonly isBool: boolean
  readonly matching: VectorMatching
  readonly left: QueryNode
  readonly right: QueryNode
}

export interface SignNode extends NodeBase {
  readonly kind: 'unary'
  readonly operation: '+' | '-'
  readonly inner: QueryNode
}

interface ParenNode extends NodeBase {
  readonly kind: 'paren'
  readonly inner: QueryNode
}

export type QueryNode =
  | NumberNode
  | StringNode
  | SelectorNode
  | MatrixNode
  | SubqueryNode
  | FunctionNode
  | AggregateNode
  | OperatorNode
  | SignNode
  | ParenNode

/** The node inside all parentheses around it. */
export function unwrapParens(node: QueryNode): QueryNode {
  let inner = node
  while (inner.kind === 'paren') inner = inner.inner
  return inner
}
