import { parseSync } from 'vite'

/** A change of one place of a source file that its tests ought to notice. */
export interface Mutation {
  readonly from: number
  readonly until: number
  readonly replacement: string
  /** What kind of change it is. */
  readonly kind: 'condition' | 'constant' | 'call'
}

/** A node of the syntax tree; which fields there are depends on its type. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

const OPPOSITES: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
}

/** Calls that only log: nothing depends on them. */
const TELLING =
  /^(?:await\s+)?(?:this\.)?#?\w*(?:log|console)\w*[.?]|\.(?:debug|info|warn|trace)\(/i

/** All changes of a source text: inverted conditions, changed constants, and dropped calls. */
export function findMutations(text: string): Mutation[] {
  const found: Mutation[] = []
  const visit = (node: Node): void => {
    if (node.type.startsWith('TS') && !/^TS(?:As|NonNull|Satisfies)/.test(node.type)) return
    const mutation = mutationOf(node, text)
    if (mutation !== undefined) found.push(mutation)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(parseSync('source.ts', text).program as unknown as Node)
  return found
}

function mutationOf(node: Node, text: string): Mutation | undefined {
  const { start: from, end: until } = node
  const own = text.slice(from, until)
  if (node.type === 'ExpressionStatement') {
    if (!/^(?:await\s+)?[\w#.?![\]]+\(/.test(own) || TELLING.test(own)) return undefined
    return { from, until, replacement: ';', kind: 'call' }
  }
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
    const test = node.test as Node
    const replacement = `!(${text.slice(test.start, test.end)})`
    return { from: test.start, until: test.end, replacement, kind: 'condition' }
  }
  if (node.type === 'BinaryExpression' && String(node.operator) in OPPOSITES)
    return swapOperator(node, text)
  if (node.type === 'Literal' && typeof node.value === 'number')
    return { from, until, replacement: `${node.value + 1}`, kind: 'constant' }
  if (node.type === 'Literal' && typeof node.value === 'boolean')
    return { from, until, replacement: `${!node.value}`, kind: 'constant' }
  return undefined
}

function swapOperator(node: Node, text: string): Mutation {
  const [left, right] = [node.left as Node, node.right as Node]
  const between = text.slice(left.end, right.start)
  const operator = String(node.operator)
  const from = left.end + between.indexOf(operator)
  const until = from + operator.length
  return { from, until, replacement: OPPOSITES[operator], kind: 'condition' }
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter(
      (value): value is Node => value !== null && typeof value === 'object' && 'type' in value,
    )
}
