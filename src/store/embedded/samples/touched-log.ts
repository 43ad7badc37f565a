import { epochMs } from '../../../base/index.ts'
import type { StreamHandle, TouchedSpan } from '../../sample-port.ts'
import type { HeadGeneration } from '../head/head-generation.ts'
import { SampleSink } from '../head/sample-sink.ts'
import type { DurableGroup } from '../journal/journal.ts'
import type { ChunkReadTable } from '../sealed/chunk-read-table.ts'

/** Beyond this the log keeps one span per stream, wider than what changed. */
const ENTRIES_MAX = 20_000

interface Entry {
  readonly cursor: number
  readonly span: TouchedSpan
}

/**
 * What was touched of the watched streams. A cursor is a journal sequence. Everything since this
 * process started is in memory; what earlier ones sealed is in samples.db.
 */
export class TouchedLog {
  readonly #table: ChunkReadTable
  /** What is in memory is complete after this cursor. */
  readonly #start: number
  #watched: Set<number>
  #entries: Entry[] = []

  constructor(table: ChunkReadTable, sealedSequence: number) {
    this.#table = table
    this.#start = sealedSequence
    this.#watched = new Set(table.selectWatched())
  }

  /** Replaces the set of watched streams. */
  watch(handles: readonly number[]): void {
    this.#watched = new Set(handles)
    this.#entries = this.#entries.filter(({ span }) => this.#watched.has(span.handle))
  }

  forget(handles: readonly number[]): void {
    const gone = new Set(handles)
    for (const handle of handles) this.#watched.delete(handle)
    this.#entries = this.#entries.filter(({ span }) => !gone.has(span.handle))
  }

  /** Takes in what became durable. */
  note({ sequence, records }: DurableGroup): void {
    if (this.#watched.size === 0) return
    const spans = new Map<number, { from: number; until: number }>()
    for (const { kind, batch } of records) {
      if (kind !== 'samples') continue
      for (let index = 0; index < batch.count; index += 1) {
        if (!this.#watched.has(batch.handles[index])) continue
        widen(spans, batch.handles[index], {
          from: batch.times[index],
          until: batch.times[index] + 1,
        })
      }
      for (const removal of batch.removals) {
        if (this.#watched.has(removal.handle)) widen(spans, removal.handle, removal)
      }
    }
    this.#add(sequence, spans)
  }

  /** Takes in a generation that was replayed: each stream's samples and removals as one span. */
  noteReplayed(generation: HeadGeneration, lastSequence: number): void {
    const spans = new Map<number, { from: number; until: number }>()
    for (const handle of this.#watched) {
      if (generation.hasSamples(handle)) {
        const first = new SampleSink(1)
        generation.readAll(handle, first)
        const from = first.columns().times[0]
        widen(spans, handle, { from, until: generation.lastTimeOf(handle) + 1 })
      }
      const { starts, ends } = generation.tombstones.maskOf(handle)
      starts.forEach((from, index) => {
        widen(spans, handle, { from, until: ends[index] })
      })
    }
    this.#add(lastSequence, spans)
  }

  /** Spans after a cursor, in order; those of one cursor are told together, beyond the limit too. */
  since(cursor: number, limit: number): { spans: TouchedSpan[]; cursor: number } {
    const older = cursor < this.#start ? this.#table.selectTouched(cursor, limit) : []
    const found = older.filter((entry) => entry.cursor <= this.#start)
    for (const entry of this.#entries) {
      if (entry.cursor <= cursor) continue
      if (found.length >= limit && entry.cursor !== found[found.length - 1]?.cursor) break
      found.push(entry)
    }
    const last = found.at(-1)?.cursor ?? cursor
    return { spans: found.map(({ span }) => span), cursor: last }
  }

  #add(cursor: number, spans: ReadonlyMap<number, { from: number; until: number }>): void {
    for (const [handle, { from, until }] of spans) {
      const span = { handle: handle as StreamHandle, from: epochMs(from), until: epochMs(until) }
      this.#entries.push({ cursor, span })
    }
    if (this.#entries.length > ENTRIES_MAX + this.#watched.size) this.#coalesce()
  }

  /** One span per stream, at its last cursor: a reader with an earlier one is told too much. */
  #coalesce(): void {
    const spans = new Map<number, { from: number; until: number }>()
    const cursors = new Map<number, number>()
    for (const { cursor, span } of this.#entries) {
      widen(spans, span.handle, span)
      cursors.set(span.handle, cursor)
    }
    this.#entries = []
    const inOrder = [...cursors].sort((a, b) => a[1] - b[1])
    for (const [handle, cursor] of inOrder) {
      const span = spans.get(handle)
      if (span !== undefined) this.#add(cursor, new Map([[handle, span]]))
    }
  }
}

function widen(
  spans: Map<number, { from: number; until: number }>,
  handle: number,
  added: { from: number; until: number },
): void {
  const known = spans.get(handle)
  if (known === undefined) {
    spans.set(handle, { from: added.from, until: added.until })
    return
  }
  known.from = Math.min(known.from, added.from)
  known.until = Math.max(known.until, added.until)
}
