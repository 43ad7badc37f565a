import { epochMs } from '../../../base/index.ts'
import type { SampleBatch, StreamHandle, TouchedSpan } from '../../ports/sample-port.ts'
import { HandleSet } from '../head/handle-set.ts'
import type { HeadGeneration } from '../head/head-generation.ts'
import { SampleSink } from '../head/sample-sink.ts'
import type { DurableGroup } from '../journal/journal.ts'
import type { ChunkReadTable } from '../sealed/chunk-read-table.ts'

/** Beyond this the older half keeps one span per stream, wider than what changed. */
const ENTRIES_MAX = 20_000

interface Entry {
  readonly cursor: number
  readonly span: TouchedSpan
}

/** A span while it grows. Its least and greatest number are NaN where it has more than numbers. */
interface OpenSpan {
  from: number
  until: number
  least: number
  most: number
}

type Spans = Map<number, OpenSpan>

/**
 * What was touched of the watched streams. A cursor is a journal sequence. Everything since this
 * process started is in memory; what earlier ones sealed is in samples.db.
 */
export class TouchedLog {
  readonly #table: ChunkReadTable
  /** What is in memory is complete after this cursor. */
  readonly #start: number
  /** The last cursor of all; one from beyond it belongs to another journal. */
  #end: number
  #watched = new Set<number>()
  /** The same once more, for puts. */
  #watchedBits = new HandleSet()
  /** In the order of their cursors. */
  #entries: Entry[] = []
  /** The last cursor of every segment that was replayed, by its number. */
  readonly #replayed = new Map<number, number>()

  constructor(table: ChunkReadTable, sealedSequence: number) {
    this.#table = table
    this.#start = sealedSequence
    this.#end = sealedSequence
    this.#setWatched(table.selectWatched())
  }

  /**
   * Replaces the set of watched streams. What was replayed before a stream was among them is looked for
   * in what is not sealed yet: who was killed may have had no time to keep that it is watched.
   */
  watch(handles: readonly number[], generations: readonly HeadGeneration[] = []): void {
    const added = handles.filter((handle) => !this.#watched.has(handle))
    this.#setWatched(handles)
    const entries = this.#entries.filter(({ span }) => this.#watched.has(span.handle))
    for (const generation of generations) {
      const cursor = this.#replayed.get(generation.segment)
      if (cursor === undefined) continue
      for (const { span } of entriesOf(cursor, spansOf(generation, added))) {
        entries.push({ cursor, span: { ...span, mayBeOlder: true } })
      }
    }
    this.#entries = entries.sort((a, b) => a.cursor - b.cursor)
  }

  /** Adds one stream to those watched. */
  watchAlso(handle: number): void {
    this.#watched.add(handle)
    this.#watchedBits.add(handle)
  }

  forget(handles: readonly number[]): void {
    const gone = new Set(handles)
    for (const handle of handles) this.#watched.delete(handle)
    this.#entries = this.#entries.filter(({ span }) => !gone.has(span.handle))
  }

  /** Takes in what became durable. */
  note({ sequence, records }: Pick<DurableGroup, 'sequence' | 'records'>): void {
    this.#end = Math.max(this.#end, sequence)
    if (this.#watched.size === 0) return
    const spans: Spans = new Map()
    for (const { kind, batch } of records) {
      if (kind !== 'forget') this.#noteRemovals(batch, spans)
      // Special values are no change for those who watch.
      if (kind === 'samples') this.#noteSamples(batch, spans)
    }
    this.#add(sequence, spans)
  }

  #noteRemovals({ removals }: SampleBatch, spans: Spans): void {
    for (const removal of removals) {
      if (this.#watchedBits.has(removal.handle)) widen(spans, removal.handle, unread(removal))
    }
  }

  #noteSamples(batch: SampleBatch, spans: Spans): void {
    const { count, handles } = batch
    // A stream is looked up once for a run of its samples: most of a put is of streams nobody watches.
    for (let at = 0; at < count; ) {
      const handle = handles[at]
      const first = at
      for (at += 1; at < count && handles[at] === handle; ) at += 1
      if (this.#watchedBits.has(handle)) widen(spans, handle, spanOf(batch, first, at))
    }
  }

  /** Takes in that all frames of a generation were replayed. */
  noteReplayed(generation: HeadGeneration, lastSequence: number): void {
    this.#replayed.set(generation.segment, lastSequence)
    this.#end = Math.max(this.#end, lastSequence)
  }

  /**
   * Spans after a cursor, in order; those of one cursor are returned together, even beyond the limit. A cursor
   * from beyond the end is of a journal that was replaced, by a backup say: all known spans are returned.
   */
  since(asked: number, limit: number): { spans: TouchedSpan[]; cursor: number } {
    const cursor = asked > this.#end ? 0 : asked
    const older = cursor < this.#start ? this.#table.selectTouched(cursor, limit) : []
    const found = older.filter((entry) => entry.cursor <= this.#start)
    for (let at = this.#placeAfter(cursor); at < this.#entries.length; at += 1) {
      const entry = this.#entries[at]
      if (found.length >= limit && entry.cursor !== found[found.length - 1]?.cursor) break
      found.push(entry)
    }
    const last = found.at(-1)?.cursor ?? cursor
    return { spans: found.map(({ span }) => span), cursor: last }
  }

  /** Where the first entry after a cursor is: who asks often has read almost all of them. */
  #placeAfter(cursor: number): number {
    let [low, high] = [0, this.#entries.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#entries[middle].cursor <= cursor) low = middle + 1
      else high = middle
    }
    return low
  }

  #setWatched(handles: readonly number[]): void {
    this.#watched = new Set(handles)
    this.#watchedBits = new HandleSet()
    for (const handle of handles) this.#watchedBits.add(handle)
  }

  #add(cursor: number, spans: Spans): void {
    // One by one: a call takes at most some 120,000 arguments.
    for (const entry of entriesOf(cursor, spans)) this.#entries.push(entry)
    if (this.#entries.length > ENTRIES_MAX + 2 * this.#watched.size) this.#coalesce()
  }

  /**
   * Of the older half one span per stream, at its last cursor: a reader that keeps up gets exact spans, and a reader
   * with an earlier cursor too much.
   */
  #coalesce(): void {
    const half = this.#entries.length >>> 1
    const spans: Spans = new Map()
    const cursors = new Map<number, number>()
    for (const { cursor, span } of this.#entries.slice(0, half)) {
      const { from, until, least = Number.NaN, most = Number.NaN } = span
      widen(spans, span.handle, { from, until, least, most })
      cursors.set(span.handle, cursor)
    }
    const older = [...spans].flatMap(([handle, span]) =>
      entriesOf(cursors.get(handle) ?? 0, new Map([[handle, span]])),
    )
    older.sort((a, b) => a.cursor - b.cursor)
    this.#entries = [...older, ...this.#entries.slice(half)]
  }
}

