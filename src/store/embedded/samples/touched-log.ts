import type { SampleBatch, TouchedSpan } from '../../ports/sample-port.ts'
import { HandleSet } from '../head/handle-set.ts'
import type { HeadGeneration } from '../head/head-generation.ts'
import { SampleSink } from '../head/sample-sink.ts'
import type { DurableGroup } from '../journal/journal.ts'
import type { ChunkReadTable } from '../sealed/chunk-read-table.ts'
import { TouchedSpans, type UnreadSpan } from './touched-spans.ts'

/** With more spans, the older half keeps one span per stream, wider than what changed. */
const SPANS_MAX = 20_000

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
  /** Deleted streams may be among them. */
  #watched = new HandleSet()
  readonly #spans = new TouchedSpans()
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
    this.#spans.filter((handle) => this.#watched.has(handle))
    const found = generations.flatMap((generation) => {
      const cursor = this.#replayed.get(generation.segment)
      if (cursor === undefined) return []
      return spansOf(generation, added).map((span) => ({ cursor, span }))
    })
    this.#spans.insertOlder(found)
  }

  /** Adds one stream to those watched. */
  watchAlso(handle: number): void {
    this.#watched.add(handle)
  }

  forget(handles: readonly number[]): void {
    const gone = new Set(handles)
    this.#spans.filter((handle) => !gone.has(handle))
  }

  /** Takes in what became durable. */
  note({ sequence, records }: Pick<DurableGroup, 'sequence' | 'records'>): void {
    this.#end = Math.max(this.#end, sequence)
    if (this.#watched.isEmpty) return
    for (const { kind, batch } of records) {
      if (kind !== 'forget') this.#noteRemovals(sequence, batch)
      // Special values are no change for those who watch.
      if (kind === 'samples') this.#noteSamples(sequence, batch)
    }
    if (this.#spans.count > SPANS_MAX + 2 * this.#watched.count) this.#spans.coalesce()
  }

  #noteRemovals(sequence: number, { removals }: SampleBatch): void {
    for (const removal of removals) {
      if (this.#watched.has(removal.handle)) this.#spans.addUnread(sequence, removal)
    }
  }

  #noteSamples(sequence: number, batch: SampleBatch): void {
    const { count, handles } = batch
    // A stream is looked up once for a run of its samples: most of a put is of streams nobody watches.
    for (let at = 0; at < count; ) {
      const handle = handles[at]
      const first = at
      for (at += 1; at < count && handles[at] === handle; ) at += 1
      if (this.#watched.has(handle)) this.#spans.addSamples(sequence, batch, { first, end: at })
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
    const spans = found.map(({ span }) => span)
    let last = found.at(-1)?.cursor
    for (let at = this.#spans.placeAfter(cursor); at < this.#spans.count; at += 1) {
      const next = this.#spans.cursorAt(at)
      if (spans.length >= limit && next !== last) break
      spans.push(this.#spans.spanAt(at))
      last = next
    }
    return { spans, cursor: last ?? cursor }
  }

  #setWatched(handles: readonly number[]): void {
    this.#watched = new HandleSet()
    for (const handle of handles) this.#watched.add(handle)
  }
}

/** Where a generation touches some streams. */
function spansOf(generation: HeadGeneration, handles: readonly number[]): UnreadSpan[] {
  const spans: UnreadSpan[] = []
  for (const handle of handles) {
    const { starts, ends } = generation.tombstones.maskOf(handle)
    for (const [at, from] of starts.entries()) spans.push({ handle, from, until: ends[at] })
    if (!generation.hasSamples(handle)) continue
    const first = new SampleSink(1)
    generation.readAll(handle, first)
    const from = first.columns().times[0]
    spans.push({ handle, from, until: generation.lastTimeOf(handle) + 1 })
  }
  return spans
}
