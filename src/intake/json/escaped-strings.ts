import { isUtf8 } from 'node:buffer'
import type { StreamHandle } from '../../store/index.ts'
import { ID_BYTES_MAX } from '../id-hash.ts'
import type { StreamCache } from '../stream-cache.ts'
import { KEY_COMP_ID, KEY_DATA } from './sample-bytes.ts'
import type { IdSpans } from './template-spans.ts'

/** A longer text may be fine, but scanning it here could hold the loop up. */
export const STRING_BYTES_MAX = 16 * 1024

/** What a character takes at most in UTF-8. */
const CHARACTER_BYTES_MAX = 4

const SPACE = 0x20
const QUOTE = 0x22
const SLASH = 0x2f
const BACKSLASH = 0x5c
const SMALL_U = 0x75

/** Both IDs of a sample without escapes, each at a place of its own; found before another is read. */
const ids = Buffer.alloc(2 * ID_BYTES_MAX)
const COMP_PLACE = 0
const STREAM_PLACE = ID_BYTES_MAX

/**
 * Reads the strings of a body that are written with escapes, as Python and PHP write all that is not ASCII. Mistakes,
 * and what cannot be kept, are left to the reference reader.
 */
export class EscapedStrings {
  readonly #bytes: Buffer
  /** Where the IDs that were read last begin in the body, and end among those without escapes. */
  #compAt = -1
  #compUntil = 0
  #streamAt = -1
  #streamUntil = 0
  /** The text that was read last. */
  text = ''
  /** Where the string that was read last ends, behind its closing quote. */
  end = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** This, where one of the IDs at the spans was read here. */
  ifReadAt({ compFrom, streamFrom }: IdSpans): this | undefined {
    return compFrom === this.#compAt || streamFrom === this.#streamAt ? this : undefined
  }

  /** Reads the string of a field, whose opening quote is at a place; false for one to look at closer. */
  read(from: number, key: number): boolean {
    if (key === KEY_DATA) return this.#readText(from)
    if (key === KEY_COMP_ID) {
      this.#compAt = from + 1
      this.#compUntil = this.#readId(from + 1, COMP_PLACE)
      return this.#compUntil > COMP_PLACE
    }
    this.#streamAt = from + 1
    this.#streamUntil = this.#readId(from + 1, STREAM_PLACE)
    return this.#streamUntil > STREAM_PLACE
  }

  /** As StreamCache.find(), by the IDs that were read here and, for one that was not, its place in the body. */
  find(cache: StreamCache, spans: IdSpans): StreamHandle | 0 {
    const { compFrom, streamFrom } = spans
    let [compUntil, streamUntil] = [this.#compUntil, this.#streamUntil]
    if (compFrom !== this.#compAt) {
      compUntil = COMP_PLACE + this.#bytes.copy(ids, COMP_PLACE, compFrom, spans.compUntil)
    }
    if (streamFrom !== this.#streamAt) {
      streamUntil =
        STREAM_PLACE + this.#bytes.copy(ids, STREAM_PLACE, streamFrom, spans.streamUntil)
    }
    const comp = { compFrom: COMP_PLACE, compUntil }
    return cache.find(ids, { ...comp, streamFrom: STREAM_PLACE, streamUntil })
  }

  #readText(from: number): boolean {
    this.end = endOfString(this.#bytes, from)
    const text = this.end < 0 ? undefined : textOf(this.#bytes, from, this.end)
    this.text = text ?? ''
    return text !== undefined
  }

  /**
   * Writes an ID without its escapes to a place; returns where it ends there, -1 for one to look at closer: such as
   * could not be sent without escapes are rare, and strange.
   */
  #readId(from: number, place: number): number {
    const bytes = this.#bytes
    const placeEnd = place + ID_BYTES_MAX - CHARACTER_BYTES_MAX
    let at = place
    let pos = from
    while (bytes[pos] !== QUOTE) {
      const byte = bytes[pos]
      // Also true for the end of the body, where the byte is undefined.
      if (!(byte >= SPACE) || at > placeEnd) return -1
      if (byte !== BACKSLASH || bytes[pos + 1] === SLASH) {
        pos += byte === BACKSLASH ? 1 : 0
        ids[at++] = bytes[pos++]
        continue
      }
      const code = characterAt(bytes, pos)
      if (code < SPACE || code === QUOTE || code === BACKSLASH) return -1
      pos += code > 0xffff ? 12 : 6
      at += ids.write(String.fromCodePoint(code), at)
    }
    this.end = pos + 1
    return at
  }
}

function endOfString(bytes: Uint8Array, from: number): number {
  const end = from + STRING_BYTES_MAX
  for (let pos = from + 1; pos < end; pos += 1) {
    const byte = bytes[pos]
    if (byte === QUOTE) return pos + 1
    if (byte === BACKSLASH) pos += 1
    else if (!(byte >= SPACE)) return -1
  }
  return -1
}

/** The text of a string with its quotes; undefined for one that is no JSON, or no Unicode. */
function textOf(bytes: Buffer, from: number, until: number): string | undefined {
  if (!isUtf8(bytes.subarray(from, until))) return undefined
  try {
    const text = JSON.parse(bytes.toString('utf8', from, until)) as string
    return text.isWellFormed() ? text : undefined
  } catch {
    return undefined
  }
}

/** The character whose escape, or pair of escapes, begins at a place; -1 for none, and for half of a pair. */
function characterAt(bytes: Uint8Array, at: number): number {
  const unit = unitAt(bytes, at)
  if (unit < 0xd800 || unit > 0xdfff) return unit
  const low = unitAt(bytes, at + 6)
  if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) return -1
  return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
}

function unitAt(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== SMALL_U) return -1
  let unit = 0
  for (let digit = at + 2; digit < at + 6; digit += 1) {
    const value = hexDigit(bytes[digit])
    if (value < 0) return -1
    unit = unit * 16 + value
  }
  return unit
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
