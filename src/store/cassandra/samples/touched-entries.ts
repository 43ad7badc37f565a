import { epochMs, invariant, refuse } from '../../../base/index.ts'
import { ByteReader } from '../../embedded/chunk/byte-reader.ts'
import { ByteWriter } from '../../embedded/chunk/byte-writer.ts'
import type { StreamHandle, TouchedSpan } from '../../ports/sample-port.ts'
import type { Cluster } from '../connection/cluster.ts'
import { blobOf, bytesOf, mustBeWhole, wholeOf } from './row-values.ts'
import { tryCas } from './settled-cas.ts'

/** Entries of one partition. */
const PAGE_ENTRIES = 256

/** Spans of one entry: about 40 KB, so a partition stays around ten megabytes. */
export const ENTRY_SPANS_MAX = 2_000

/** Older partitions than these are dropped; their spans are reported once more at the end. */
const PAGES_MAX = 4_096
const PAGES_FOLDED = 64

/** Partitions that hold no entries: where the log ends, about, where it begins, and up to which stamp intents are adopted. */
const END_PAGE = -1
const BEGIN_PAGE = -2
const ADOPTED_PAGE = -3

/** Tries to add an entry of which it stayed unknown whether it was made. */
const TRIES_MAX = 5

const insertEntry = 'INSERT INTO sample_touched (page, seq, spans) VALUES (?, ?, ?) IF NOT EXISTS'
const insertHint = 'INSERT INTO sample_touched (page, seq) VALUES (?, ?)'
const deleteHints = 'DELETE FROM sample_touched WHERE page = ? AND seq < ?'
const deletePage = 'DELETE FROM sample_touched WHERE page = ?'
const selectLast = 'SELECT seq FROM sample_touched WHERE page = ? ORDER BY seq DESC LIMIT 1'
const selectEntries =
  'SELECT seq, spans FROM sample_touched WHERE page = ? AND seq > ? AND seq <= ?'

const pageOf = (seq: number): number => Math.floor((seq - 1) / PAGE_ENTRIES)

/** An entry of the log: spans that became durable together. */
interface Entry {
  readonly seq: number
  readonly spans: readonly TouchedSpan[]
}

/** The log of touched spans in the cluster: entries have numbers without gaps, given by lightweight transactions. */
export class TouchedEntries {
  readonly #cql: Cluster
  /** The last entry that is known here. */
  #end = 0
  #isFound = false
  #isFolding = false

  constructor(cql: Cluster) {
    this.#cql = cql
  }

