import { isUtf8 } from 'node:buffer'
import { EARLIEST_TIME, SAMPLES_PER_CALL_MAX, TIME_END } from '../../base/index.ts'
import {
  EXACT_DIGITS,
  IncomingSamples,
  OpenTargets,
  VALUE_FALSE,
  VALUE_LONG_NUMBER,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from '../../feed/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { StreamCache, StreamSource } from '../stream-cache.ts'
import { EscapedStrings, STRING_BYTES_MAX } from './escaped-strings.ts'
import { longNumberAt, readAnyNumber, readNumber } from './number-bytes.ts'
import {
  endOfSpace,
  endOfUnescapedId,
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
  SPACE_BYTES_MAX,
  spells,
  TIME_DIGITS,
} from './sample-bytes.ts'
import { TemplateReader } from './template-reader.ts'
import type { IdSpans } from './template-spans.ts'

/** How far a parse has come; `unusual` means: let the reference reader judge the whole body. */
export type ParseStep = 'more' | 'done' | 'unusual'

/** A longer sample may be fine, but scanning it here could hold the loop up. */
const SAMPLE_BYTES_MAX = 64 * 1024
const ID_BYTES_MAX = 512

/** Where numbers are read to; each is taken out before another is read. */
const scratch = new Float64Array(1)

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c

/** Samples that may miss their templates before templates are no longer tried. */
const TRUST_AT_START = 16

/** What comes next in a body: white space may stand before each of them. */
const AT_START = 0
const AT_FIRST = 1
const AT_SAMPLE = 2
const BEHIND_SAMPLE = 3
const BEHIND_LIST = 4

/**
 * Reads the array form of a feed body from bytes straight into columns. It knows only the plain
 * case: samples with the four fields of the contract and valid values. At anything else, mistakes
 * included, it answers `unusual`, and the reference reader decides; so it needs no messages of its own.
 * Only a body that names more missing streams than a call may create is refused here, before it has
 * filled memory with them.
 */
export class SampleArrayParser {
  readonly samples: IncomingSamples
  readonly #bytes: Buffer
  readonly #cache: StreamCache
  readonly #orgUid: string
  readonly #createMax: number
  /** Made when a stream is not known. */
  #targets: OpenTargets | undefined
  #pos = 0
  #place = AT_START
  readonly #spans: IdSpans = { compFrom: 0, compUntil: 0, streamFrom: 0, streamUntil: 0 }
  #start = 0
  #time = Number.NaN
  #kind = -1
  #value = 0
  #digitsFrom = 0
  #digitsUntil = 0
  #text: string | undefined
  #isAscii = true
  /** Made when a string has escapes. */
  #escaped: EscapedStrings | undefined
  /** Rises by every sample that had a known template, sinks by every other. */
  #trust = TRUST_AT_START
  /** Made when a second sample is there. */
  #templateReader: TemplateReader | undefined

  constructor(bytes: Buffer, { cache, orgUid, createMax }: StreamSource) {
    this.#createMax = createMax
    this.#bytes = bytes
    this.#cache = cache
    this.#orgUid = orgUid
    // The shortest usual sample has about 50 bytes; growing once is cheaper than zeroing too much.
    this.samples = new IncomingSamples(Math.min(bytes.length >> 6, SAMPLES_PER_CALL_MAX))
  }

  /** Reads on for about `sliceBytes`; a slice ends between two samples or in white space. */
  step(sliceBytes: number): ParseStep {
    this.#cache.begin(this.#orgUid)
    this.samples.generation ??= this.#cache.generation
    const bytes = this.#bytes
    const sliceEnd = Math.min(this.#pos + sliceBytes, bytes.length)
    for (;;) {
      if (this.#place === BEHIND_SAMPLE && this.#templateReader !== undefined) {
        if (this.#trust > 0) this.#readTemplates(this.#templateReader, sliceEnd)
      }
      if (this.#pos < sliceEnd && bytes[this.#pos] <= SPACE) {
        this.#pos = endOfSpace(bytes, this.#pos, sliceEnd)
      }
      if (this.#pos >= sliceEnd) break
      if (!this.#readNext(bytes[this.#pos], sliceEnd)) return 'unusual'
    }
    if (this.#pos < bytes.length) return 'more'
    return this.#place === BEHIND_LIST ? 'done' : 'unusual'
  }

  /** Reads a sample, or a byte around samples. */
  #readNext(byte: number, until: number): boolean {
    switch (this.#place) {
      case BEHIND_SAMPLE:
        this.#pos += 1
        this.#place = byte === COMMA ? AT_SAMPLE : BEHIND_LIST
        return byte === COMMA || byte === 0x5d
      case AT_START:
        this.#pos += 1
        this.#place = AT_FIRST
        return byte === 0x5b
      case BEHIND_LIST:
        return false
      default:
        if (byte === 0x5d && this.#place === AT_FIRST) {
          this.#pos += 1
          this.#place = BEHIND_LIST
          return true
        }
        this.#place = BEHIND_SAMPLE
        return this.#readUnknown(until)
    }
  }

  /** Reads samples that are written like those before. */
  #readTemplates(reader: TemplateReader, until: number): void {
    const before = this.samples.count
    this.#pos = reader.read(this.#pos, until)
    this.#trust += this.samples.count - before
  }

  /** Reads a sample, and on while known templates are not tried. */
  #readUnknown(until: number): boolean {
    const bytes = this.#bytes
    for (;;) {
      const start = this.#pos
      if (!this.#readCompactSample()) {
        this.#pos = start
        if (!this.#readSample()) return false
      }
      const pos = this.#pos
      if (bytes[pos] !== COMMA || bytes[pos + 1] !== 0x7b) return true
      if (this.#trust > 0 || pos >= until) return true
      this.#pos = pos + 1
    }
  }

  /** The next byte that is no white space, without taking it; small enough to be inlined. */
  #next(): number | undefined {
    const byte = this.#bytes[this.#pos]
    return byte > SPACE ? byte : this.#skipSpace()
  }

  #skipSpace(): number | undefined {
    this.#pos = endOfSpace(this.#bytes, this.#pos, this.#pos + SPACE_BYTES_MAX)
    return this.#bytes[this.#pos]
  }

  /**
   * Reads a sample without white space, as nearly all are; false leaves it to #readSample.
   */
  #readCompactSample(): boolean {
    const bytes = this.#bytes
    const spans = this.#spans
    let pos = this.#pos
    if (bytes[pos] !== 0x7b) return false
    this.#beginSample()
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
        if (!this.#readData(bytes[pos + 6])) return false
        pos = this.#pos
      } else if (isStreamIdKey(bytes, pos)) {
        spans.streamFrom = pos + 11
        spans.streamUntil = endOfUnescapedId(bytes, spans.streamFrom)
        if (spans.streamUntil < 0) return false
        pos = spans.streamUntil + 1
      } else if (isCompIdKey(bytes, pos)) {
        spans.compFrom = pos + 9
        spans.compUntil = endOfUnescapedId(bytes, spans.compFrom)
        if (spans.compUntil < 0) return false
        pos = spans.compUntil + 1
      } else return false
      const byte = bytes[pos]
      if (byte === 0x7d) {
        this.#pos = pos + 1
        return this.#keepSample()
      }
      if (byte !== COMMA || pos - this.#start > SAMPLE_BYTES_MAX) return false
    }
  }

  #beginSample(): void {
    this.#start = this.#pos
    this.#spans.compUntil = -1
    this.#spans.streamUntil = -1
    this.#time = Number.NaN
    this.#kind = -1
  }

  #readSample(): boolean {
    if (this.#next() !== 0x7b) return false
    this.#beginSample()
    this.#pos += 1
    for (;;) {
      if (this.#next() !== QUOTE) return false
      const key = this.#readKey()
      if (key === KEY_UNKNOWN || this.#next() !== COLON) return false
      this.#pos += 1
      if (!this.#readField(key)) return false
      const byte = this.#next()
      this.#pos += 1
      if (byte === 0x7d) return this.#keepSample()
      if (byte !== COMMA || this.#pos - this.#start > SAMPLE_BYTES_MAX) return false
    }
  }

  #readKey(): number {
    const key = keyAt(this.#bytes, this.#pos + 1)
    this.#pos += 1 + KEY_BYTES[key]
    return key
  }

  #readField(key: number): boolean {
    const byte = this.#next()
    const from = this.#pos
    if (key === KEY_DATA) return this.#readData(byte)
    if (key === KEY_TIME) return this.#readTime()
    if (byte !== QUOTE) return false
    if (!this.#skipString() && !this.#readEscaped(key)) return false
    const idFrom = from + 1
    const idUntil = this.#pos - 1
    if (idUntil === idFrom || idUntil - idFrom > ID_BYTES_MAX) return false
    const spans = this.#spans
    if (key === KEY_COMP_ID) {
      spans.compFrom = idFrom
      spans.compUntil = idUntil
    } else {
      spans.streamFrom = idFrom
      spans.streamUntil = idUntil
    }
    return true
  }

  #readTime(): boolean {
    const bytes = this.#bytes
    const isQuoted = bytes[this.#pos] === QUOTE
    const end = readAnyNumber(bytes, isQuoted ? this.#pos + 1 : this.#pos, scratch, 0)
    if (end < 0 || (isQuoted && bytes[end] !== QUOTE)) return false
    const time = scratch[0]
    this.#pos = isQuoted ? end + 1 : end
    this.#time = time
    return Number.isInteger(time) && time >= EARLIEST_TIME && time < TIME_END
  }

  #readData(byte: number | undefined): boolean {
    const bytes = this.#bytes
    this.#value = 0
    this.#text = undefined
    switch (byte) {
      case QUOTE: {
        const from = this.#pos + 1
        this.#kind = VALUE_TEXT
        if (!this.#skipString()) return this.#readEscaped(KEY_DATA)
        const until = this.#pos - 1
        if (!this.#isAscii && !isUtf8(bytes.subarray(from, until))) return false
        this.#text = bytes.toString(this.#isAscii ? 'latin1' : 'utf8', from, until)
        return true
      }
      case 0x6e:
        return this.#readWord('null', VALUE_NULL)
      case 0x74:
        return this.#readWord('true', VALUE_TRUE)
      case 0x66:
        return this.#readWord('false', VALUE_FALSE)
      default: {
        const end = readNumber(bytes, this.#pos, scratch, 0)
        if (end < 0) return false
        this.#kind = VALUE_NUMBER
        this.#value = scratch[0]
        this.#digitsFrom = this.#pos
        this.#pos = end
        this.#digitsUntil = end
        return true
      }
    }
  }

  #readWord(word: string, kind: number): boolean {
    this.#kind = kind
    if (!spells(this.#bytes, this.#pos, word)) return false
    this.#pos += word.length
    return true
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

  /** Reads a string that may have escapes. */
  #readEscaped(key: number): boolean {
    this.#escaped ??= new EscapedStrings(this.#bytes)
    const isRead = this.#escaped.read(this.#pos, key)
    if (key === KEY_DATA) this.#text = this.#escaped.text
    this.#pos = this.#escaped.end
    return isRead
  }

  #keepSample(): boolean {
    const spans = this.#spans
    const samples = this.samples
    if (spans.compUntil < 0 || spans.streamUntil < 0 || this.#kind < 0) return false
    if (samples.count === SAMPLES_PER_CALL_MAX) return false
    const ids = this.#escaped?.ifReadAt(spans)
    const handle = ids?.find(this.#cache, spans) ?? this.#cache.find(this.#bytes, spans)
    if (handle === 0) {
      const { missedCompId: compId, missedStreamId: streamId } = this.#cache
      if (compId.trim() === '' || streamId.trim() === '') return false
      this.#targets ??= new OpenTargets(samples, this.#createMax)
      this.#targets.addById(compId, streamId, samples.count)
    }
    const time = this.#time
    if (this.#digitsUntil - this.#digitsFrom > EXACT_DIGITS) this.#keepDigits(handle)
    if (this.#kind === VALUE_NUMBER && !Number.isNaN(time)) {
      samples.addNumber(handle, time, this.#value)
    } else {
      samples.add(handle, time, { kind: this.#kind, number: this.#value, text: this.#text })
    }
    if (this.#trust > 0) this.#learnTemplate(ids === undefined ? handle : 0)
    return true
  }

  #keepDigits(handle: StreamHandle | 0): void {
    if (this.#kind !== VALUE_NUMBER || !this.#cache.keepsDigits(handle)) return
    const text = longNumberAt(this.#bytes, this.#digitsFrom, this.#digitsUntil, this.#value)
    if (text === undefined) return
    this.#kind = VALUE_LONG_NUMBER
    this.#text = text
  }

  /** Remembers how the sample was written, if all that varies are its time and its number. */
  #learnTemplate(handle: StreamHandle | 0): void {
    this.#trust -= 1
    if (handle === 0 || this.#kind !== VALUE_NUMBER) return
    if (this.#templateReader === undefined) {
      // A body of one sample, as most devices send, needs no template.
      if (this.#bytes[this.#pos] === 0x5d) return
      this.#templateReader = new TemplateReader(this.#bytes, this.#cache, this.samples)
    }
    this.#templateReader.learn(this.#start, this.#spans)
  }
}
