import { TEXT_LENGTH_MAX } from '../../base/plain.ts'
import type { ExpressionType, ExpressionValue } from '../expression-types.ts'
import { countCharacters, sliceCharacters } from './characters.ts'
import { type ExpressionFunction, type Parameter, parametersOf } from './function-entry.ts'
import * as longText from './long-text.ts'
import { textOfValue } from './numbers.ts'
import type { Operation, Present, Run } from './operation.ts'
import { failLength, madeText } from './text-work.ts'

interface TextEntry {
  readonly name: string
  readonly help: string
  readonly parameters: readonly Parameter[]
  readonly type: ExpressionType
  readonly examples: readonly (readonly [string, ExpressionValue])[]
  readonly longSql?: Operation['longSql']
  readonly value: (run: Run, ...args: Present[]) => ExpressionValue
}

/** A function whose work on texts is counted before it begins, and again by its result. */
function textFunction(entry: TextEntry): ExpressionFunction {
  const { name, help, parameters, type, examples, longSql, value } = entry
  const operation: Operation = {
    name: name.toLowerCase(),
    ...(type === 'LONG' ? { gives: 'LONG' } : {}),
    longSql,
    value: (run, ...args) => {
      for (const arg of args) if (typeof arg === 'string') run.charge(arg.length)
      const result = value(run, ...args)
      return typeof result === 'string' ? madeText(run, result) : result
    },
  }
  const result = type === 'STRING' ? 'text' : type
  return {
    name,
    group: 'Texts',
    help,
    examples,
    parameters,
    result,
    making: { operation, type },
    operations: [operation],
  }
}

const text = textOfValue
const whole = (value: Present): number => Math.trunc(Number(value))

/** The part of a text from a position counted from 1; a negative one counts from the end. */
function partOf(value: Present, position: Present, length: Present | undefined): string {
  const source = text(value)
  const { FAR, LENGTH_FAR } = longText
  const start = Math.max(-FAR, Math.min(FAR, whole(position)))
  const from = start < 0 ? countCharacters(source) + start : start - 1
  const until =
    length === undefined ? Number.POSITIVE_INFINITY : from + Math.min(LENGTH_FAR, whole(length))
  return sliceCharacters(source, from, until)
}

/** What replacing one occurrence costs, in characters of other work. */
const REPLACED_CHARGE = 10

function replaceTexts(run: Run, source: string, found: string, replacement: string): string {
  if (found === '') return source
  let count = 0
  for (let at = source.indexOf(found); at >= 0; at = source.indexOf(found, at + found.length)) {
    count += 1
  }
  const length = source.length + count * (replacement.length - found.length)
  if (length > TEXT_LENGTH_MAX) failLength(run)
  run.charge(count * REPLACED_CHARGE)
  return source.split(found).join(replacement)
}

/** The field of one line of CSV by its index from 1; NULL beyond the last. */
function fieldOf(line: string, index: number, delimiter: string): string | null {
  let at = 0
  for (let field = 1; ; field++) {
    const { value, end } = readField(line, at, delimiter)
    if (field === index) return value
    if (end >= line.length || delimiter === '') return null
    at = end + delimiter.length
  }
}

/** One field: in double quotes, which stand twice for one inside, or up to the delimiter. */
function readField(line: string, start: number, delimiter: string) {
  if (line[start] !== '"') {
    const next = delimiter === '' ? -1 : line.indexOf(delimiter, start)
    const end = next < 0 ? line.length : next
    return { value: line.slice(start, end), end }
  }
  let value = ''
  let at = start + 1
  for (;;) {
    const quote = line.indexOf('"', at)
    value += line.slice(at, quote < 0 ? line.length : quote)
    if (quote < 0) return { value, end: line.length }
    if (line[quote + 1] !== '"') {
      const next = delimiter === '' ? -1 : line.indexOf(delimiter, quote + 1)
      return { value, end: next < 0 ? line.length : next }
    }
    value += '"'
    at = quote + 2
  }
}

function between(source: string, start: string, end: string): string | null {
  const at = source.indexOf(start)
  if (at < 0) return null
  const until = source.indexOf(end, at + start.length)
  return until < 0 ? null : source.slice(at + start.length, until)
}

/** The value of the first pair of a name; a name without = has an empty one. */
function pairValue(source: string, name: string): string | null {
  for (const pair of source.split('&')) {
    if (pair === name) return ''
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1)
  }
  return null
}

function decodeUrl(source: string): string {
  const spaced = source.replaceAll('+', ' ')
  return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}

const p = (...words: readonly string[]) => parametersOf('text', ...words)

