import type { ExpressionFunction, ParameterKind, TermTools } from '../operation/function-entry.ts'
import { expressionFunctions, findFunction } from '../operation/function-table.ts'
import type { Term } from '../operation/operation.ts'
import type { CallNode } from '../syntax/expression-tree.ts'
import {
  type FailAt,
  toCondition,
  toDouble,
  toNumber,
  toText,
  unifyTerms,
} from './convert-terms.ts'
import { nearestName, shorten } from './nearest-name.ts'

/** Names of functions that people bring from elsewhere, with those that do the same here. */
const NAMES_IN_OTHER_LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['log', 'ln or log10'],
  ['isnan', 'isNull'],
  ['concat', '+'],
  ['mod', '%'],
])

/** SQLite takes no more arguments than some hundred. */
const ARGUMENTS_MAX = 100

interface CallTools {
  readonly failAt: FailAt
  readonly timeZoneId: string
}

/** The term of a call: the function is found, its arguments are counted and converted. */
export function checkCall(node: CallNode, args: readonly Term[], tools: CallTools): Term {
  const { name, span } = node
  const nameSpan = { from: span.from, until: span.from + name.length }
  const found = findFunction(name)
  if (found === undefined)
    throw tools.failAt(`Unknown function "${shorten(name)}"${adviceOn(name)}`, nameSpan)
  const { parameters, making } = found
  const least = parameters.filter(({ isOptional }) => isOptional !== true).length
  const most = parameters.at(-1)?.isRepeated === true ? ARGUMENTS_MAX : parameters.length
  if (args.length < least || args.length > most) {
    throw tools.failAt(`${describeCount(found, args.length)}. Write ${signatureOf(found)}`, span)
  }
  const { failAt, timeZoneId } = tools
  if ('make' in making) return making.make(args, termTools(failAt, timeZoneId, span))
  const terms = args.map((arg, index) =>
    convert(arg, parameters[Math.min(index, parameters.length - 1)].kind, failAt),
  )
  return { kind: 'apply', operation: making.operation, args: terms, type: making.type, span }
}

function convert(term: Term, kind: ParameterKind, failAt: FailAt): Term {
  switch (kind) {
    case 'number':
      return toDouble(term, failAt)
    case 'whole':
      return toNumberNow(term, failAt)
    case 'text':
      return toText(term)
    case 'condition':
      return toCondition(term, failAt)
    case 'any':
      return term
  }
}

/** A number with the type it has; where the type is unknown, texts fail at run time. */
function toNumberNow(term: Term, failAt: FailAt): Term {
  const number = toNumber(term, failAt)
  return number.type === 'UNKNOWN' ? toDouble(number, failAt) : number
}

function termTools(failAt: FailAt, timeZoneId: string, span: Term['span']): TermTools {
  return {
    span,
    timeZoneId,
    text: toText,
    number: (term) => toNumberNow(term, failAt),
    double: (term) => toDouble(term, failAt),
    condition: (term) => toCondition(term, failAt),
    unify: (terms) => unifyTerms(terms, failAt),
  }
}

/** A function with the names of its parameters, as documentation and messages show it. */
export function signatureOf({ name, parameters }: ExpressionFunction): string {
  const words = parameters.map((parameter) => {
    if (parameter.isRepeated === true) return '…'
    return parameter.isOptional === true ? `[${parameter.name}]` : parameter.name
  })
  return `${name}(${words.join(', ')})`
}

function describeCount({ name, parameters }: ExpressionFunction, count: number): string {
  const given = count === 1 ? 'one argument' : `${count} arguments`
  return parameters.length === 0
    ? `${name}() takes no arguments`
    : `${name}() does not take ${given}`
}

function adviceOn(name: string): string {
  const elsewhere = NAMES_IN_OTHER_LANGUAGES.get(name.toLowerCase())
  if (elsewhere !== undefined) return `: write ${elsewhere}`
  const nearest = nearestName(
    name,
    expressionFunctions.map((entry) => entry.name),
  )
  return nearest === undefined ? ': docs/expressions.md lists them' : `: did you mean ${nearest}?`
}
