import { SAMPLES_PER_CALL_MAX, TIME_END } from '../../base/index.ts'
import { EXACT_DIGITS, type IncomingSamples } from '../../feed/index.ts'
import { IdScan } from '../id-hash.ts'
import type { StreamCache } from '../stream-cache.ts'
import { readNumber } from './number-bytes.ts'
import { endOfSpace, fourDigitsOf, SPACE_BYTES_MAX, TIME_DIGITS } from './sample-bytes.ts'
import {
  isSame,
  type SampleTemplates,
  TEMPLATE_BYTES,
  TEMPLATE_COMP_FROM,
  TEMPLATE_HANDLE,
  TEMPLATE_IS_TIME_FIRST,
  TEMPLATE_MIDDLE_BYTES,
  TEMPLATE_NEXT,
  TEMPLATE_OPENING_BYTES,
  TEMPLATE_STREAM_FROM,
} from './sample-templates.ts'
import { findTemplate, type IdSpans, noTemplate, type TemplateSpans } from './template-spans.ts'

const COMMA = 0x2c
const SPACE = 0x20
const ZERO = 0x30
const BRACE_END = 0x7d
/** A body that begins with half as many samples in another order than foreseen is taken as unordered. */
const TRUST_AT_START = 16
/** A miss costs more than a hit wins. */
const TRUST_PER_MISS = 2
/** Most streams that may be skipped between two samples. */
const SKIPPED_MAX = 4

/**
 * Reads samples of a body that are written like samples before them: the one that is foreseen, by a
 * comparison of its bytes, or any other in the template of the last. It takes only numbers of known
 * streams, with 13 digits of time or none.
 */
export class TemplateReader {
  readonly #bytes: Buffer
  readonly #view: DataView
  readonly #cache: StreamCache
  readonly #templates: SampleTemplates
  readonly #samples: IncomingSamples
  readonly #spans: TemplateSpans
  readonly #idScan = new IdScan()
  /** Of the IDs of the opening that was read last. */
  #compHash = 0
  #streamHash = 0
  /** Rises by every sample that was foreseen, sinks by every other; at 0 nothing is foreseen. */
  #trust = TRUST_AT_START
  /** The time before, and its first and last 8 digits as a double each: many samples share it. */
  #time = 0
  #timeHead = Number.NaN
  #timeTail = Number.NaN

