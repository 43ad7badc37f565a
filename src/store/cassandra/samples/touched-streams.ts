import { Mutex } from '../../../base/index.ts'
import type { SampleOrder } from '../../ports/sample-order.ts'
import type { TouchedSpan } from '../../ports/sample-port.ts'
import type { Cluster } from '../connection/cluster.ts'
import { blobOf, bytesOf, mustBeWhole } from './row-values.ts'
import { eachAtOnce } from './slots.ts'
import {
  ENTRY_SPANS_MAX,
  packSpans,
  TouchedEntries,
  unpackSpans,
  widened,
} from './touched-entries.ts'

/** Over how many partitions the watched streams are spread, and the intents. */
const WATCHED_SHARDS = 16
const INTENT_SHARDS = 16

const AT_ONCE = 64

/**
 * Intents are read again for this number of checks, a minute apart, because a paused process may write one late. Older
 * intents are not read, so that a check skips few withdrawn ones.
 */
const LOOKS_AGAIN = 5

const INTENTS_PER_PAGE = 100

const insertWatched = 'INSERT INTO sample_watched (shard, stream) VALUES (?, ?)'
const deleteWatched = 'DELETE FROM sample_watched WHERE shard = ? AND stream = ?'
const selectWatched = 'SELECT stream FROM sample_watched WHERE shard = ?'
const insertIntent = 'INSERT INTO sample_intent (shard, stamp, writer, spans) VALUES (?, ?, ?, ?)'
const deleteIntent = 'DELETE FROM sample_intent WHERE shard = ? AND stamp = ? AND writer = ?'
const selectIntents = `SELECT stamp, writer, spans FROM sample_intent
  WHERE shard = ? AND stamp > ? AND stamp <= ?`

