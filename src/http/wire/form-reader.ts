import { SAMPLES_PER_CALL_MAX, TIME_END } from '../../base/index.ts'
import type { IncomingSamples } from '../../feed/index.ts'
import { type FormSpans, findForm, type IdSpans, noForm } from './form-spans.ts'
import { readNumber } from './number-bytes.ts'
import type { RawStreamCache } from './raw-stream-cache.ts'
import {
  endOfPlainId,
  endOfSpace,
  fourDigitsOf,
  SPACE_BYTES_MAX,
  TIME_DIGITS,
} from './sample-bytes.ts'
import {
  FORM_BYTES,
  FORM_COMP_FROM,
  FORM_HANDLE,
  FORM_IS_TIME_FIRST,
  FORM_MIDDLE_BYTES,
  FORM_NEXT,
  FORM_OPENING_BYTES,
  FORM_STREAM_FROM,
  isSame,
  type SampleForms,
} from './sample-forms.ts'

const COMMA = 0x2c
const SPACE = 0x20
const ZERO = 0x30
const BRACE_END = 0x7d
/** So many samples may come in another order than foreseen before a body is taken as unordered. */
const TRUST_AT_START = 16

/**
 * Reads samples of a body that are written like samples before them: the one that is foreseen, by a
 * comparison of its bytes, or any other in the form of the last. It takes only numbers of known
 * streams, with 13 digits of time or none.
 */
export class FormReader {
  readonly #bytes: Buffer
  readonly #view: DataView
  readonly #cache: RawStreamCache
  readonly #forms: SampleForms
  readonly #samples: IncomingSamples
  readonly #spans: FormSpans = noForm()
  /** Rises by every sample that was foreseen, sinks by every other; at 0 nothing is foreseen. */
  #trust = TRUST_AT_START
  /** The time before, and its first and last 8 digits as a double each: many samples share it. */
  #time = 0
  #timeHead = Number.NaN
  #timeTail = Number.NaN

