import { ExpressionError } from '../expression-error.ts'
import type { Span } from '../expression-types.ts'
import type { Expression } from './expression-tree.ts'
import { EXPRESSION_DEPTH_MAX, EXPRESSION_NODES_MAX } from './syntax-limits.ts'

/** How much one text may hold. */
interface TreeLimits {
  /** What the text is, in messages: "expression". */
  readonly what: string
  readonly nodesMax: number
}

const EXPRESSION_LIMITS: TreeLimits = { what: 'expression', nodesMax: EXPRESSION_NODES_MAX }

type Bare<T> = T extends Expression ? Omit<T, 'depth'> : never

/** Makes the nodes of one expression and holds them to the limits of depth and number. */
export class TreeBuilder {
  readonly text: string
  readonly #limits: TreeLimits
  #nodes = 0

  constructor(text: string, limits = EXPRESSION_LIMITS) {
    this.text = text
    this.#limits = limits
  }

  /** Completes a node by its depth over its children. */
  node(bare: Bare<Expression>, children: readonly { readonly depth: number }[] = []): Expression {
    let depth = 1
    for (const child of children) depth = Math.max(depth, child.depth + 1)
    this.refuseDepth(depth, bare.span)
    this.count(bare.span)
    return { ...bare, depth } as Expression
  }

  /** Counts one more part of the text, and refuses one too many. */
  count(span: Span): void {
    this.#nodes += 1
    const { what, nodesMax } = this.#limits
    if (this.#nodes > nodesMax)
      this.fail(`The ${what} has more than ${nodesMax} terms. Split it`, span)
  }

  /** Refuses what is nested deeper than anything that walks a tree has room for. */
  refuseDepth(depth: number, span: Span): void {
    // The deepest level is an operand.
    if (depth <= EXPRESSION_DEPTH_MAX + 1) return
    const most = `Nested deeper than ${EXPRESSION_DEPTH_MAX} levels`
    this.fail(`${most}. Split it, or put parts of a long chain in parentheses`, span)
  }

  fail(problem: string, span: Span): never {
    throw new ExpressionError(problem, this.text, span)
  }
}
