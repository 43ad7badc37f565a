/** Line protocol, from bytes to columns. */
import { isUtf8 } from 'node:buffer'
import { invariant } from '../../base/index.ts'
import { findLabelMistake } from '../../catalog/index.ts'
import { type OpenSeries, VALUE_NUMBER, VALUE_TEXT } from '../../feed/index.ts'
import { type StreamHandle, seriesText } from '../../store/index.ts'
import { SHOWN_LINE_LENGTH_MAX } from '../door-log.ts'
import {
  type DoorReader,
  DoorSlice,
  LABEL_CHARACTERS_MAX,
  type SliceBounds,
} from '../door-slice.ts'
import type { SeriesCache } from '../series-cache.ts'
import { FieldValue } from './field-value.ts'
import { HeadScan } from './head-scan.ts'
import { type FieldSeries, seriesOfField } from './influx-series.ts'
import {
  BYTE_SETS,
  COMMA,
  ENDS_KEY,
  ENDS_VALUE,
  EQUALS,
  ESCAPED_IN_KEY,
  HASH,
  MINUS,
  NEWLINE,
  NINE,
  NOT_PRINTABLE,
  QUOTE,
  RETURN,
  SPACE,
  ZERO,
} from './line-bytes.ts'
import { isUnreadable, type LineHead, readLineHead, shown } from './line-head.ts'
import { LineTime, type Precision } from './line-time.ts'
import { endOfToken, takeToken } from './take-token.ts'

const NONE = -1
/** Most bytes of a character. */
const UTF8_BYTES_MAX = 4
const IN_KEY = { ends: ENDS_KEY, escaped: ESCAPED_IN_KEY }

/** Reads the lines of one body, slice by slice. */
export class LineReader implements DoorReader {
  readonly #bytes: Buffer
  readonly #view: DataView
  readonly #limit: number
  readonly #cache: SeriesCache
  readonly #value = new FieldValue()
  readonly #time: LineTime
  readonly #scan = new HeadScan()
  readonly #bounds: SliceBounds
  /** Where the next line begins, and its number. */
  #at = 0
  #line = 1
  #slice!: DoorSlice
  /** That of the numbers in `#openOf` and of `#head`. */
  #cacheGeneration = 0
  /** The entry of the head of the line before. */
  #head = NONE
  /** Open series by their entry in the cache, and by their labels. */
  readonly #openOf = new Map<number, OpenSeries>()
  readonly #openByText = new Map<string, OpenSeries>()
  /** Of the line that is read: where it begins, the entries of its points, and its open series. */
  #lineFrom = 0
  /** Its measurement and tags, once they were read. */
  #lineHead: LineHead | undefined
  readonly #lineFields: number[] = []
  #lineOpens: OpenSeries[] = []
  /** The bytes of its tags, for each of its new fields: each has labels of its own. */
  #headBytesRead = 0
  #hasText = false
  /** Why the line is refused though it can be read. */
  #refusal = ''
  /** Why it cannot be read, and where reading has stopped. */
  #problem = ''
  #problemAt = 0