/** Functions of texts. */
export const textFunctions: readonly ExpressionFunction[] = [
  textFunction({
    name: 'len',
    help: 'How many characters a text has.',
    parameters: p('text'),
    type: 'LONG',
    examples: [
      ["len('Grüße')", 5],
      ["len('😀')", 1],
    ],
    longSql: longText.longCount,
    value: (_run, value) => countCharacters(text(value)),
  }),
  textFunction({
    name: 'substr',
    help: 'The part of a text from a position (the first is 1, -1 the last), to its end or with a given length.',
    parameters: p('text', 'start:whole', 'length:whole?'),
    type: 'STRING',
    examples: [
      ["substr('pressure', 3, 4)", 'essu'],
      ["substr('pressure', -3)", 'ure'],
    ],
    longSql: longText.longPart,
    value: (_run, value, start, length) => partOf(value, start, length),
  }),
  textFunction({
    name: 'mid',
    help: 'A number of characters of a text from a position on; the first is 1.',
    parameters: p('text', 'start:whole', 'length:whole'),
    type: 'STRING',
    examples: [["mid('pressure', 3, 4)", 'essu']],
    longSql: longText.longPart,
    value: (_run, value, start, length) => partOf(value, start, length),
  }),
  textFunction({
    name: 'left',
    help: 'The first characters of a text.',
    parameters: p('text', 'count:whole'),
    type: 'STRING',
    examples: [["left('pressure', 3)", 'pre']],
    longSql: longText.longStart,
    value: (_run, value, count) => sliceCharacters(text(value), 0, whole(count)),
  }),
  textFunction({
    name: 'right',
    help: 'The last characters of a text.',
    parameters: p('text', 'count:whole'),
    type: 'STRING',
    examples: [["right('pressure', 4)", 'sure']],
    value: (_run, value, count) => {
      const length = countCharacters(text(value))
      return sliceCharacters(text(value), length - Math.max(0, whole(count)), length)
    },
  }),
  textFunction({
    name: 'lower',
    help: 'A text in small letters.',
    parameters: p('text'),
    type: 'STRING',
    examples: [["lower('ÄB')", 'äb']],
    value: (_run, value) => text(value).toLowerCase(),
  }),
  textFunction({
    name: 'upper',
    help: 'A text in capitals.',
    parameters: p('text'),
    type: 'STRING',
    examples: [["upper('äb')", 'ÄB']],
    value: (_run, value) => text(value).toUpperCase(),
  }),
  textFunction({
    name: 'trim',
    help: 'A text without blanks, tabs and line ends around it.',
    parameters: p('text'),
    type: 'STRING',
    examples: [["trim('  on ')", 'on']],
    value: (_run, value) => text(value).trim(),
  }),
  textFunction({
    name: 'ltrim',
    help: 'A text without blanks before it.',
    parameters: p('text'),
    type: 'STRING',
    examples: [["ltrim('  on ')", 'on ']],
    value: (_run, value) => text(value).trimStart(),
  }),
  textFunction({
    name: 'rtrim',
    help: 'A text without blanks behind it.',
    parameters: p('text'),
    type: 'STRING',
    examples: [["rtrim('  on ')", '  on']],
    value: (_run, value) => text(value).trimEnd(),
  }),
  textFunction({
    name: 'replaceAll',
    help: 'A text with every occurrence of one text replaced by another; no patterns, capitals matter.',
    parameters: p('text', 'find', 'replacement'),
    type: 'STRING',
    examples: [["replaceAll('1,5 bar', ',', '.')", '1.5 bar']],
    value: (run, value, find, replacement) =>
      replaceTexts(run, text(value), text(find), text(replacement)),
  }),
  textFunction({
    name: 'indexOf',
    help: 'The position of one text in another, from 1; 0 if it does not occur.',
    parameters: p('text', 'find'),
    type: 'LONG',
    examples: [["indexOf('a:b', ':')", 2]],
    longSql: longText.longPosition,
    value: (_run, value, find) => {
      const at = text(value).indexOf(text(find))
      return at < 0 ? 0 : countCharacters(text(value).slice(0, at)) + 1
    },
  }),
  textFunction({
    name: 'contains',
    help: 'Whether one text is in another; capitals matter.',
    parameters: p('text', 'find'),
    type: 'BOOLEAN',
    examples: [["contains('pump on', 'on')", true]],
    longSql: longText.longContains,
    value: (_run, value, find) => text(value).includes(text(find)),
  }),
  textFunction({
    name: 'startsWith',
    help: 'Whether a text begins with another.',
    parameters: p('text', 'start'),
    type: 'BOOLEAN',
    examples: [["startsWith('pump on', 'pump')", true]],
    value: (_run, value, start) => text(value).startsWith(text(start)),
  }),
  textFunction({
    name: 'endsWith',
    help: 'Whether a text ends with another.',
    parameters: p('text', 'end'),
    type: 'BOOLEAN',
    examples: [["endsWith('pump on', 'off')", false]],
    value: (_run, value, end) => text(value).endsWith(text(end)),
  }),
  textFunction({
    name: 'parseCsv',
    help: 'The field of a line of CSV by its index from 1, NULL beyond the last; fields may stand in double quotes.',
    parameters: p('text', 'index:whole', 'delimiter?'),
    type: 'STRING',
    examples: [
      ['parseCsv(\'a,"b,c",d\', 2)', 'b,c'],
      ["parseCsv('7;8', 2, ';')", '8'],
    ],
    value: (_run, value, index, delimiter = ',') =>
      fieldOf(text(value), whole(index), text(delimiter)),
  }),
  textFunction({
    name: 'textBetween',
    help: 'What stands between one text and the next occurrence of another; NULL where one is missing.',
    parameters: p('text', 'start', 'end'),
    type: 'STRING',
    examples: [["textBetween('<t>21.5</t>', '<t>', '</t>')", '21.5']],
    longSql: longText.longBetween,
    value: (_run, value, start, end) => between(text(value), text(start), text(end)),
  }),
  textFunction({
    name: 'queryValue',
    help: 'The value of a name in a query string or a form, such as a=1&b=2; NULL where it is missing.',
    parameters: p('text', 'name'),
    type: 'STRING',
    examples: [["queryValue('id=A1&temp=21.5', 'temp')", '21.5']],
    value: (_run, value, name) => pairValue(text(value), text(name)),
  }),
  textFunction({
    name: 'urlDecode',
    help: 'A text with its %-codes decoded and + as blanks; what is no code stays.',
    parameters: p('text'),
    type: 'STRING',
    examples: [["urlDecode('21%2C5+%C2%B0C')", '21,5 °C']],
    value: (_run, value) => decodeUrl(text(value)),
  }),
]