interface Waiting {
  readonly spans: readonly TouchedSpan[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** An intent: what a call is about to touch, in case its process dies before it reports them. */
interface Intent {
  readonly stamp: number
  readonly writer: number
}

/**
 * What was touched of the watched streams, for every process that asks. A call leaves an intent
 * before it writes samples and an entry of the log after; calls that end meanwhile share the next entry.
 */
export class TouchedStreams {
  readonly #cql: Cluster
  readonly #order: Pick<SampleOrder, 'next'>
  readonly #entries: TouchedEntries
  #watched = new Set<number>()
  #kept = new Set<number>()
  readonly #keeping = new Mutex()
  #waiting: Waiting[] = []
  #isWriting = false
  /** Up to which stamps the last looks have adopted, the oldest first. */
  #adopted: number[] = []

  constructor({
    cql,
    order,
  }: { readonly cql: Cluster; readonly order: Pick<SampleOrder, 'next'> }) {
    this.#cql = cql
    this.#order = order
    this.#entries = new TouchedEntries(cql)
  }

  /** Learns which streams are watched from what was kept. */
  async load(): Promise<void> {
    const shards = Array.from({ length: WATCHED_SHARDS }, (_, shard) => shard)
    await eachAtOnce(shards, AT_ONCE, async (shard) => {
      for await (const page of this.#cql.pages(selectWatched, [shard], 5_000)) {
        for (const row of page) this.#kept.add(mustBeWhole(row.stream))
      }
    })
    this.#watched = new Set(this.#kept)
  }

  /** As SampleStore has it. */
  async watch(handles: readonly number[]): Promise<void> {
    this.#watched = new Set(handles)
    await this.#keeping.run(() => this.#keep(new Set(handles)))
  }

  /** As SampleStore has it. */
  watchAlso(handle: number): void {
    this.#watched.add(handle)
  }

  /** Watches streams that are gone no more. */
  forget(handles: readonly number[]): void {
    for (const handle of handles) this.#watched.delete(handle)
  }

  /** Which of some spans are of watched streams. */
  watchedOf(spans: Iterable<TouchedSpan>): TouchedSpan[] {
    const some: TouchedSpan[] = []
    if (this.#watched.size === 0) return some
    for (const span of spans) if (this.#watched.has(span.handle)) some.push(span)
    return some
  }

  /** Leaves word of what a call is about to touch. */
  async intend({ stamp, writer }: Intent, spans: readonly TouchedSpan[]): Promise<void> {
    if (spans.length === 0) return
    const params = [stamp % INTENT_SHARDS, BigInt(stamp), writer, blobOf(packSpans(spans))]
    await this.#cql.run(insertIntent, params, { timestamp: stamp })
  }

  /** Reports what a call has touched; resolves when every reader can see it. */
  async report(intent: Intent, spans: readonly TouchedSpan[]): Promise<void> {
    if (spans.length === 0) return
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ spans, resolve, reject })
      if (!this.#isWriting) void this.#write()
    })
    await this.#withdraw(intent)
  }

  /** Reports the intents of dead processes, up to a stamp. */
  async adopt(upTo: number): Promise<void> {
    const floor = await this.#entries.adoptedUpTo()
    for (let shard = 0; shard < INTENT_SHARDS; shard += 1) {
      const params = [shard, BigInt(floor), BigInt(upTo)]
      for await (const rows of this.#cql.pages(selectIntents, params, INTENTS_PER_PAGE)) {
        for (const row of rows) {
          const intent = { stamp: mustBeWhole(row.stamp), writer: mustBeWhole(row.writer) }
          await this.report(intent, unpackSpans(bytesOf(row.spans)))
        }
      }
    }
    this.#adopted.push(upTo)
    if (this.#adopted.length <= LOOKS_AGAIN) return
    const [oldest] = this.#adopted.splice(0, 1)
    if (oldest > floor) await this.#entries.noteAdopted(oldest)
  }

  /** As SampleStore has it. */
  async since(asked: number, limit: number): Promise<{ spans: TouchedSpan[]; cursor: number }> {
    const end = await this.#entries.end()
    const after = asked > end ? 0 : asked
    if (after === end) return { spans: [], cursor: after }
    const spans: TouchedSpan[] = []
    let cursor = after
    for await (const entry of this.#entries.between(after, end)) {
      spans.push(...this.watchedOf(entry.spans))
      cursor = entry.seq
      if (spans.length >= limit) return { spans, cursor }
    }
    return { spans, cursor: Math.max(cursor, end) }
  }

  async #withdraw({ stamp, writer }: Intent): Promise<void> {
    const params = [stamp % INTENT_SHARDS, BigInt(stamp), writer]
    // The same timestamp: of a write and a deletion at one time the deletion wins.
    await this.#cql.run(deleteIntent, params, { timestamp: stamp })
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const group = this.#waiting
      this.#waiting = []
      try {
        await this.#addAll(group.flatMap(({ spans }) => spans))
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#isWriting = false
  }

  async #addAll(spans: readonly TouchedSpan[]): Promise<void> {
    const united = new Map<number, TouchedSpan>()
    for (const span of spans) united.set(span.handle, widened(united.get(span.handle), span))
    const all = [...united.values()]
    for (let at = 0; at < all.length; at += ENTRY_SPANS_MAX) {
      await this.#entries.add(all.slice(at, at + ENTRY_SPANS_MAX))
    }
  }

  async #keep(wanted: ReadonlySet<number>): Promise<void> {
    const kept = this.#kept
    const changes = [
      ...[...wanted].filter((handle) => !kept.has(handle)).map((handle) => [handle, true] as const),
      ...[...kept]
        .filter((handle) => !wanted.has(handle))
        .map((handle) => [handle, false] as const),
    ]
    if (changes.length === 0) return
    // No clock: what another process kept before must not win.
    const timestamp = await this.#order.next()
    await eachAtOnce(changes, AT_ONCE, async ([handle, isAdded]) => {
      const params = [handle % WATCHED_SHARDS, handle]
      await this.#cql.run(isAdded ? insertWatched : deleteWatched, params, { timestamp })
      if (isAdded) kept.add(handle)
      else kept.delete(handle)
    })
  }
}