  constructor(bytes: Buffer, cache: RawStreamCache, samples: IncomingSamples) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#cache = cache
    this.#forms = cache.forms
    this.#samples = samples
  }

  /** Remembers the sample at `at`, read otherwise, whose stream the cache found last. */
  learn(at: number, ids: IdSpans): void {
    if (findForm(this.#bytes, at, ids, this.#spans)) this.#learnForm()
  }

  #learnForm(): void {
    const { fields, last } = this.#forms
    const isUnknown = last === 0 || fields[last + FORM_NEXT] === 0
    if (!isUnknown) this.#trust -= 1
    this.#cache.learnForm(this.#view, this.#spans)
  }

  /**
   * Reads on from behind a sample, about up to `until`; tells the place behind the last sample that
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
    const view = this.#view
    const samples = this.#samples
    const { handles } = samples
    const { fields, view: kept } = this.#forms
    // A full column grows in the plain way.
    const room = Math.min(handles.length, SAMPLES_PER_CALL_MAX)
    const before = samples.count
    let count = before
    let last = this.#forms.last
    let pos = from
    while (pos < until && count < room && bytes[pos] === COMMA) {
      const form = fields[last + FORM_NEXT]
      if (form === 0) break
      const at = this.#startBehind(pos)
      const openingBytes = fields[form + FORM_OPENING_BYTES]
      if (at + openingBytes > bytes.length) break
      if (!isSame(view, at, kept, 4 * form + FORM_BYTES, openingBytes)) break
      const end = this.#readValues(form, at + openingBytes, count)
      if (end < 0 || bytes[end] !== BRACE_END) break
      handles[count] = fields[form + FORM_HANDLE]
      count += 1
      pos = end + 1
      last = form
    }
    samples.count = count
    this.#forms.last = last
    this.#trust += count - before
    return pos
  }

  /** Reads one sample of any known stream that is written in the last form; -1 when it is not. */
  #readAlike(from: number, until: number): number {
    const bytes = this.#bytes
    const samples = this.#samples
    const index = samples.count
    const form = this.#forms.last
    if (form === 0 || from >= until || bytes[from] !== COMMA) return -1
    if (index === Math.min(samples.handles.length, SAMPLES_PER_CALL_MAX)) return -1
    const at = this.#startBehind(from)
    const valueAt = this.#readOpening(form, at)
    if (valueAt < 0) return -1
    const handle = this.#cache.find(bytes, this.#spans)
    if (handle === 0) return -1
    const end = this.#readValues(form, valueAt, index)
    if (end < 0 || bytes[end] !== BRACE_END) return -1
    samples.handles[index] = handle
    samples.count = index + 1
    if (this.#trust > 0) this.learn(at, this.#spans)
    return end + 1
  }

  #startBehind(comma: number): number {
    const at = comma + 1
    return this.#bytes[at] > SPACE ? at : endOfSpace(this.#bytes, at, at + SPACE_BYTES_MAX)
  }

  /** Reads an opening that differs from a form's by its IDs alone; tells where the value begins. */
  #readOpening(form: number, from: number): number {
    const bytes = this.#bytes
    const { fields } = this.#forms
    const spans = this.#spans
    const isCompFirst = fields[form + FORM_COMP_FROM] < fields[form + FORM_STREAM_FROM]
    const firstId = isCompFirst ? FORM_COMP_FROM : FORM_STREAM_FROM
    const secondId = isCompFirst ? FORM_STREAM_FROM : FORM_COMP_FROM
    // An ID's end is kept behind its beginning.
    const firstFrom = this.#pass(form, from, 0, fields[form + firstId])
    if (firstFrom < 0) return -1
    const firstUntil = endOfPlainId(bytes, firstFrom)
    if (firstUntil < 0) return -1
    const between = fields[form + firstId + 1]
    const secondFrom = this.#pass(form, firstUntil, between, fields[form + secondId])
    if (secondFrom < 0) return -1
    const secondUntil = endOfPlainId(bytes, secondFrom)
    if (secondUntil < 0) return -1
    spans.compFrom = isCompFirst ? firstFrom : secondFrom
    spans.compUntil = isCompFirst ? firstUntil : secondUntil
    spans.streamFrom = isCompFirst ? secondFrom : firstFrom
    spans.streamUntil = isCompFirst ? secondUntil : firstUntil
    const behind = fields[form + secondId + 1]
    return this.#pass(form, secondUntil, behind, fields[form + FORM_OPENING_BYTES])
  }

  /** Passes bytes that are the same as those from–until of a form's opening; -1 when they are not. */
  #pass(form: number, at: number, from: number, until: number): number {
    const length = until - from
    if (at + length > this.#bytes.length) return -1
    const kept = 4 * form + FORM_BYTES + from
    return isSame(this.#view, at, this.#forms.view, kept, length) ? at + length : -1
  }

  /** Reads the values of a sample into the columns, and on to its brace; -1 when they differ. */
  #readValues(form: number, from: number, index: number): number {
    const bytes = this.#bytes
    const { fields } = this.#forms
    const { times, numbers } = this.#samples
    const middleBytes = fields[form + FORM_MIDDLE_BYTES]
    let at = from
    if (fields[form + FORM_IS_TIME_FIRST] === 1) {
      times[index] = this.#readTime(at)
      at = this.#passMiddle(form, at + TIME_DIGITS, middleBytes)
      if (at < 0 || times[index] < 0) return -1
      at = readNumber(bytes, at, numbers, index)
      if (at < 0) return -1
    } else {
      at = readNumber(bytes, at, numbers, index)
      if (at < 0) return -1
      if (middleBytes > 0) {
        at = this.#passMiddle(form, at, middleBytes)
        if (at < 0) return -1
        times[index] = this.#readTime(at)
        if (times[index] < 0) return -1
        at += TIME_DIGITS
      } else times[index] = Number.NaN
    }
    if (bytes[at] <= SPACE) at = endOfSpace(bytes, at, at + SPACE_BYTES_MAX)
    if (middleBytes === 0 && bytes[at] === BRACE_END) this.#samples.isTimed = false
    return at
  }

  #passMiddle(form: number, at: number, length: number): number {
    if (at + length > this.#bytes.length) return -1
    const { fields, view } = this.#forms
    const kept = 4 * form + FORM_BYTES + fields[form + FORM_OPENING_BYTES]
    return isSame(this.#view, at, view, kept, length) ? at + length : -1
  }

  #readTime(at: number): number {
    if (at + TIME_DIGITS > this.#bytes.length) return -1
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