  constructor(
    bytes: Buffer,
    cache: SeriesCache,
    { precision, ...bounds }: SliceBounds & { readonly precision: Precision },
  ) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#limit = bytes.length
    this.#cache = cache
    this.#time = new LineTime(precision)
    this.#bounds = bounds
  }

  /** Whether all lines were read. */
  get isAtEnd(): boolean {
    return this.#at >= this.#limit
  }

  /** Begins a slice, of lines of an organization. */
  begin(): DoorSlice {
    this.#openByText.clear()
    this.#slice = new DoorSlice()
    return this.#slice
  }

  /**
   * Reads about `bytesMax` more bytes of lines into the slice, without a pause. Returns false when the slice is full or
   * all lines were read.
   */
  read(orgUid: string, bytesMax: number): boolean {
    this.#cache.begin(orgUid)
    this.#cache.lookInto(this.#bytes, this.#view)
    this.#renew(this.#cache.generation)
    const until = Math.min(this.#limit, this.#at + bytesMax)
    while (this.#at < until) {
      if (this.#slice.isFull(this.#bounds)) return false
      const next = this.#readKnown(this.#at)
      if (next === NONE) this.#readNext()
      else this.#at = next
    }
    return this.#at < this.#limit
  }

  /**
   * Reads the line at a place as nearly all are: its fields are known and in the order of the last time, with numbers
   * and a time. Returns where the next line begins, or -1 for any other line, which is as if it had not been read.
   */
  #readKnown(from: number): number {
    const bytes = this.#bytes
    const cache = this.#cache
    const value = this.#value
    const limit = this.#limit
    const { samples } = this.#slice
    const first = samples.count
    const head = this.#knownHead(from)
    if (head === NONE) return NONE
    let at = from + cache.bytesOfHead(head)
    let field = NONE
    do {
      field = cache.expect(at + 1, EQUALS, head, field)
      const handle = field === NONE ? 0 : cache.handleOf(field)
      if (handle === 0) return this.#unread(first)
      const valueAt = at + 2 + cache.keyBytesOf(field)
      const begin = valueAt < limit ? bytes[valueAt] : QUOTE
      if (begin > NINE || begin === QUOTE) return this.#unread(first)
      at = value.read(bytes, valueAt, limit)
      const index = samples.count
      if (at < 0 || value.losesDigits || cache.take(field, index) !== NONE)
        return this.#unread(first)
      this.#lineFields[index - first] = field
      samples.addNumber(handle, 0, value.number)
    } while (at < limit && bytes[at] === COMMA)
    if (at + 1 >= limit || bytes[at] !== SPACE) return this.#unread(first)
    at = this.#time.read(this.#view, at + 1, limit)
    if (at < 0 || (at < limit && bytes[at] !== NEWLINE)) return this.#unread(first)
    this.#setTimes(first)
    this.#head = head
    this.#slice.noteLine(first, this.#line, from, at)
    this.#line += 1
    return at + 1
  }

  /** The known head of the line at a place, -1 for any other. */
  #knownHead(from: number): number {
    const cache = this.#cache
    cache.nextLine()
    const expected = cache.expectHead(from, SPACE, this.#head)
    if (expected !== NONE) return expected
    const end = this.#scan.scan(this.#view, from, this.#limit)
    // Only a head that ends at a space is one.
    if (end >= this.#limit || this.#bytes[end] !== SPACE) return NONE
    const head = cache.findHead(from, end, this.#scan.hash)
    if (head !== NONE) cache.followHead(head, this.#head)
    return head
  }

  /** Takes the samples of a line back that is to be read again. */
  #unread(first: number): number {
    this.#slice.samples.truncate(first)
    return NONE
  }

  #renew(generation: number): void {
    if (this.#cacheGeneration === generation) return
    this.#cacheGeneration = generation
    this.#openOf.clear()
    this.#head = NONE
  }

  /** Tells the cache which streams were found or made for the slice. */
  learn(): void {
    if (this.#cacheGeneration === this.#cache.generation) {
      for (const [field, { handle }] of this.#openOf) {
        if (handle !== 0) this.#cache.learn(field, handle)
      }
    }
    this.#openOf.clear()
  }

  /** The text at a place, without the newline at its end. */
  textAt(from: number, until: number): string {
    const end = this.#bytes[until - 1] === NEWLINE ? until - 1 : until
    const shownEnd = Math.min(end, from + UTF8_BYTES_MAX * SHOWN_LINE_LENGTH_MAX)
    return this.#bytes.toString('utf8', from, shownEnd).slice(0, SHOWN_LINE_LENGTH_MAX)
  }

  /** Skips what is no line, or reads one. */
  #readNext(): void {
    const bytes = this.#bytes
    let at = this.#at
    while (at < this.#limit && bytes[at] === SPACE) at += 1
    const blankEnd = this.#endOfLine(at)
    if (blankEnd !== NONE) {
      this.#line += 1
      this.#at = blankEnd
      return
    }
    if (bytes[at] === HASH) {
      this.#readComment(at)
      return
    }
    const first = this.#slice.samples.count
    this.#begin(at)
    const next = this.#readLine(at)
    if (next === NONE) this.#refuseUnread(first)
    else this.#endLine(first, next)
  }

  #begin(at: number): void {
    this.#lineFrom = at
    this.#lineHead = undefined
    this.#headBytesRead = 0
    this.#hasText = false
    this.#refusal = ''
    if (this.#lineOpens.length > 0) this.#lineOpens = []
  }

  #endLine(first: number, next: number): void {
    const line = this.#line
    if (this.#refusal === '') {
      this.#slice.noteLine(first, line, this.#lineFrom, next)
    } else {
      this.#rollBack(first)
      const from = this.#lineFrom
      this.#slice.refuseLine({ line, from, until: next, reason: this.#refusal })
    }
    if (this.#hasText) this.#countLines(this.#lineFrom, next - 1)
    this.#line += 1
    this.#at = next
  }

  /** Refuses a line that cannot be read, and goes on behind the next newline. */
  #refuseUnread(first: number): void {
    this.#rollBack(first)
    const from = this.#lineFrom
    const newline = this.#bytes.indexOf(NEWLINE, Math.max(this.#problemAt, from))
    const until = newline < 0 ? this.#limit : newline
    this.#slice.refuseLine({ line: this.#line, from, until, reason: this.#problem })
    this.#countLines(from, until)
    this.#line += 1
    this.#at = until + 1
  }

  /** Counts the newlines inside of quoted texts. */
  #countLines(from: number, until: number): void {
    let at = this.#bytes.indexOf(NEWLINE, from)
    while (at >= 0 && at < until) {
      this.#line += 1
      at = this.#bytes.indexOf(NEWLINE, at + 1)
    }
  }

  #readComment(at: number): void {
    const bytes = this.#bytes
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline < 0 ? this.#limit : newline
    const textEnd = bytes[end - 1] === RETURN ? end - 1 : end
    for (let place = at; place < textEnd; place++) {
      if ((BYTE_SETS[bytes[place]] & NOT_PRINTABLE) === 0) continue
      const reason = 'The comment has a control character'
      this.#slice.refuseLine({ line: this.#line, from: at, until: end, reason })
      break
    }
    this.#line += 1
    this.#at = end + 1
  }

  /** Behind the end of a line that is at a place, -1 where none is: a return counts before a newline or the end. */
  #endOfLine(at: number): number {
    if (at >= this.#limit) return this.#limit
    const byte = this.#bytes[at]
    if (byte === NEWLINE) return at + 1
    if (byte !== RETURN) return NONE
    if (at + 1 >= this.#limit) return at + 1
    return this.#bytes[at + 1] === NEWLINE ? at + 2 : NONE
  }

  /** Takes the samples of the line back. */
  #rollBack(first: number): void {
    for (const { samples } of this.#lineOpens) {
      while ((samples.at(-1) ?? NONE) >= first) samples.pop()
    }
    this.#slice.samples.truncate(first)
  }

  /** Reads a line that begins at a place: behind its end, or -1 where there is a problem. */
  #readLine(from: number): number {
    const bytes = this.#bytes
    const cache = this.#cache
    const first = this.#slice.samples.count
    cache.nextLine()
    let at = this.#scan.scan(this.#view, from, this.#limit)
    const isHead = at < this.#limit && bytes[at] === SPACE
    let head = isHead ? cache.findHead(from, at, this.#scan.hash) : NONE
    if (head === NONE) {
      const read = readLineHead(bytes, from, this.#limit)
      if (isUnreadable(read)) return this.#fail(read.problem, read.at)
      this.#lineHead = read
      if (read.repeatedTag === undefined) head = cache.addHead(from, at)
      else this.#refusal = `Tag ${shown(read.repeatedTag)} is there twice`
    }
    if (head !== NONE) cache.followHead(head, this.#head)
    this.#head = head
    while (at < this.#limit && bytes[at] === SPACE) at += 1
    let previous = NONE
    for (;;) {
      const keyEnd = endOfToken(bytes, at, this.#limit, IN_KEY)
      if (!this.#isKey(at, keyEnd)) return NONE
      const field = this.#fieldAt(at, keyEnd, head)
      if (field !== NONE) cache.follow(field, head, previous)
      const end = this.#value.read(bytes, keyEnd + 1, this.#limit)
      if (end < 0) return this.#fail(this.#value.problem, this.#value.stoppedAt)
      if (this.#refusal === '') this.#addPoint(field, at, first)
      if (this.#value.kind === VALUE_TEXT) this.#hasText = true
      previous = field
      at = end
      if (at >= this.#limit || bytes[at] !== COMMA) return this.#readEnd(at, first)
      at += 1
    }
  }

  #isKey(at: number, keyEnd: number): boolean {
    const bytes = this.#bytes
    if (keyEnd === at) {
      this.#fail('A field is missing', keyEnd)
    } else if (!isUtf8(bytes.subarray(at, keyEnd))) {
      this.#fail('A field key is not UTF-8', keyEnd)
    } else if (keyEnd >= this.#limit || bytes[keyEnd] !== EQUALS) {
      const name = shown(bytes.toString('utf8', at, Math.min(keyEnd, at + 60)))
      this.#fail(`Field ${name} has no value`, keyEnd)
    } else {
      return true
    }
    return false
  }

  /** The entry of a field in the cache, made if it is not there; -1 where there is no room for it. */
  #fieldAt(at: number, keyEnd: number, head: number): number {
    if (head === NONE) return NONE
    const field = this.#cache.findField(at, keyEnd, head)
    return field === NONE ? this.#cache.addField(at, keyEnd, head) : field
  }

  /** Adds the value that was read last to the field whose key is at a place. */
  #addPoint(field: number, at: number, first: number): void {
    const value = this.#value
    const { samples } = this.#slice
    const index = samples.count
    let handle: StreamHandle | 0 = 0
    let isOnChange = false
    if (field !== NONE) {
      // Of a field that a line has twice the last value counts.
      const before = this.#cache.take(field, index)
      if (before !== NONE) samples.drop(before)
      handle = this.#cache.handleOf(field)
      isOnChange = value.kind === VALUE_TEXT && this.#cache.isMarked(field)
    }
    if (handle === 0) {
      const open = this.#openAt(field, at)
      if (open === undefined) return
      const last = open.samples.at(-1) ?? NONE
      if (field === NONE && last >= first) samples.drop(last)
      open.samples.push(index)
      this.#lineOpens.push(open)
      isOnChange = value.kind === VALUE_TEXT && open.isOnChange
    }
    if (value.kind === VALUE_NUMBER) samples.addNumber(handle, 0, value.number)
    else samples.add(handle, 0, value)
    if (isOnChange) samples.onChange.push(index)
    if (value.losesDigits) this.#slice.roundedIntegers += 1
    this.#lineFields[index - first] = field
  }

  /** The open series of the field whose key is at a place; undefined where it cannot be one. */
  #openAt(field: number, at: number): OpenSeries | undefined {
    const known = field === NONE ? undefined : this.#openOf.get(field)
    if (known !== undefined) return known
    // Each new field has all tags as labels: a line that is refused must not make them for all of its fields.
    if (this.#refusal !== '') return undefined
    if (this.#headBytesRead > LABEL_CHARACTERS_MAX) {
      this.#refusal = 'The line has too many fields for tags of this length. Send fewer in a line'
      return undefined
    }
    const found = this.#seriesAt(at)
    if (found === undefined) return undefined
    const text = seriesText(found.series)
    let open = this.#openByText.get(text)
    if (open === undefined) {
      open = { ...found, samples: [], handle: 0 }
      this.#openByText.set(text, open)
      this.#slice.addSeries(open, text)
    }
    open.moreLabels = found.moreLabels
    if (field !== NONE) this.#openOf.set(field, open)
    if (field !== NONE && found.isOnChange) this.#cache.mark(field)
    return open
  }

  #seriesAt(at: number): FieldSeries | undefined {
    const head = this.#lineHead ?? readLineHead(this.#bytes, this.#lineFrom, this.#limit)
    const { text: field } = takeToken(this.#bytes, at, this.#limit, IN_KEY)
    invariant(!isUnreadable(head) && field !== undefined, 'a line that was read is not one')
    this.#lineHead = head
    this.#headBytesRead += head.end - this.#lineFrom
    const found = seriesOfField(head, field)
    if (found === undefined) {
      this.#refusal = 'No tag may be called __name__'
      return undefined
    }
    const mistake = findLabelMistake(found.series) ?? findLabelMistake(found.moreLabels)
    if (mistake === undefined) return found
    this.#refusal = mistake
    return undefined
  }

  /** Reads what follows the fields of a line: spaces, a time, and its end. */
  #readEnd(from: number, first: number): number {
    const bytes = this.#bytes
    let at = from
    if (at < this.#limit && (BYTE_SETS[bytes[at]] & ENDS_VALUE) === 0) {
      return this.#fail('A comma, a space, or the end of the line must follow a value', at)
    }
    while (at < this.#limit && bytes[at] === SPACE) at += 1
    let end = this.#endOfLine(at)
    if (end !== NONE) {
      this.#leaveTimes(first)
      return end
    }
    const byte = bytes[at]
    if (byte !== MINUS && (byte < ZERO || byte > NINE)) {
      return this.#fail('Only a time may follow the fields', at)
    }
    at = this.#time.read(this.#view, at, this.#limit)
    if (at < 0) return this.#fail(this.#time.problem, from)
    if (at < this.#limit && (BYTE_SETS[bytes[at]] & ENDS_VALUE) === 0) {
      return this.#fail('The time is no whole number', at)
    }
    while (at < this.#limit && bytes[at] === SPACE) at += 1
    end = this.#endOfLine(at)
    if (end === NONE) return this.#fail('Nothing may follow the time', at)
    this.#setTimes(first)
    return end
  }

  #setTimes(first: number): void {
    const { time, rest } = this.#time
    const { count, times } = this.#slice.samples
    for (let index = first; index < count; index++) {
      times[index] = time
      const field = this.#lineFields[index - first]
      if (field !== NONE && this.#cache.sharesMillisecond(field, time, rest)) {
        this.#slice.sharedMilliseconds += 1
      }
    }
  }

  /** Leaves the times of points without one to the service. */
  #leaveTimes(first: number): void {
    const { samples } = this.#slice
    samples.times.fill(Number.NaN, first, samples.count)
    if (samples.count > first) samples.isTimed = false
  }

  #fail(problem: string, at: number): number {
    this.#problem = problem
    this.#problemAt = at
    return NONE
  }
}
