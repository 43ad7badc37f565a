import { isUtf8 } from 'node:buffer'
import {
  endOfSpace,
  KEY_BYTES,
  KEY_COMP_ID,
  KEY_DATA,
  KEY_STREAM_ID,
  KEY_TIME,
  KEY_UNKNOWN,
  keyAt,
  SPACE_BYTES_MAX,
} from './sample-bytes.ts'

const COMMA = 0x2c
const QUOTE = 0x22
const BRACE_END = 0x7d

/** Where the two IDs of a sample lie in a body: from ≤ index < until, quotes left out. */
export interface IdSpans {
  compFrom: number
  compUntil: number
  streamFrom: number
  streamUntil: number
}

/** Whether both IDs can be read as they are. */
export function areUtf8(bytes: Uint8Array, ids: IdSpans): boolean {
  return (
    isUtf8Span(bytes, ids.compFrom, ids.compUntil) &&
    isUtf8Span(bytes, ids.streamFrom, ids.streamUntil)
  )
}

/** Most IDs are ASCII: looking at few bytes here is quicker than a call into Node. */
function isUtf8Span(bytes: Uint8Array, from: number, until: number): boolean {
  let all = 0
  for (let at = from; at < until; at++) all |= bytes[at]
  return all < 0x80 || isUtf8(bytes.subarray(from, until))
}

/**
 * The bytes of a sample that are the same in the next sample of its stream. The opening reaches from the brace to the
 * first value and contains both IDs. The middle lies between the first and the second value. Values are the time and
 * the data.
 */
export interface TemplateSpans extends IdSpans {
  /** What the opening lies in, as do the IDs. */
  openingIn: DataView
  openingFrom: number
  openingUntil: number
  middleIn: DataView
  middleFrom: number
  /** As middleFrom in a sample whose only value is the data. */
  middleUntil: number
  isTimeFirst: boolean
}

/** Spans in a body, to be filled. */
export function noTemplate(view: DataView): TemplateSpans {
  return {
    compFrom: 0,
    compUntil: 0,
    streamFrom: 0,
    streamUntil: 0,
    openingIn: view,
    openingFrom: 0,
    openingUntil: 0,
    middleIn: view,
    middleFrom: 0,
    middleUntil: 0,
    isTimeFirst: false,
  }
}

/**
 * Finds the template of a sample that was read before: valid, with a number, and the IDs at `ids`. False
 * for a sample whose IDs do not come first, or which says something twice.
 */
export function findTemplate(
  bytes: Uint8Array,
  at: number,
  ids: IdSpans,
  template: TemplateSpans,
): boolean {
  template.compFrom = ids.compFrom
  template.compUntil = ids.compUntil
  template.streamFrom = ids.streamFrom
  template.streamUntil = ids.streamUntil
  template.openingFrom = at
  let pos = at
  for (let id = 0; id < 2; id++) {
    const key = keyBehind(bytes, pos)
    const from = valueBehind(bytes, pos) + 1
    if (key === KEY_COMP_ID && from === ids.compFrom) pos = ids.compUntil + 1
    else if (key === KEY_STREAM_ID && from === ids.streamFrom) pos = ids.streamUntil + 1
    else return false
    pos = skip(bytes, pos)
  }
  const first = keyBehind(bytes, pos)
  if (first !== KEY_TIME && first !== KEY_DATA) return false
  template.isTimeFirst = first === KEY_TIME
  template.openingUntil = valueBehind(bytes, pos)
  template.middleFrom = endOfNumber(bytes, template.openingUntil)
  template.middleUntil = template.middleFrom
  pos = skip(bytes, template.middleFrom)
  if (bytes[pos] === COMMA) {
    const second = keyBehind(bytes, pos)
    if (second !== (template.isTimeFirst ? KEY_DATA : KEY_TIME)) return false
    template.middleUntil = valueBehind(bytes, pos)
    pos = skip(bytes, endOfNumber(bytes, template.middleUntil))
  }
  return bytes[pos] === BRACE_END
}

function skip(bytes: Uint8Array, at: number): number {
  return endOfSpace(bytes, at, at + SPACE_BYTES_MAX)
}

/** The key behind the brace or comma at `at`. */
function keyBehind(bytes: Uint8Array, at: number): number {
  const quote = skip(bytes, at + 1)
  return bytes[quote] === QUOTE ? keyAt(bytes, quote + 1) : KEY_UNKNOWN
}

/** Where the value of the key behind the brace or comma at `at` begins. */
function valueBehind(bytes: Uint8Array, at: number): number {
  const quote = skip(bytes, at + 1)
  const colon = skip(bytes, quote + 1 + KEY_BYTES[keyAt(bytes, quote + 1)])
  return skip(bytes, colon + 1)
}

function endOfNumber(bytes: Uint8Array, at: number): number {
  let pos = at
  while (isNumberByte(bytes[pos])) pos += 1
  return pos
}

function isNumberByte(byte: number): boolean {
  return (byte >= 0x2d && byte <= 0x39) || byte === 0x2b || byte === 0x65 || byte === 0x45
}