  constructor(bytes: Buffer, cache: StreamCache, samples: IncomingSamples) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#spans = noTemplate(this.#view)
    this.#cache = cache
    this.#templates = cache.templates
    this.#samples = samples
  }

  /** Remembers the sample at `at`, read otherwise, whose stream the cache found last. */
  learn(at: number, ids: IdSpans): void {
    this.#spans.middleIn = this.#view
    if (findTemplate(this.#bytes, at, ids, this.#spans)) this.#learnTemplate()
  }

  /** Remembers a sample that has the template of another but for its opening. */
  #learnLike(template: number, openingFrom: number, openingUntil: number): void {
    const { fields, view } = this.#templates
    const spans = this.#spans
    spans.openingFrom = openingFrom
    spans.openingUntil = openingUntil
    spans.middleIn = view
    spans.middleFrom = 4 * template + TEMPLATE_BYTES + fields[template + TEMPLATE_OPENING_BYTES]
    spans.middleUntil = spans.middleFrom + fields[template + TEMPLATE_MIDDLE_BYTES]
    spans.isTimeFirst = fields[template + TEMPLATE_IS_TIME_FIRST] === 1
    this.#learnTemplate()
  }

  #learnTemplate(): void {
    const { fields, last } = this.#templates
    const isUnknown = last === 0 || fields[last + TEMPLATE_NEXT] === 0
    if (!isUnknown) this.#trust -= TRUST_PER_MISS
    this.#cache.learnTemplate(this.#spans)
  }

  /**
   * Reads on from behind a sample, about up to `until`; returns the place after the last sample that
   * it took.
   */
  read(from: number, until: number): number {
    let pos = from
    for (;;) {
      if (this.#trust > 0) pos = this.#readForeseen(pos, until)
      const behind = this.#readAlike(pos, until)
      if (behind < 0) return pos
      pos = behind
    }
  }

  #readForeseen(from: number, until: number): number {
    const bytes = this.#bytes
    const samples = this.#samples
    const { handles } = samples
    const { fields } = this.#templates
    // A full column grows in the slower way.
    const room = Math.min(handles.length, SAMPLES_PER_CALL_MAX)
    const before = samples.count
    let count = before
    let last = this.#templates.last
    let pos = from
    while (pos < until && count < room && bytes[pos] === COMMA) {
      const at = this.#startBehind(pos)
      let template = fields[last + TEMPLATE_NEXT]
      if (!this.#isOpening(template, at)) template = this.#templateAhead(template, at)
      if (template === 0) break
      const handle = fields[template + TEMPLATE_HANDLE]
      const end = this.#readValues(
        template,
        at + fields[template + TEMPLATE_OPENING_BYTES],
        count,
        handle,
      )
      if (end < 0) break
      handles[count] = handle
      count += 1
      pos = end
      last = template
    }
    samples.count = count
    this.#templates.last = last
    this.#trust += count - before
    return pos
  }

  /** The template at `at` among those that follow another: devices leave out what did not change. */
  #templateAhead(template: number, at: number): number {
    let ahead = template
    for (let skipped = 0; skipped < SKIPPED_MAX && ahead !== 0; skipped++) {
      ahead = this.#templates.fields[ahead + TEMPLATE_NEXT]
      if (this.#isOpening(ahead, at)) return ahead
    }
    return 0
  }

  #isOpening(template: number, at: number): boolean {
    const length = this.#templates.fields[template + TEMPLATE_OPENING_BYTES]
    if (template === 0 || at + length > this.#bytes.length) return false
    return isSame(this.#view, at, this.#templates.view, 4 * template + TEMPLATE_BYTES, length)
  }

  /** Reads one sample of any known stream that is written in the last template; -1 when it is not. */
  #readAlike(from: number, until: number): number {
    const bytes = this.#bytes
    const samples = this.#samples
    const index = samples.count
    const template = this.#templates.last
    if (template === 0 || from >= until || bytes[from] !== COMMA) return -1
    if (index === Math.min(samples.handles.length, SAMPLES_PER_CALL_MAX)) return -1
    const at = this.#startBehind(from)
    const valueAt = this.#readOpening(template, at)
    if (valueAt < 0) return -1
    const handle =
      this.#cache.findKnown(this.#view, this.#spans, this.#compHash, this.#streamHash) ||
      this.#cache.find(bytes, this.#spans)
    // A cache that was full has forgotten the template.
    if (handle === 0 || this.#templates.last !== template) return -1
    const end = this.#readValues(template, valueAt, index, handle)
    if (end < 0) return -1
    samples.handles[index] = handle
    samples.count = index + 1
    if (this.#trust > 0) this.#learnLike(template, at, valueAt)
    return end
  }

  #startBehind(comma: number): number {
    const at = comma + 1
    return this.#bytes[at] > SPACE ? at : endOfSpace(this.#bytes, at, at + SPACE_BYTES_MAX)
  }

  /** Reads an opening that differs from a template's by its IDs alone; returns the start of the value. */
  #readOpening(template: number, from: number): number {
    const view = this.#view
    const scan = this.#idScan
    const { fields } = this.#templates
    const spans = this.#spans
    const isCompFirst =
      fields[template + TEMPLATE_COMP_FROM] < fields[template + TEMPLATE_STREAM_FROM]
    const firstId = isCompFirst ? TEMPLATE_COMP_FROM : TEMPLATE_STREAM_FROM
    const secondId = isCompFirst ? TEMPLATE_STREAM_FROM : TEMPLATE_COMP_FROM
    // An ID's end is kept behind its beginning.
    const firstFrom = this.#pass(template, from, 0, fields[template + firstId])
    if (firstFrom < 0) return -1
    const firstUntil = scan.scan(view, firstFrom)
    if (firstUntil < 0) return -1
    const firstHash = scan.hash
    const between = fields[template + firstId + 1]
    const secondFrom = this.#pass(template, firstUntil, between, fields[template + secondId])
    if (secondFrom < 0) return -1
    const secondUntil = scan.scan(view, secondFrom)
    if (secondUntil < 0) return -1
    this.#compHash = isCompFirst ? firstHash : scan.hash
    this.#streamHash = isCompFirst ? scan.hash : firstHash
    spans.compFrom = isCompFirst ? firstFrom : secondFrom
    spans.compUntil = isCompFirst ? firstUntil : secondUntil
    spans.streamFrom = isCompFirst ? secondFrom : firstFrom
    spans.streamUntil = isCompFirst ? secondUntil : firstUntil
    const behind = fields[template + secondId + 1]
    return this.#pass(template, secondUntil, behind, fields[template + TEMPLATE_OPENING_BYTES])
  }

  /** Passes bytes that are the same as those from–until of a template's opening; -1 when they are not. */
  #pass(template: number, at: number, from: number, until: number): number {
    const length = until - from
    if (at + length > this.#bytes.length) return -1
    const kept = 4 * template + TEMPLATE_BYTES + from
    return isSame(this.#view, at, this.#templates.view, kept, length) ? at + length : -1
  }

  /** Reads the values of a sample into the columns, and its brace; -1 when they differ. */
  #readValues(template: number, from: number, index: number, handle: number): number {
    return this.#templates.fields[template + TEMPLATE_IS_TIME_FIRST] === 1
      ? this.#readTimeFirst(template, from, index, handle)
      : this.#readDataFirst(template, from, index, handle)
  }

  #readTimeFirst(template: number, from: number, index: number, handle: number): number {
    const dataAt = this.#passMiddle(template, from + TIME_DIGITS)
    if (dataAt < 0) return -1
    const time = this.#readTime(from)
    if (time < 0) return -1
    const { times, numbers } = this.#samples
    times[index] = time
    const dataEnd = readNumber(this.#bytes, dataAt, numbers, index)
    // Digits that count are taken up one by one, elsewhere.
    if (dataEnd - dataAt > EXACT_DIGITS && this.#cache.keepsDigits(handle)) return -1
    return this.#passBrace(dataEnd)
  }

  #readDataFirst(template: number, from: number, index: number, handle: number): number {
    const samples = this.#samples
    const dataEnd = readNumber(this.#bytes, from, samples.numbers, index)
    if (dataEnd < 0) return -1
    if (dataEnd - from > EXACT_DIGITS && this.#cache.keepsDigits(handle)) return -1
    if (this.#templates.fields[template + TEMPLATE_MIDDLE_BYTES] === 0) {
      samples.times[index] = Number.NaN
      const end = this.#passBrace(dataEnd)
      if (end >= 0) samples.isTimed = false
      return end
    }
    const timeAt = this.#passMiddle(template, dataEnd)
    if (timeAt < 0 || timeAt + TIME_DIGITS > this.#bytes.length) return -1
    const time = this.#readTime(timeAt)
    samples.times[index] = time
    return time < 0 ? -1 : this.#passBrace(timeAt + TIME_DIGITS)
  }

  #passBrace(at: number): number {
    if (at < 0) return -1
    if (this.#bytes[at] === BRACE_END) return at + 1
    const end = endOfSpace(this.#bytes, at, at + SPACE_BYTES_MAX)
    return this.#bytes[end] === BRACE_END ? end + 1 : -1
  }

  #passMiddle(template: number, at: number): number {
    const { fields, view } = this.#templates
    const length = fields[template + TEMPLATE_MIDDLE_BYTES]
    if (at + length > this.#bytes.length) return -1
    const kept = 4 * template + TEMPLATE_BYTES + fields[template + TEMPLATE_OPENING_BYTES]
    return isSame(this.#view, at, view, kept, length) ? at + length : -1
  }

  /** The time in 13 digits at `at`, which lie in the body; -1 when they are none. */
  #readTime(at: number): number {
    const view = this.#view
    const head = view.getFloat64(at, true)
    const tail = view.getFloat64(at + TIME_DIGITS - 8, true)
    if (head === this.#timeHead && tail === this.#timeTail) return this.#time
    const time = readEpoch(view, at)
    if (time < 0) return -1
    this.#timeHead = head
    this.#timeTail = tail
    this.#time = time
    return time
  }
}

function readEpoch(view: DataView, at: number): number {
  const first = view.getUint8(at) - ZERO
  const high = fourDigitsOf(view.getInt32(at + 1, true))
  const middle = fourDigitsOf(view.getInt32(at + 5, true))
  const low = fourDigitsOf(view.getInt32(at + 9, true))
  if (first < 1 || (high | middle | low) < 0) return -1
  // A first byte above the digits makes a time beyond the end as well.
  const time = (first * 10_000 + high) * 100_000_000 + (middle * 10_000 + low)
  return time < TIME_END ? time : -1
}
