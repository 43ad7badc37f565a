import type { ExpressionType, ExpressionValue } from '../expression-types.ts'
import { JsonMistake } from '../json/json-mistake.ts'
import { type PathStep, readJsonPath } from '../json/json-path.ts'
import { type JsonRaw, JsonText } from '../json/json-text.ts'
import { type ExpressionFunction, parametersOf } from './function-entry.ts'
import { isLong, shortenLong, textOfValue } from './numbers.ts'
import type { Operation, Present, Run } from './operation.ts'
import { madeText } from './text-work.ts'

/** What a path leads to: a value, or how many parts it has where it is an object or array. */
interface Found {
  raw: JsonRaw | undefined
  parts: number | undefined
}

/** Reads all of a text, so that one that is no JSON fails whatever the path, and what it leads to. */
function findIn(run: Run, text: Present, path: Present): Found {
  const source = textOfValue(text)
  run.charge(source.length)
  const found: Found = { raw: undefined, parts: undefined }
  if (source.trim() === '') return found
  try {
    const segments = readJsonPath(textOfValue(path))
    if (segments.length > 1) run.fail('[*] selects many values. Use JSON_TABLE to get rows')
    const json = new JsonText(source)
    follow(json, segments[0], found)
    json.end()
  } catch (error) {
    if (error instanceof JsonMistake) run.fail(error.message)
    throw error
  }
  return found
}

function follow(json: JsonText, [step, ...rest]: readonly PathStep[], found: Found): void {
  if (step === undefined) {
    read(json, found)
    return
  }
  let isMet = false
  const visit = (isIt: boolean): boolean => {
    // Of a repeated name the first counts.
    if (!isIt || isMet) return false
    isMet = true
    follow(json, rest, found)
    return true
  }
  if (json.isObject()) json.walk({ member: (name) => visit(name === step) })
  else if (json.isArray()) json.walk({ element: (index) => visit(index === step) })
  else json.skip()
}

function read(json: JsonText, found: Found): void {
  if (!json.isObject() && !json.isArray()) {
    found.raw = json.scalar()
    return
  }
  const start = json.position()
  let parts = 0
  const count = (): boolean => {
    parts += 1
    return false
  }
  json.walk({ member: count, element: count })
  found.raw = { is: 'whole', text: json.since(start) }
  found.parts = parts
}

function valueOfRaw(run: Run, raw: JsonRaw | undefined): ExpressionValue {
  switch (raw?.is) {
    case undefined:
    case 'null':
      return null
    case 'true':
    case 'false':
      return raw.is === 'true'
    case 'number':
      return numberOf(raw.text)
    default:
      return madeText(run, raw?.text ?? '')
  }
}

/** A number as LONG where it is written as a whole one and fits, else as DOUBLE; NULL beyond all. */
function numberOf(text: string): number | bigint | null {
  if (/^-?\d{1,19}$/.test(text) && isLong(BigInt(text))) return shortenLong(BigInt(text))
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

interface JsonEntry {
  readonly name: string
  readonly help: string
  readonly type: ExpressionType
  readonly result: string
  readonly examples: ExpressionFunction['examples']
  readonly value: Operation['value']
}

function jsonFunction(entry: JsonEntry): ExpressionFunction {
  const { name, help, type, result, examples, value } = entry
  const gives = type === 'LONG' ? ({ gives: 'LONG' } as const) : {}
  const operation: Operation = { name: name.toLowerCase(), value, ...gives }
  return {
    name,
    group: 'Texts',
    help,
    result,
    examples,
    parameters: parametersOf('text', 'text', 'path'),
    making: { operation, type },
    operations: [operation],
  }
}

/** Functions of texts that are JSON. */
export const jsonFunctions: readonly ExpressionFunction[] = [
  jsonFunction({
    name: 'jsonValue',
    help: 'The value at a path into a text that is JSON, with its own type; objects and arrays as text, NULL where there is none.',
    type: 'UNKNOWN',
    result: 'as the value',
    examples: [
      ['jsonValue(\'{"t":{"value":21.5}}\', \'$.t.value\')', 21.5],
      ['jsonValue(\'["a","b"]\', \'$[1]\')', 'b'],
    ],
    value: (run, text, path) => valueOfRaw(run, findIn(run, text, path).raw),
  }),
  jsonFunction({
    name: 'jsonLength',
    help: 'How many parts the array or object at a path into JSON has; NULL where it is none.',
    type: 'LONG',
    result: 'LONG',
    examples: [["jsonLength('{\"list\":[1,2,3]}', '$.list')", 3]],
    value: (run, text, path) => findIn(run, text, path).parts ?? null,
  }),
]
