import { inSlices, refuse, TEXT_LENGTH_MAX } from '../../base/index.ts'
import type { ValueType } from '../../catalog/shape/index.ts'
import {
  describeSample,
  type IncomingSamples,
  VALUE_EMPTY,
  VALUE_FALSE,
  VALUE_LONG_NUMBER,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from '../put/incoming-samples.ts'
import { anyNumber, numberRules } from './number-rules.ts'
import {
  canonicalDecimal,
  isFailedReading,
  isNumberText,
  isWholeText,
  parseNumberText,
} from './number-text.ts'
import { showNumber } from './unit-format.ts'

function refuseValue(samples: IncomingSamples, index: number, what: string): never {
  const where = describeSample(samples, index)
  refuse('bad_input', { what: `Cannot accept ${where}: "data" ${what}` })
}

function showIncoming(samples: IncomingSamples, index: number): string {
  switch (samples.kinds[index]) {
    case VALUE_NUMBER:
      return showNumber(samples.numbers[index])
    case VALUE_LONG_NUMBER:
      return (samples.texts?.[index] ?? '').slice(0, 60)
    case VALUE_TEXT:
      return JSON.stringify((samples.texts?.[index] ?? '').slice(0, 60))
    case VALUE_TRUE:
      return 'true'
    case VALUE_FALSE:
      return 'false'
    default:
      return '""'
  }
}

function storeNumber(samples: IncomingSamples, index: number, value: number): void {
  samples.kinds[index] = VALUE_NUMBER
  samples.numbers[index] = value
  if (samples.texts !== undefined) samples.texts[index] = undefined
}

function storeText(samples: IncomingSamples, index: number, text: string): void {
  if (text.length > TEXT_LENGTH_MAX) {
    const what = `has ${text.length} characters, at most ${TEXT_LENGTH_MAX} are allowed`
    refuseValue(samples, index, `${what}. Upload it to a file stream`)
  }
  samples.kinds[index] = VALUE_TEXT
  samples.isNumeric = false
  samples.texts ??= []
  samples.texts[index] = text
}

function settleNumber(samples: IncomingSamples, index: number, type: ValueType): void {
  const rule = numberRules[type] ?? anyNumber
  const kind = samples.kinds[index]
  const text = samples.texts?.[index] ?? ''
  const isNumber = kind === VALUE_NUMBER || kind === VALUE_LONG_NUMBER
  let value = isNumber ? samples.numbers[index] : parseNumberText(text)
  let isWhole = Number.isInteger(value) && (kind === VALUE_NUMBER || isWholeText(text))
  if (type === 'DATETIME' && Number.isNaN(value) && kind === VALUE_TEXT) {
    value = parseInstant(text)
    isWhole = true
  }
  const isInside = value >= rule.min && value <= rule.max
  if (!isInside || (rule.isWhole && !isWhole)) {
    const got = showIncoming(samples, index)
    refuseValue(samples, index, `must be ${rule.words} for a stream of type ${type}, got ${got}`)
  }
  storeNumber(samples, index, value)
}

/** Whether a value is the text of a failed reading, which counts as null unless texts are kept. */
function isFailed(samples: IncomingSamples, index: number): boolean {
  return samples.kinds[index] === VALUE_TEXT && isFailedReading(samples.texts?.[index] ?? '')
}

/** Epoch milliseconds of an ISO 8601 text with a zone or offset; NaN for any other text. */
function parseInstant(text: string): number {
  try {
    return Temporal.Instant.from(text.trim()).epochMilliseconds
  } catch {
    return Number.NaN
  }
}

function settleBoolean(samples: IncomingSamples, index: number): void {
  const kind = samples.kinds[index]
  const word =
    kind === VALUE_TEXT
      ? (samples.texts?.[index] ?? '').trim().toLowerCase()
      : showIncoming(samples, index)
  const isTrue = word === 'true' || word === '1'
  if (!isTrue && word !== 'false' && word !== '0' && word !== '-0') {
    const got = showIncoming(samples, index)
    refuseValue(samples, index, `must be true, false, 1, or 0 for a BOOLEAN stream, got ${got}`)
  }
  storeNumber(samples, index, isTrue ? 1 : 0)
}

function textOf(samples: IncomingSamples, index: number): string {
  switch (samples.kinds[index]) {
    case VALUE_TEXT:
    case VALUE_LONG_NUMBER:
      return samples.texts?.[index] ?? ''
    case VALUE_NUMBER:
      return showNumber(samples.numbers[index])
    case VALUE_TRUE:
      return 'true'
    case VALUE_FALSE:
      return 'false'
    default:
      return ''
  }
}

function settleDecimal(samples: IncomingSamples, index: number): void {
  const canonical = canonicalDecimal(textOf(samples, index))
  if (canonical === undefined) {
    const got = showIncoming(samples, index)
    refuseValue(samples, index, `must be a decimal number for a BIG_DECIMAL stream, got ${got}`)
  }
  storeText(samples, index, canonical)
}

/**
 * Turns an incoming value into what its stream keeps, in place: afterwards its kind is number, text
 * or null. Refuses a value that the type cannot hold, naming the sample.
 */
export function settleValue(samples: IncomingSamples, index: number, type: ValueType): void {
  const kind = samples.kinds[index]
  if (kind === VALUE_NULL) return
  if (type === 'FILE') {
    refuseValue(
      samples,
      index,
      'cannot be stored in a file stream. Upload files to …/feed/file/{name}',
    )
  }
  if (type === 'STRING') {
    storeText(samples, index, textOf(samples, index))
  } else if (kind === VALUE_EMPTY || isFailed(samples, index)) {
    samples.drop(index)
  } else if (type === 'BOOLEAN') {
    settleBoolean(samples, index)
  } else if (type === 'BIG_DECIMAL') {
    settleDecimal(samples, index)
  } else {
    settleNumber(samples, index, type)
  }
}

/**
 * The type of a stream whose first values these are: DOUBLE when each is a number or the text of
 * one, else STRING; '' (none) when all are null. Failed readings decide nothing.
 */
export async function inferValueType(
  samples: IncomingSamples,
  indexes: readonly number[],
): Promise<'DOUBLE' | 'STRING' | ''> {
  let type: 'DOUBLE' | 'STRING' | '' = ''
  const infer = (from: number, until: number): void => {
    for (let at = from; at < until && type !== 'STRING'; at++) {
      type = typeOfValue(samples, indexes[at]) || type
    }
  }
  const rest = inSlices(indexes.length, infer)
  if (rest !== undefined) await rest
  return type
}

/** The type that one value alone asks for in a stream that has none; '' where it says nothing. */
export function typeOfValue(samples: IncomingSamples, index: number): 'DOUBLE' | 'STRING' | '' {
  const kind = samples.kinds[index]
  if (kind === VALUE_NUMBER || kind === VALUE_LONG_NUMBER) return 'DOUBLE'
  if (kind === VALUE_NULL || kind === VALUE_EMPTY || isFailed(samples, index)) return ''
  return kind === VALUE_TEXT && isNumberText(samples.texts?.[index] ?? '') ? 'DOUBLE' : 'STRING'
}
