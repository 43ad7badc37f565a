import { isUtf8 } from 'node:buffer'
import { refuse } from '../../base/plain.ts'
import type { IncomingSamples } from '../../feed/plain.ts'
import { readParsedBatch } from '../batch/parsed-batch.ts'
import { scanJson } from './json-scan.ts'
import { parseWithDigits } from './long-number.ts'
import { readParsedArray } from './parsed-array.ts'
import { isRecord } from './parsed-fields.ts'

/** What stands for bytes that are no UTF-8: whatever is around it, no text with it is Unicode. */
const NO_UTF8 = 'x\\udfff'

/**
 * The text of a JSON body that is no UTF-8 throughout. Bytes of texts that are none become half of a
 * surrogate pair, so that a text which is to be kept is refused by its field, and others do no harm.
 */
function textWithMarks(bytes: Buffer): string {
  const replacement = Buffer.from('\ufffd').toString('latin1')
  const escaped = bytes.toString('latin1').replaceAll(replacement, '\\ufffd')
  return Buffer.from(escaped, 'latin1').toString('utf8').replaceAll('\ufffd', NO_UTF8)
}

/** Reads a whole body with JSON.parse; the reference that the byte parser is measured by. */
export function readParsedJson(bytes: Buffer): IncomingSamples {
  const { fault, hasLongNumber } = scanJson(bytes)
  if (fault !== undefined) {
    refuse('bad_json', { position: fault.position, problem: fault.what })
  }
  const text = isUtf8(bytes) ? bytes.toString('utf8') : textWithMarks(bytes)
  const body: unknown = hasLongNumber ? parseWithDigits(text) : JSON.parse(text)
  if (Array.isArray(body)) return readParsedArray(body)
  if (isRecord(body)) return readParsedBatch(body)
  refuse('bad_input', {
    what: 'Cannot read the body: it must be a list of samples or an object with "feed"',
  })
}
