import { EARLIEST_TIME, epochMs, TIME_END } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { INTERVAL, type StreamKind, VALUE_CODE } from '../../catalog/shape/index.ts'
import type { Sample, StreamHandle } from '../../store/index.ts'
import { addressPath, type OneStreamPath } from '../find-streams.ts'
import type { ShowFile } from '../get/get-feed.ts'
import { formatValue, showNumber, type UnitFormat } from '../value/unit-format.ts'
import { type Due, GAP_DUE, LAST_DUE, NEW_DUE } from './live-due.ts'
import type { LiveStore } from './live-store.ts'
import type { LiveStream } from './live-streams.ts'

/** The most samples of a stream that are sent at once; of more the newest. */
const SAMPLES_MAX = 100
/** Characters of a text that are sent; the sample itself has all of it. */
const TEXT_LENGTH_MAX = 4_096
/** Characters that one stream may take at once; of more samples the newest. */
const NEWS_LENGTH_MAX = 65_536
/** Characters of news that are kept for others who are owed the same. */
const KEPT_LENGTH_MAX = 16 * 1024 * 1024

/** How a listener wants samples written. */
export interface LiveForm {
  /** The last one alone instead of all. */
  readonly isLast: boolean
  /** Whether values come formatted with their unit, too. */
  readonly isFormatted: boolean
}

/** An event of a stream, with what has to come right before it. */
interface NewsEvent {
  readonly text: string
  /** The time of its sample; undefined: there is none in it. */
  readonly time: number | undefined
}

/** News of a stream as a listener gets them, from the earliest on. */
type LiveNews = readonly NewsEvent[]

/** Writes an event: its name, and its data as JSON. */
export type LiveFrame = (event: string, json: string) => string

interface LiveReaderDeps {
  readonly catalog: Catalog
  readonly store: LiveStore
  readonly showFile: ShowFile
  readonly frame: LiveFrame
}

/** How the samples of one stream are shown. */
interface Showing {
  /** What every event begins with, behind the brace. */
  readonly names: string
  /** What leads to its files. */
  readonly path: OneStreamPath
  readonly kind: StreamKind
  readonly valueCode: number
  readonly isFormatted: boolean
  readonly unit: UnitFormat | undefined
}

/** A stream as listeners have heard of it. */
type ReadStream = Pick<LiveStream, 'handle' | 'sent'>

const NOTHING: LiveNews = []

/** Makes events of what is owed; within a turn those who are owed the same share them. */
export class LiveReader {
  readonly #deps: LiveReaderDeps
  /** By what is owed, and by form. */
  readonly #kept = new Map<Due, (Promise<LiveNews> | undefined)[]>()
  #keptLength = 0

  constructor(deps: LiveReaderDeps) {
    this.#deps = deps
  }

  /** Forgets what was made: later asked, it may be more. */
  beginRound(): void {
    this.#kept.clear()
    this.#keptLength = 0
  }

