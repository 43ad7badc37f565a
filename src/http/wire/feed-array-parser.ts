import { EARLIEST_TIME, SAMPLES_PER_CALL_MAX, TIME_END } from '../../base/index.ts'
import {
  IncomingSamples,
  OpenTargets,
  VALUE_FALSE,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from '../../feed/index.ts'
import type { IdSpans, RawStreamCache } from './raw-stream-cache.ts'
import {
  endOfPlainId,
  isCompIdKey,
  isDataKey,
  isStreamIdKey,
  isTimeKey,
  KEY_BYTES,
  KEY_COMP_ID,
  KEY_DATA,
  KEY_TIME,
  KEY_UNKNOWN,
  keyAt,
  readEpochDigits,
  spells,
  TIME_DIGITS,
} from './sample-bytes.ts'

/** How far a parse has come; `unusual` means: let the plain reader judge the whole body. */
export type ParseStep = 'more' | 'done' | 'unusual'

/** A longer ID or text may be fine, but scanning it here could hold the loop up. */
const STRING_BYTES_MAX = 16 * 1024
const ID_BYTES_MAX = 512
/** Nine digits always fit into a 32-bit integer. */
const SHORT_DIGITS = 9

const powersOfTen = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const COLON = 0x3a
const BACKSLASH = 0x5c

/**
 * Reads the array form of a feed body from bytes straight into columns. It knows only the plain
 * case: samples with the four fields of the contract and valid values. At anything else, mistakes
 * included, it answers `unusual`, and the plain reader decides; so it needs no messages of its own.
 */
export class FeedArrayParser {
  readonly samples: IncomingSamples
  readonly #targets: OpenTargets
  readonly #bytes: Buffer
  readonly #cache: RawStreamCache
  readonly #orgUid: string
  #org = 0
  #pos = 0
  #isBegun = false
  readonly #spans: IdSpans = { compFrom: 0, compUntil: 0, streamFrom: 0, streamUntil: 0 }
  #time = Number.NaN
  #kind = -1
  #value = 0
  #number = 0
  #text: string | undefined
  #isAscii = true

  constructor(bytes: Buffer, cache: RawStreamCache, orgUid: string) {
    this.#bytes = bytes
    this.#cache = cache
    this.#orgUid = orgUid
    // The shortest usual sample has about 50 bytes; growing once is cheaper than zeroing too much.
    this.samples = new IncomingSamples(Math.min(bytes.length >> 6, SAMPLES_PER_CALL_MAX))
    this.#targets = new OpenTargets(this.samples)
  }

  /** Reads on for about `sliceBytes`; a slice ends between two samples. */
  step(sliceBytes: number): ParseStep {
    this.#org = this.#cache.begin(this.#orgUid)
    const sliceEnd = this.#pos + sliceBytes
    if (!this.#isBegun) {
      this.#isBegun = true
      if (this.#next() !== 0x5b) return 'unusual'
      this.#pos += 1
      if (this.#next() === 0x5d) return this.#end()
    }
    while (this.#pos < sliceEnd) {
      const start = this.#pos
      if (!this.#readCompactSample()) {
        this.#pos = start
        if (!this.#readSample()) return 'unusual'
      }
      const byte = this.#next()
      if (byte === 0x5d) return this.#end()
      if (byte !== COMMA) return 'unusual'
      this.#pos += 1
    }
    return 'more'
  }

  #end(): ParseStep {
    this.#pos += 1
    return this.#next() === undefined ? 'done' : 'unusual'
  }

  /** The next byte that is no white space, without taking it; small enough to be inlined. */
  #next(): number | undefined {
    const byte = this.#bytes[this.#pos]
    return byte > SPACE ? byte : this.#skipSpace()
  }

  #skipSpace(): number | undefined {
    const bytes = this.#bytes
    let pos = this.#pos
    let byte = bytes[pos]
    while (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++pos]
    this.#pos = pos
    return byte
  }

  /**
   * Reads a sample without white space, as nearly all are; false leaves it to #readSample.
   */
  #readCompactSample(): boolean {
    const bytes = this.#bytes
    const spans = this.#spans
    let pos = this.#pos
    if (bytes[pos] !== 0x7b) return false
    spans.compUntil = -1
    spans.streamUntil = -1
    this.#time = Number.NaN
    this.#kind = -1
    for (;;) {
      if (bytes[pos + 1] !== QUOTE) return false
      pos += 2
      if (isTimeKey(bytes, pos)) {
        pos += 6
        const time = readEpochDigits(bytes, pos)
        if (time < 0 || time >= TIME_END) return false
        this.#time = time
        pos += TIME_DIGITS
      } else if (isDataKey(bytes, pos)) {
        this.#pos = pos + 6
        if (!this.#readData(bytes[this.#pos])) return false
        pos = this.#pos
      } else if (isStreamIdKey(bytes, pos)) {
        spans.streamFrom = pos + 11
        spans.streamUntil = endOfPlainId(bytes, spans.streamFrom)
        if (spans.streamUntil < 0) return false
        pos = spans.streamUntil + 1
      } else if (isCompIdKey(bytes, pos)) {
        spans.compFrom = pos + 9
        spans.compUntil = endOfPlainId(bytes, spans.compFrom)
        if (spans.compUntil < 0) return false
        pos = spans.compUntil + 1
      } else return false
      const byte = bytes[pos]
      if (byte === 0x7d) {
        this.#pos = pos + 1
        return this.#keepSample()
      }
      if (byte !== COMMA) return false
    }
  }

  #readSample(): boolean {
    if (this.#next() !== 0x7b) return false
    this.#pos += 1
    this.#spans.compUntil = -1
    this.#spans.streamUntil = -1
    this.#time = Number.NaN
    this.#kind = -1
    for (;;) {
      if (this.#next() !== QUOTE) return false
      const key = this.#readKey()
      if (key === KEY_UNKNOWN || this.#next() !== COLON) return false
      this.#pos += 1
      if (!this.#readField(key)) return false
      const byte = this.#next()
      this.#pos += 1
      if (byte === 0x7d) return this.#keepSample()
      if (byte !== COMMA) return false
    }
  }

  #readKey(): number {
    const key = keyAt(this.#bytes, this.#pos + 1)
    this.#pos += 1 + KEY_BYTES[key]
    return key
  }

  #readField(key: number): boolean {
    const byte = this.#next()
    if (key === KEY_DATA) return this.#readData(byte)
    if (key === KEY_TIME) {
      if (!this.#readAnyNumber()) return false
      const time = this.#number
      this.#time = time
      return Number.isInteger(time) && time >= EARLIEST_TIME && time < TIME_END
    }
    if (byte !== QUOTE) return false
    const from = this.#pos + 1
    if (!this.#skipString()) return false
    const until = this.#pos - 1
    if (until === from || until - from > ID_BYTES_MAX) return false
    const spans = this.#spans
    if (key === KEY_COMP_ID) {
      spans.compFrom = from
      spans.compUntil = until
    } else {
      spans.streamFrom = from
      spans.streamUntil = until
    }
    return true
  }

  #readData(byte: number | undefined): boolean {
    const bytes = this.#bytes
    switch (byte) {
      case QUOTE: {
        const from = this.#pos + 1
        if (!this.#skipString()) return false
        const until = this.#pos - 1
        this.#kind = VALUE_TEXT
        this.#text = this.#isAscii
          ? bytes.toString('latin1', from, until)
          : bytes.toString('utf8', from, until)
        return true
      }
      case 0x6e:
        this.#kind = VALUE_NULL
        if (!spells(bytes, this.#pos, 'null')) return false
        this.#pos += 4
        return true
      case 0x74:
        this.#kind = VALUE_TRUE
        if (!spells(bytes, this.#pos, 'true')) return false
        this.#pos += 4
        return true
      case 0x66:
        this.#kind = VALUE_FALSE
        if (!spells(bytes, this.#pos, 'false')) return false
        this.#pos += 5
        return true
      default:
        this.#kind = VALUE_NUMBER
        if (!this.#readNumber()) return false
        this.#value = this.#number
        return true
    }
  }

  /** Passes over a string without escapes; the position ends behind its closing quote. */
  #skipString(): boolean {
    const bytes = this.#bytes
    let pos = this.#pos + 1
    const end = pos + STRING_BYTES_MAX
    let all = 0
    for (;;) {
      const byte = bytes[pos]
      if (byte === QUOTE) break
      // Also true for the end of the body, where the byte is undefined.
      if (!(byte >= SPACE) || byte === BACKSLASH || pos === end) return false
      all |= byte
      pos += 1
    }
    this.#isAscii = all < 0x80
    this.#pos = pos + 1
    return true
  }

  /**
   * Reads up to nine digits with a dot among them in integers of the machine, which most values of
   * sensors are; anything longer starts again in #readAnyNumber.
   */
  #readNumber(): boolean {
    const bytes = this.#bytes
    let pos = this.#pos
    const isNegative = bytes[pos] === MINUS
    if (isNegative) pos += 1
    const whole = pos
    const limit = pos + SHORT_DIGITS
    let mantissa = 0
    let digit = bytes[pos] - ZERO
    while (digit >>> 0 <= 9 && pos < limit) {
      mantissa = (Math.imul(mantissa, 10) + digit) | 0
      digit = bytes[++pos] - ZERO
    }
    const wholeDigits = pos - whole
    let decimals = 0
    if (digit === DOT - ZERO) {
      const fraction = pos + 1
      digit = bytes[++pos] - ZERO
      while (digit >>> 0 <= 9 && pos <= limit) {
        mantissa = (Math.imul(mantissa, 10) + digit) | 0
        digit = bytes[++pos] - ZERO
      }
      decimals = pos - fraction
    }
    const byte = bytes[pos]
    if (digit >>> 0 <= 9 || byte === 0x65 || byte === 0x45) return this.#readAnyNumber()
    if (wholeDigits === 0 || (wholeDigits > 1 && bytes[whole] === ZERO)) return false
    if (byte === undefined || bytes[pos - 1] === DOT) return false
    this.#pos = pos
    const value = decimals === 0 ? mantissa : mantissa / powersOfTen[decimals]
    this.#number = isNegative ? -value : value
    return true
  }

  /**
   * Reads a JSON number exactly: up to 15 digits make an integer below 2⁵³ which one division by a
   * power of ten, itself exact, rounds once. Everything longer goes through Number().
   */
  #readAnyNumber(): boolean {
    const bytes = this.#bytes
    const start = this.#pos
    let pos = start
    const isNegative = bytes[pos] === MINUS
    if (isNegative) pos += 1
    const whole = pos
    const limit = pos + SHORT_DIGITS
    let digit = bytes[pos] - ZERO
    let short = 0
    while (digit >>> 0 <= 9 && pos < limit) {
      short = (Math.imul(short, 10) + digit) | 0
      digit = bytes[++pos] - ZERO
    }
    let mantissa = short
    while (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit
      digit = bytes[++pos] - ZERO
    }
    let digits = pos - whole
    if (digits === 0 || (digits > 1 && bytes[whole] === ZERO)) return false
    let decimals = 0
    if (digit === DOT - ZERO) {
      const fraction = ++pos
      digit = bytes[pos] - ZERO
      while (digit >= 0 && digit <= 9) {
        mantissa = mantissa * 10 + digit
        digit = bytes[++pos] - ZERO
      }
      decimals = pos - fraction
      if (decimals === 0) return false
      digits += decimals
    }
    const byte = bytes[pos]
    this.#pos = pos
    if (byte === 0x65 || byte === 0x45 || digits > 15) return this.#readLongNumber(start)
    const value = decimals === 0 ? mantissa : mantissa / powersOfTen[decimals]
    this.#number = isNegative ? -value : value
    return true
  }

  #readLongNumber(start: number): boolean {
    const bytes = this.#bytes
    let pos = this.#pos
    if (bytes[pos] === 0x65 || bytes[pos] === 0x45) {
      pos += 1
      if (bytes[pos] === MINUS || bytes[pos] === 0x2b) pos += 1
      const exponent = pos
      while (bytes[pos] >= ZERO && bytes[pos] <= 0x39) pos += 1
      if (pos === exponent) return false
    }
    if (pos - start > STRING_BYTES_MAX) return false
    this.#pos = pos
    this.#number = Number(bytes.toString('latin1', start, pos))
    return Number.isFinite(this.#number)
  }

  #keepSample(): boolean {
    const spans = this.#spans
    const samples = this.samples
    if (spans.compUntil < 0 || spans.streamUntil < 0 || this.#kind < 0) return false
    if (samples.count === SAMPLES_PER_CALL_MAX) return false
    const handle = this.#cache.find(this.#orgUid, this.#org, this.#bytes, spans)
    if (handle === 0) {
      const compId = this.#bytes.toString('utf8', spans.compFrom, spans.compUntil)
      const streamId = this.#bytes.toString('utf8', spans.streamFrom, spans.streamUntil)
      if (compId.trim() === '' || streamId.trim() === '') return false
      this.#targets.addById(compId, streamId, samples.count)
    }
    const time = this.#time
    if (this.#kind === VALUE_NUMBER && !Number.isNaN(time)) {
      samples.addNumber(handle, time, this.#value)
    } else {
      const isText = this.#kind === VALUE_TEXT
      samples.add(handle, time, {
        kind: this.#kind,
        number: this.#kind === VALUE_NUMBER ? this.#value : 0,
        text: isText ? this.#text : undefined,
      })
    }
    return true
  }
}
