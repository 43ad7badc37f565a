/**
 * Terms as an expression of SQLite. Its own operators are used where they give the same for every value
 * of the known types; all else asks a function of `sqlFunctions`, which runs the same operation.
 */
import { invariant, TEXT_LENGTH_MAX } from '../../base/plain.ts'
import type { CheckedExpression } from '../check/check-expression.ts'
import type { ExpressionValue, Span } from '../expression-types.ts'
import { decimalToDouble } from '../operation/conversions.ts'
import {
  type Operation,
  type SqlOperand,
  type Term,
  withoutAffinity,
} from '../operation/operation.ts'
import { SQL_BETWEEN, SQL_IN, SQL_PREFIX, SQL_VARIABLE, sqlNameOf } from './sql-functions.ts'

/** Every LONG has as many bits, its sign aside; conditions have one. */
const LONG_BITS = 63

/** Digits and exponents up to which SQLite reads a decimal to the nearest double for certain. */
const EXACT_DIGITS = 15
const EXACT_EXPONENT = 22

/** A longer side of AND is not written down twice: nested ones would grow beyond all bounds. */
const REPEATED_LENGTH_MAX = 2_000

/** Texts from which on SQLite's own functions are asked; shorter ones are faster and as exact in ours. */
const LONG_TEXT_BYTES = 4_096

/** There are as many functions for each as variables can be known: few. */
const VARIABLE = /^:v(\d)$/