function entriesOf(cursor: number, spans: Spans): Entry[] {
  const entries: Entry[] = []
  for (const [number, span] of spans) {
    const handle = number as StreamHandle
    const [from, until] = [epochMs(span.from), epochMs(span.until)]
    const { least, most } = span
    const isKnown = !Number.isNaN(least)
    entries.push({
      cursor,
      span: isKnown ? { handle, from, until, least, most } : { handle, from, until },
    })
  }
  return entries
}

/** Where a generation touches some streams. */
function spansOf(generation: HeadGeneration, handles: Iterable<number>): Spans {
  const spans: Spans = new Map()
  for (const handle of handles) {
    if (generation.hasSamples(handle)) {
      const first = new SampleSink(1)
      generation.readAll(handle, first)
      const from = first.columns().times[0]
      widen(spans, handle, unread({ from, until: generation.lastTimeOf(handle) + 1 }))
    }
    const { starts, ends } = generation.tombstones.maskOf(handle)
    starts.forEach((from, index) => {
      widen(spans, handle, unread({ from, until: ends[index] }))
    })
  }
  return spans
}

/** A span of which nothing but its edges is known. */
function unread({ from, until }: { readonly from: number; readonly until: number }): OpenSpan {
  return { from, until, least: Number.NaN, most: Number.NaN }
}

function spanOf({ times, numbers, texts }: SampleBatch, first: number, end: number): OpenSpan {
  let from = times[first]
  let last = from
  let least = numbers[first]
  let most = least
  for (let at = first + 1; at < end; at += 1) {
    const time = times[at]
    const number = numbers[at]
    if (time < from) from = time
    else if (time > last) last = time
    if (number < least) least = number
    else if (number > most) most = number
  }
  const span = { from, until: last + 1, least, most }
  const isNumeric =
    texts === undefined || texts.slice(first, end).every((text) => text === undefined)
  return isNumeric ? span : unread(span)
}

function widen(spans: Spans, handle: number, added: OpenSpan): void {
  const known = spans.get(handle)
  if (known === undefined) {
    spans.set(handle, added)
    return
  }
  known.from = Math.min(known.from, added.from)
  known.until = Math.max(known.until, added.until)
  // NaN stays NaN.
  known.least = Math.min(known.least, added.least)
  known.most = Math.max(known.most, added.most)
}
