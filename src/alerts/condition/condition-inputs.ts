import type { StatisticId } from '../../catalog/shape/index.ts'
import { type Expression, ExpressionError, type Span } from '../../expression/index.ts'

/** What a condition reads. */
export type ConditionInput =
  /** The value and the time of the sample, or of one that many samples before. */
  | { readonly kind: 'value' | 'time'; readonly back: number }
  /** A statistic of the cycle's period that holds the sample, or of one that many periods before. */
  | {
      readonly kind: 'stat'
      readonly cycleId: string
      readonly statistic: StatisticId
      readonly back: number
    }
  /** A statistic of the last minutes, up to the sample. */
  | { readonly kind: 'recent'; readonly minutes: number; readonly statistic: StatisticId }
  /** The latest value of another stream of the component at the time of the sample. */
  | { readonly kind: 'stream'; readonly streamId: string }

/** Every statistic. The list of the catalog is not loaded, because a thread reads conditions, too. */
const STATISTICS: Readonly<Record<StatisticId, true>> = {
  first: true,
  last: true,
  min: true,
  max: true,
  avg: true,
  sum: true,
  minoccurrence: true,
  maxoccurrence: true,
  gapcount: true,
  nongapcount: true,
  intvlcount: true,
  milliseccount: true,
  nongapmilliseccount: true,
}
const STATISTIC_IDS = Object.keys(STATISTICS) as StatisticId[]

/** Samples or periods that a condition looks back: reading more takes too long for each sample. */
const BACK_MAX = 100
/** A week of minutes. Longer windows are statistics of a cycle. */
const MINUTES_MAX = 7 * 24 * 60
/** Different inputs of one condition: each may be a read of its own. */
const INPUTS_MAX = 20
/** Inputs have names that no text of a condition can contain. */
const NAME_PREFIX = '\u0000'

/** A condition whose inputs are variables. */
interface InputTree {
  readonly tree: Expression
  /** Their names are those of `nameOfInput`. */
  readonly inputs: readonly ConditionInput[]
}

/** The name of an input, by its place. */
function nameOfInput(place: number): string {
  return `${NAME_PREFIX}${place}`
}

/** The place of an input with a name; undefined for a name that is none. */
export function placeOfInput(name: string): number | undefined {
  return name.startsWith(NAME_PREFIX) ? Number(name.slice(NAME_PREFIX.length)) : undefined
}

type Call = Extract<Expression, { kind: 'call' }>

/** Replaces what a condition reads by variables; throws ExpressionError at the first mistake. */
export function replaceInputs(text: string, tree: Expression): InputTree {
  const inputs: ConditionInput[] = []
  const failAt = (problem: string, span: Span) => new ExpressionError(problem, text, span)
  const variableOf = (input: ConditionInput, { span, depth }: Expression): Expression => {
    const known = inputs.findIndex((one) => JSON.stringify(one) === JSON.stringify(input))
    const place = known < 0 ? inputs.push(input) - 1 : known
    if (place >= INPUTS_MAX) {
      throw failAt(`A condition reads at most ${INPUTS_MAX} different values`, span)
    }
    return { kind: 'variable', name: nameOfInput(place), span, depth }
  }
  const replace = (node: Expression): Expression => {
    const input = inputOf(node, failAt)
    return input === undefined ? withParts(node, replace) : variableOf(input, node)
  }
  return { tree: replace(tree), inputs }
}

type FailAt = (problem: string, span: Span) => ExpressionError

/** What a node reads; undefined where it reads nothing by itself. */
function inputOf(node: Expression, failAt: FailAt): ConditionInput | undefined {
  if (node.kind === 'variable') return variableInput(node.name)
  if (node.kind !== 'call') return undefined
  switch (node.name.toLowerCase()) {
    case 'previous':
      return { kind: 'value', back: backIn(node, failAt) }
    case 'previoustime':
      return { kind: 'time', back: backIn(node, failAt) }
    case 'stat':
      return statIn(node, failAt)
    case 'recent':
      return recentIn(node, failAt)
    case 'stream': {
      const streamId = textIn(node, 0, { what: 'the ID of a stream in quotes', failAt })
      requireCount(node, { least: 1, most: 1, form: "stream('id')" }, failAt)
      return { kind: 'stream', streamId }
    }
    default:
      return undefined
  }
}

function variableInput(name: string): ConditionInput | undefined {
  const known = name.toLowerCase()
  return known === 'value' || known === 'time' ? { kind: known, back: 0 } : undefined
}