  /** Adds an entry after all others. */
  async add(spans: readonly TouchedSpan[]): Promise<void> {
    invariant(spans.length <= ENTRY_SPANS_MAX, `an entry of ${spans.length} spans`)
    const packed = blobOf(packSpans(spans))
    for (let unknown = 0; unknown < TRIES_MAX; ) {
      const seq = (await this.end()) + 1
      const params = [BigInt(pageOf(seq)), BigInt(seq), packed]
      const end = await tryCas(this.#cql, [{ cql: insertEntry, params }])
      // One that was made after all is reported twice, which is harmless.
      if (end === 'unknown') unknown += 1
      if (end !== 'made') continue
      this.#end = Math.max(this.#end, seq)
      if (pageOf(seq) !== pageOf(seq - 1)) await this.#turnPage(pageOf(seq))
      return
    }
    refuse('store_away', { retryAfterSeconds: 1 })
  }

  /** The number of the last entry. */
  async end(): Promise<number> {
    if (!this.#isFound) {
      const hinted = (await this.#lastOf(END_PAGE)) ?? 0
      this.#end = Math.max(this.#end, hinted * PAGE_ENTRIES)
      this.#isFound = true
    }
    for (let page = pageOf(this.#end + 1); ; page += 1) {
      const last = await this.#lastOf(page)
      if (last !== undefined) this.#end = Math.max(this.#end, last)
      if (this.#end < (page + 1) * PAGE_ENTRIES) return this.#end
    }
  }

  /** Entries after one and up to another, in order. */
  async *between(after: number, upTo: number): AsyncGenerator<Entry> {
    const begin = ((await this.#lastOf(BEGIN_PAGE)) ?? 0) * PAGE_ENTRIES
    const from = Math.max(after, begin)
    for (let page = pageOf(from + 1); page <= pageOf(upTo); page += 1) {
      const params = [BigInt(page), BigInt(from), BigInt(upTo)]
      for (const row of await this.#cql.run(selectEntries, params)) {
        yield { seq: mustBeWhole(row.seq), spans: unpackSpans(bytesOf(row.spans)) }
      }
    }
  }

  /** A stamp up to which intents need not be looked for. */
  async adoptedUpTo(): Promise<number> {
    return (await this.#lastOf(ADOPTED_PAGE)) ?? 0
  }

  /** Keeps such a stamp. */
  async noteAdopted(stamp: number): Promise<void> {
    await this.#hint(ADOPTED_PAGE, stamp)
  }

  async #turnPage(page: number): Promise<void> {
    await this.#hint(END_PAGE, page)
    const begin = (await this.#lastOf(BEGIN_PAGE)) ?? 0
    if (page - begin <= PAGES_MAX || this.#isFolding) return
    this.#isFolding = true
    await this.#fold(begin).finally(() => {
      this.#isFolding = false
    })
  }

  /** Reports the spans of the oldest pages once more, one for each stream, and drops the pages. */
  async #fold(begin: number): Promise<void> {
    const until = begin + PAGES_FOLDED
    const spans = new Map<number, TouchedSpan>()
    for await (const entry of this.between(begin * PAGE_ENTRIES, until * PAGE_ENTRIES)) {
      for (const span of entry.spans) spans.set(span.handle, widened(spans.get(span.handle), span))
    }
    const all = [...spans.values()]
    for (let at = 0; at < all.length; at += ENTRY_SPANS_MAX) {
      await this.add(all.slice(at, at + ENTRY_SPANS_MAX))
    }
    await this.#hint(BEGIN_PAGE, until)
    for (let page = begin; page < until; page += 1) {
      await this.#cql.run(deletePage, [BigInt(page)])
    }
  }

  /** Keeps the greatest number of a kind; a smaller one that comes later changes nothing, whatever clocks show. */
  async #hint(kind: number, page: number): Promise<void> {
    const at = { timestamp: page }
    await this.#cql.run(insertHint, [BigInt(kind), BigInt(page)], at)
    await this.#cql.run(deleteHints, [BigInt(kind), BigInt(page)], at)
  }

  async #lastOf(page: number): Promise<number | undefined> {
    const [row] = await this.#cql.run(selectLast, [BigInt(page)])
    return wholeOf(row?.seq)
  }
}

/** Both spans of a stream in one. */
export function widened(known: TouchedSpan | undefined, span: TouchedSpan): TouchedSpan {
  if (known === undefined) return span
  const from = epochMs(Math.min(known.from, span.from))
  const until = epochMs(Math.max(known.until, span.until))
  return { handle: span.handle, from, until }
}

/** Packs spans into the column of an entry. */
export function packSpans(spans: readonly TouchedSpan[]): Uint8Array {
  const writer = new ByteWriter()
  writer.varint(spans.length)
  for (const { handle, from, until } of spans) {
    writer.varint(handle)
    writer.f64(from)
    writer.f64(until)
  }
  return writer.finish()
}

/** Unpacks what packSpans() gave. */
export function unpackSpans(bytes: Uint8Array | undefined): TouchedSpan[] {
  if (bytes === undefined) return []
  const reader = new ByteReader(bytes)
  const count = reader.countUpTo(bytes.length)
  return Array.from({ length: count }, () => ({
    handle: reader.varint() as StreamHandle,
    from: epochMs(reader.f64()),
    until: epochMs(reader.f64()),
  }))
}