  /**
   * The events with what a listener is owed of a stream. What is later than the stream's `sent` is
   * left to the round that finds it: sent now it would come again, with samples before it.
   */
  read(stream: ReadStream, due: Due, form: LiveForm): Promise<LiveNews> {
    if (isOfEveryStream(due) || this.#keptLength > KEPT_LENGTH_MAX) {
      return this.#read(stream, due, form)
    }
    const at = (form.isLast ? 2 : 0) + (form.isFormatted ? 1 : 0)
    const kept = this.#kept.get(due) ?? []
    const known = kept[at]
    if (known !== undefined) return known
    const reading = this.#read(stream, due, form).then((news) => {
      for (const { text } of news) this.#keptLength += text.length
      return news
    })
    kept[at] = reading
    this.#kept.set(due, kept)
    return reading
  }

  async #read(stream: ReadStream, due: Due, form: LiveForm): Promise<LiveNews> {
    const { handle } = stream
    const showing = await this.#showingOf(handle, form)
    if (showing === undefined) return NOTHING
    const { frame } = this.#deps
    let text = due.isGap ? frame('gap', `{${showing.names}}`) : ''
    const { changed } = due
    if (changed !== undefined) {
      const sd = startOf(changed.from, showing)
      text += frame('change', `{${showing.names},"sd":${sd},"ed":${changed.until}}`)
    }
    const { sent, last, isOne } = due
    if (sent !== undefined && !form.isLast && !isOne) {
      const found = await this.#since(stream, sent, showing)
      if (found.length > 0 || changed === undefined) return behind(text, found)
    }
    const sample = last ?? (await this.#lastOf(stream))
    if (sample === undefined) return behind(text, NOTHING)
    return behind(text, [{ text: this.#eventOf(sample, showing), time: sample.time }])
  }

  /** The last sample up to the stream's `sent`. */
  async #lastOf({ handle, sent = TIME_END }: ReadStream): Promise<Sample | undefined> {
    const { store } = this.#deps
    const [last] = await store.latest([handle])
    if (last === undefined || last.time <= sent) return last
    if (sent < EARLIEST_TIME) return undefined
    const until = epochMs(sent + 1)
    const range = { from: epochMs(EARLIEST_TIME), until, limit: 1, order: 'latest_first' } as const
    const { count, times, numbers, texts } = await store.range(handle, range)
    return count === 0 ? undefined : { time: epochMs(times[0]), value: texts?.[0] ?? numbers[0] }
  }

  /** The samples after a time from the earliest on, and before them the gap when they are too many. */
  async #since(
    { handle, sent: reach = TIME_END - 1 }: ReadStream,
    sent: number,
    showing: Showing,
  ): Promise<LiveNews> {
    const from = epochMs(Math.max(sent + 1, EARLIEST_TIME))
    if (reach < from) return NOTHING
    const limit = SAMPLES_MAX + 1
    const { store, frame } = this.#deps
    const columns = await store.range(handle, {
      from,
      until: epochMs(reach + 1),
      limit,
      order: 'latest_first',
    })
    const { count, times, numbers, texts } = columns
    const events: NewsEvent[] = []
    let length = 0
    let at = 0
    for (; at < Math.min(count, SAMPLES_MAX) && length < NEWS_LENGTH_MAX; at += 1) {
      const value = texts?.[at] ?? numbers[at]
      const time = epochMs(times[at])
      const text = this.#eventOf({ time, value }, showing)
      events.push({ text, time })
      length += text.length
    }
    events.reverse()
    if (at >= count) return events
    const sd = startOf(from, showing)
    return behind(frame('gap', `{${showing.names},"sd":${sd},"ed":${times[at - 1]}}`), events)
  }

  async #showingOf(handle: StreamHandle, form: LiveForm): Promise<Showing | undefined> {
    const { catalog } = this.#deps
    const { index } = catalog
    const unit = form.isFormatted ? await catalog.unitOf(handle) : undefined
    if (!index.has(handle)) return undefined
    const { compId, uid: compUid } = index.componentOf(handle)
    const streamId = index.streamIdOf(handle)
    const names = namesOf({ compId, compUid, streamId, streamUid: index.streamUid(handle) })
    const valueCode = index.valueCodeOf(handle)
    const path = addressPath(index, handle)
    const kind = index.kindOf(handle)
    return { names, path, kind, valueCode, isFormatted: form.isFormatted, unit }
  }

  #eventOf({ time, value }: Sample, showing: Showing): string {
    const isText = typeof value === 'string'
    const { names, valueCode, unit } = showing
    const isBoolean = valueCode === VALUE_CODE.BOOLEAN
    const whole =
      isText && valueCode === VALUE_CODE.FILE
        ? this.#deps.showFile(value, { ...showing.path, time })
        : value
    const isCut = typeof whole === 'string' && whole.length > TEXT_LENGTH_MAX
    const shown = isCut ? whole.slice(0, TEXT_LENGTH_MAX).toWellFormed() : whole
    const data = jsonOf(shown, isBoolean)
    const isDecimal = valueCode === VALUE_CODE.BIG_DECIMAL
    const fData = showing.isFormatted
      ? `,"fData":${JSON.stringify(formatValue(shown, { isBoolean, isDecimal, unit }))}`
      : ''
    const cut = isCut ? ',"isCut":true' : ''
    return this.#deps.frame('sample', `{${names},"time":${time},"data":${data}${fData}${cut}}`)
  }
}

/**
 * The `sd` by which a GET feed shows what is timed from a moment on. An interval is timed at its end and
 * shown where it overlaps the range: one that ends at `sd` would be left out.
 */
function startOf(from: number, { kind }: Showing): number {
  return kind === INTERVAL ? from - 1 : from
}

/** Whether what is owed says nothing of which stream it is. */
function isOfEveryStream(due: Due): boolean {
  return due === LAST_DUE || due === GAP_DUE || due === NEW_DUE
}

/** News with a text before them, which goes together with the first. */
function behind(text: string, news: LiveNews): LiveNews {
  if (text === '') return news
  const [first, ...rest] = news
  if (first === undefined) return [{ text, time: undefined }]
  return [{ ...first, text: text + first.text }, ...rest]
}

function jsonOf(value: number | string, isBoolean: boolean): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return isBoolean ? String(value !== 0) : showNumber(value)
}

/** Names and values as JSON, without the braces. */
function namesOf(names: Readonly<Record<string, string>>): string {
  return JSON.stringify(names).slice(1, -1)
}