/** How far previous() looks back: one sample unless it says otherwise. */
function backIn(node: Call, failAt: FailAt): number {
  requireCount(node, { least: 0, most: 1, form: `${node.name}(1)` }, failAt)
  if (node.args.length === 0) return 1
  const range = { least: 1, most: BACK_MAX }
  return wholeIn(node, 0, { what: `a number from 1 to ${BACK_MAX}`, failAt, range })
}

function statIn(node: Call, failAt: FailAt): ConditionInput {
  requireCount(node, { least: 2, most: 3, form: "stat('day', 'max')" }, failAt)
  const cycleId = textIn(node, 0, { what: 'the ID of a cycle in quotes', failAt })
  const statistic = statisticIn(node, 1, failAt)
  if (node.args.length < 3) return { kind: 'stat', cycleId, statistic, back: 0 }
  const range = { least: -BACK_MAX, most: 0 }
  const what = `0, or how many periods back as a number from -${BACK_MAX} to -1`
  return { kind: 'stat', cycleId, statistic, back: -wholeIn(node, 2, { what, failAt, range }) }
}

function recentIn(node: Call, failAt: FailAt): ConditionInput {
  requireCount(node, { least: 2, most: 2, form: "recent(10, 'avg')" }, failAt)
  const range = { least: 1, most: MINUTES_MAX }
  const what = `a number of minutes from 1 to ${MINUTES_MAX}`
  const minutes = wholeIn(node, 0, { what, failAt, range })
  return { kind: 'recent', minutes, statistic: statisticIn(node, 1, failAt) }
}

function requireCount(
  { args, name, span }: Call,
  { least, most, form }: { readonly least: number; readonly most: number; readonly form: string },
  failAt: FailAt,
): void {
  if (args.length >= least && args.length <= most) return
  throw failAt(`${name}() cannot take ${args.length} arguments. Write ${form}`, span)
}

interface Wanted {
  readonly what: string
  readonly failAt: FailAt
}

function textIn(node: Call, place: number, { what, failAt }: Wanted): string {
  const arg = node.args[place]
  if (arg?.kind === 'literal' && typeof arg.value === 'string' && arg.value !== '') {
    return arg.value
  }
  throw failAt(`Argument ${place + 1} of ${node.name}() must be ${what}`, arg?.span ?? node.span)
}

function wholeIn(
  node: Call,
  place: number,
  { what, failAt, range }: Wanted & { readonly range: { least: number; most: number } },
): number {
  const arg = node.args[place]
  const number = numberOf(arg)
  const isFine =
    Number.isInteger(number) && Number(number) >= range.least && Number(number) <= range.most
  if (isFine) return Number(number)
  throw failAt(`Argument ${place + 1} of ${node.name}() must be ${what}`, arg.span)
}

/** The number that is written, also with a minus. */
function numberOf(node: Expression): number | undefined {
  if (node.kind === 'literal' && typeof node.value === 'number') return node.value
  if (node.kind !== 'unary' || node.operator !== '-') return undefined
  const operand = numberOf(node.operand)
  return operand === undefined ? undefined : -operand
}

function statisticIn(node: Call, place: number, failAt: FailAt): StatisticId {
  const what = `one of ${STATISTIC_IDS.map((id) => `'${id}'`).join(', ')}`
  const text = textIn(node, place, { what, failAt }).toLowerCase()
  const known = STATISTIC_IDS.find((id) => id === text)
  if (known !== undefined) return known
  throw failAt(`Argument ${place + 1} of ${node.name}() must be ${what}`, node.args[place].span)
}

/** A node with all its parts replaced. */
function withParts(node: Expression, replace: (part: Expression) => Expression): Expression {
  switch (node.kind) {
    case 'literal':
    case 'variable':
    case 'foreign':
      return node
    case 'unary':
    case 'cast':
      return { ...node, operand: replace(node.operand) }
    case 'binary':
      return { ...node, left: replace(node.left), right: replace(node.right) }
    case 'call':
      return { ...node, args: node.args.map(replace) }
    case 'case':
      return {
        ...node,
        subject: node.subject && replace(node.subject),
        branches: node.branches.map(({ when, then }) => ({
          when: replace(when),
          // biome-ignore lint/suspicious/noThenProperty: a branch of CASE, which nobody awaits
          then: replace(then),
        })),
        otherwise: node.otherwise && replace(node.otherwise),
      }
    default:
      return { ...node, operand: replace(node.operand), args: node.args.map(replace) }
  }
}
