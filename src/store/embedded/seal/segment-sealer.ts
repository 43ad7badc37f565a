import { companionOf } from '../../fields/companion.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import { SampleSink } from '../head/sample-sink.ts'
import { describeRow } from '../rows/damaged-row.ts'
import type { ChunkTable } from './chunk-table.ts'
import type { SegmentContent } from './segment-reader.ts'
import { StreamSealer } from './stream-sealer.ts'
import type { TouchedTable } from './touched-table.ts'

/**
 * A transaction with this number of rows ends before the next stream, so that readers are not delayed and the log stays
 * short.
 */
const ROWS_PER_TRANSACTION = 1_500

/** A seal that was asked to stop; what it committed so far is repeated by the next one. */
export class SealStopped extends Error {}

/** Writes the contents of closed segments to samples.db, stream by stream, the number last. */
export class SegmentSealer {
  readonly #table: ChunkTable
  readonly #touched: TouchedTable
  readonly #streams: StreamSealer
  readonly #isStopping: () => boolean
  readonly #sink = new SampleSink()
  #damages: FoundDamage[] = []
  #rows = 0
  /** Whether samples.db has special values. */
  #hasCompanions = false

  constructor(table: ChunkTable, touched: TouchedTable, isStopping: () => boolean) {
    this.#table = table
    this.#touched = touched
    this.#isStopping = isStopping
    this.#streams = new StreamSealer(table, {
      onRow: () => {
        this.#rows += 1
      },
      onStep: () => this.#endTransactionIfLong(),
      onDamage: (row) => this.#damages.push(describeRow(row)),
    })
  }

  /** Seals segments, which must be the next; returns the damage it met. */
  seal(content: SegmentContent): FoundDamage[] {
    const { segments, sorted, generation, lastSequence } = content
    this.#damages = [...content.damages]
    this.#rows = 0
    try {
      this.#table.beginSeal()
      this.#hasCompanions ||= this.#table.hasCompanions()
      const handleEnd = Math.max(sorted.handleEnd, generation.handleEnd)
      for (let handle = 1; handle < handleEnd; handle += 1) {
        if (!this.#sealStream(content, handle)) continue
        if (this.#isStopping()) throw new SealStopped('the store is closing')
        this.#endTransactionIfLong()
      }
      for (const handle of [...generation.specialHandles].sort((a, b) => a - b)) {
        this.#sealSpecials(content, handle)
        if (this.#isStopping()) throw new SealStopped('the store is closing')
        this.#endTransactionIfLong()
      }
      this.#table.writeSealed(segments[segments.length - 1], lastSequence)
      this.#table.commit()
    } catch (error) {
      this.#table.rollback()
      this.#clearCaches()
      throw error
    }
    this.#streams.passes += 1
    this.#table.checkpoint()
    return this.#damages
  }

  /** Goes back to what samples.db holds; the next try must not build on what was rolled back. */
  #clearCaches(): void {
    this.#streams.clearCache()
    this.#touched.reload()
  }

  #sealStream(content: SegmentContent, handle: number): boolean {
    const { sorted, generation } = content
    const isRemoved = generation.tombstones.has(handle)
    const hasSamples = sorted.hasSamples(handle) || generation.hasSamples(handle)
    if (!isRemoved && !hasSamples) return false
    if (generation.forgotten.has(handle)) {
      this.#streams.forget(handle)
      if (this.#hasCompanions) this.#streams.forget(companionOf(handle))
      this.#touched.forget(handle)
      return true
    }
    const span = { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY }
    if (isRemoved) {
      const mask = generation.tombstones.maskOf(handle)
      this.#streams.remove(handle, mask)
      if (this.#hasCompanions) this.#streams.remove(companionOf(handle), mask)
      span.from = mask.starts[0]
      span.until = mask.ends[mask.ends.length - 1]
    }
    if (hasSamples) {
      const columns = this.#columnsOf(content, handle)
      this.#streams.add(handle, columns)
      span.from = Math.min(span.from, columns.times[0])
      span.until = Math.max(span.until, columns.times[columns.count - 1] + 1)
    }
    this.#touched.add(handle, content.lastSequence ?? 0, span)
    return true
  }

  /** Adds the special values of a stream to its companion, from which removed ones were taken before. */
  #sealSpecials({ generation }: SegmentContent, handle: number): void {
    const specials = generation.specialsOf(handle)
    if (specials === undefined) return
    this.#sink.clear()
    specials.samples.readAll(specials.slot, this.#sink)
    this.#streams.add(companionOf(handle), this.#sink.columns())
    this.#hasCompanions = true
  }

  #columnsOf({ sorted, generation }: SegmentContent, handle: number): SampleColumns {
    if (sorted.hasSamples(handle)) return sorted.columnsOf(handle)
    this.#sink.clear()
    generation.readAll(handle, this.#sink)
    return this.#sink.columns()
  }

  #endTransactionIfLong(): void {
    if (this.#rows < ROWS_PER_TRANSACTION) return
    this.#table.commit()
    this.#rows = 0
    this.#table.begin()
  }
}