/** A column or a variable. */
const NAME = /^[\w.:"]+$/

/** SQLite takes no more arguments than some hundred: a longer list is left to its own IN. */
const ARGUMENTS_MAX = 100

/** SQL text of a checked expression; `columnOf` gives the text that stands for a variable. */
export function printSql(
  { term }: CheckedExpression,
  columnOf: (name: string, index: number) => string,
): string {
  return printTerm(term, { columnOf })
}

/** How terms are written down for SQLite. */
export interface SqlSpelling {
  /** The text that stands for a variable, whole by itself. */
  readonly columnOf: (name: string, index: number) => string
  /** Whether variables have no affinity, so that SQLite may look them up in an index. */
  readonly isBare?: boolean
  /** The first argument of our functions, with the place of a call where it fails. */
  readonly placeOf?: (span: Span) => string
  /** Whether our functions know the variables :v0 to :v9, so that texts in them need not be handed over. */
  readonly knowsVariables?: boolean
}

/** SQL text of a checked term, whole by itself. */
export function printTerm(term: Term, spelling: SqlSpelling): string {
  return printOperand(term, spelling).text
}

function printOperand(term: Term, spelling: SqlSpelling): SqlOperand {
  const { type } = term
  if (term.kind === 'constant') {
    const text = printConstant(term.value, type === 'DOUBLE', () => spelling.placeOf?.(term.span))
    const literal = typeof term.value === 'string' ? term.value : undefined
    return { text, type, bits: bitsOf(term), literal }
  }
  if (term.kind === 'input') {
    const text = spelling.columnOf(term.name, term.index)
    const isName = NAME.test(text)
    return { text, type, bits: bitsOf(term), isBare: spelling.isBare === true, isName }
  }
  const args = term.args.map((arg) => printOperand(arg, spelling))
  const place = () => (spelling.placeOf === undefined ? [] : [spelling.placeOf(term.span)])
  if (term.kind !== 'apply') {
    const bits = type === 'BOOLEAN' ? 1 : undefined
    return { text: `(${printForm(term.kind, args, place)})`, type, bits }
  }
  const { operation } = term
  const native = operation.sql?.(args)
  const own = () => {
    const known = spelling.knowsVariables === true ? knownVariable(args) : undefined
    const handed = known === undefined ? args : args.slice(1)
    const words = [...place(), ...handed.map((arg) => arg.text)].join(', ')
    const call = `${sqlNameOf(operation)}${known ?? ''}(${words})`
    // What a text is made to is handed over in turn.
    return known === undefined || type === 'STRING' ? ofLongText(operation, args, call) : call
  }
  const text = native === undefined ? own() : `(${native})`
  const isLong = operation.gives === 'LONG' || type === 'BOOLEAN'
  const bits = native === undefined ? (isLong ? LONG_BITS : undefined) : nativeBits(args, type)
  return { text, type, bits }
}

/** The end of the name of a function whose first argument is a text in a variable that it knows. */
function knownVariable([of]: readonly SqlOperand[]): string | undefined {
  if (of?.type !== 'STRING') return undefined
  const [, digit] = VARIABLE.exec(of.text) ?? []
  return digit === undefined ? undefined : `${SQL_VARIABLE}${digit}`
}

/**
 * Node keeps the strings it passes to our functions until a step of a query ends, and a step may cover thousands of
 * rows. Long texts are left to SQLite's functions where these give the same result.
 */
function ofLongText(operation: Operation, args: readonly SqlOperand[], own: string): string {
  const [of] = args
  if (of?.isName !== true || own.length > REPEATED_LENGTH_MAX) return own
  const long = operation.longSql?.(args)
  if (long === undefined) return own
  const isLong = `octet_length(${of.text}) BETWEEN ${LONG_TEXT_BYTES} AND ${TEXT_LENGTH_MAX}`
  const isPlain = `instr(${of.text}, char(0)) = 0`
  return `CASE WHEN ${isLong} AND ${isPlain} THEN ${long} ELSE ${own} END`
}

/** What SQLite's own + - * and % give: at most the bits of both operands and one more. */
function nativeBits(args: readonly SqlOperand[], type: Term['type']): number | undefined {
  if (type === 'BOOLEAN') return 1
  if (type !== 'LONG') return undefined
  return args.reduce<number | undefined>(
    (sum, { bits }) => (sum === undefined || bits === undefined ? undefined : sum + bits),
    1,
  )
}

function bitsOf(term: Extract<Term, { kind: 'constant' | 'input' }>): number | undefined {
  if (term.type === 'BOOLEAN') return 1
  return term.type === 'LONG' ? LONG_BITS : undefined
}

function printForm(
  kind: Exclude<Term['kind'], 'apply' | 'constant' | 'input'>,
  operands: readonly SqlOperand[],
  place: () => readonly string[],
) {
  const args = operands.map(({ text }) => text)
  const [first, ...rest] = operands.map(withoutAffinity)
  switch (kind) {
    case 'and':
      return printLogic('AND', args)
    case 'or':
      return printLogic('OR', args)
    case 'isNull':
      return `${args[0]} IS NULL`
    case 'nullIf':
      return `nullif(${first}, ${rest[0]})`
    case 'coalesce':
      return `coalesce(${args.join(', ')})`
    case 'choose':
      return `CASE ${branches(args, args)} END`
    case 'switch':
      return `CASE ${first} ${branches(rest, args.slice(1))} END`
    case 'in':
      return mayFail(args) && args.length <= ARGUMENTS_MAX
        ? `${SQL_IN}(${[...place(), ...args].join(', ')})`
        : `${first} IN (${rest.join(', ')})`
    case 'between':
      return mayFail(args)
        ? `${SQL_BETWEEN}(${[...place(), ...args].join(', ')})`
        : `${first} BETWEEN ${rest.join(' AND ')}`
  }
}

/** Only our own functions fail; where SQLite may leave an argument out, failures would depend on it. */
function mayFail(args: readonly string[]): boolean {
  return args.some((text) => text.includes(SQL_PREFIX))
}

/**
 * SQLite evaluates both sides of AND and OR, or drops the first beside a constant. Where one may fail,
 * the second is evaluated only if the first does not decide, as in closures; that writes it down twice.
 */
function printLogic(word: 'AND' | 'OR', [left, right]: readonly string[]): string {
  if (!mayFail([left, right]) || right.length > REPEATED_LENGTH_MAX)
    return `${left} ${word} ${right}`
  const [decides, other] = word === 'AND' ? [0, 1] : [1, 0]
  const rest = `WHEN ${other} THEN ${right} ELSE nullif(${right}, ${other})`
  return `CASE ${left} WHEN ${decides} THEN ${decides} ${rest} END`
}

function branches(whens: readonly string[], args: readonly string[]): string {
  const words: string[] = []
  for (let index = 0; index < args.length - 1; index += 2) {
    words.push(`WHEN ${whens[index]} THEN ${args[index + 1]}`)
  }
  return `${words.join(' ')} ELSE ${args[args.length - 1]}`
}

type PlaceText = () => string | undefined

function printConstant(value: ExpressionValue, isDouble: boolean, place: PlaceText): string {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'string') return printText(value)
  const digits = Object.is(value, -0) ? '-0' : String(value)
  const text = isDouble ? printDouble(digits, place) : digits
  return text.startsWith('-') ? `(${text})` : text
}

/** A DOUBLE as SQLite reads it; what it may round otherwise is read by our own function. */
function printDouble(digits: string, place: PlaceText): string {
  const [mantissa, exponent = '0'] = digits.split('e')
  const [whole, fraction = ''] = mantissa.replace('-', '').split('.')
  const isExact =
    whole.length + fraction.length <= EXACT_DIGITS &&
    Math.abs(Number(exponent)) + fraction.length <= EXACT_EXPONENT
  if (!isExact) {
    const args = [place(), `'${digits}'`].filter((arg) => arg !== undefined)
    return `${sqlNameOf(decimalToDouble)}(${args.join(', ')})`
  }
  return /^-?\d+$/.test(digits) ? `${digits}.0` : digits
}

function printText(text: string): string {
  invariant(!text.includes('\0'), 'a text with U+0000 in an expression')
  return `'${text.replaceAll("'", "''")}'`
}
