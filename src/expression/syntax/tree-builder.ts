import { ExpressionError } from '../expression-error.ts'
import type { Span } from '../expression-types.ts'
import type { Expression } from './expression-tree.ts'

/** How deep an expression may be nested: all that walk it, SQLite too, have room for this much. */
export const EXPRESSION_DEPTH_MAX = 250

/** The parts of one expression: each costs a microsecond or two to read. */
export const EXPRESSION_NODES_MAX = 2_500

type Bare<T> = T extends Expression ? Omit<T, 'depth'> : never

/** Makes the nodes of one expression and holds them to the limits of depth and number. */
export class TreeBuilder {
  readonly text: string
  #nodes = 0

  constructor(text: string) {
    this.text = text
  }

  /** Completes a node by its depth over its children. */
  node(bare: Bare<Expression>, children: readonly Expression[] = []): Expression {
    let depth = 1
    for (const child of children) depth = Math.max(depth, child.depth + 1)
    this.refuseDepth(depth, bare.span)
    this.#nodes += 1
    if (this.#nodes > EXPRESSION_NODES_MAX) {
      this.fail(`The expression has more than ${EXPRESSION_NODES_MAX} parts: part it`, bare.span)
    }
    return { ...bare, depth } as Expression
  }

  /** Refuses what is nested deeper than anything that walks a tree has room for. */
  refuseDepth(depth: number, span: Span): void {
    if (depth <= EXPRESSION_DEPTH_MAX) return
    const most = `Nested deeper than ${EXPRESSION_DEPTH_MAX} levels`
    this.fail(`${most}: break it up; in a long chain put parts of it in parentheses`, span)
  }

  fail(problem: string, span: Span): never {
    throw new ExpressionError(problem, this.text, span)
  }
}
