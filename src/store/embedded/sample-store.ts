import { epochMs, invariant } from '../../base/index.ts'
import type {
  RangeQuery,
  Removal,
  Sample,
  SampleBatch,
  SampleColumns,
  SampleSpan,
  SampleStore,
  StoreStatus,
  StreamHandle,
  Summaries,
  TouchedSpan,
} from '../sample-port.ts'
import { checkBatch, checkRemoval, withoutStreams, withWellFormedTexts } from './batch-check.ts'
import { mergeColumns, sliceColumns } from './chunk/index.ts'
import type { Head, ReadSpan } from './head/head.ts'
import { reverseColumns } from './head/sample-sink.ts'
import type { Journal } from './journal/journal.ts'
import type { JournalRecord } from './journal/record.ts'
import type { Quarantine } from './quarantine.ts'
import { foldColumns, SummaryFold } from './summary/index.ts'

/** What the store is put together from. */
export interface SampleStoreParts {
  readonly head: Head
  readonly journal: Journal
  readonly quarantine: Quarantine
}

function batchOf(handles: readonly number[], removals: readonly Removal[] = []): SampleBatch {
  const count = handles.length
  return {
    ...{ count, handles: Uint32Array.from(handles), removals },
    times: new Float64Array(count),
    numbers: new Float64Array(count),
  }
}

/** Samples in one folder: a journal, what it holds in memory, and what is sealed. */
export class EmbeddedSampleStore implements SampleStore {
  readonly #head: Head
  readonly #journal: Journal
  readonly #quarantine: Quarantine
  readonly #forgotten = new Set<number>()

  constructor(parts: SampleStoreParts) {
    this.#head = parts.head
    this.#journal = parts.journal
    this.#quarantine = parts.quarantine
    for (const { forgotten } of parts.head.generations) {
      for (const handle of forgotten) this.#forgotten.add(handle)
    }
  }

  async append(batch: SampleBatch): Promise<void> {
    checkBatch(batch)
    const living = this.#forgotten.size > 0 ? withoutStreams(batch, this.#forgotten) : batch
    if (living.count === 0 && living.removals.length === 0) return
    await this.#write({ kind: 'samples', batch: withWellFormedTexts(living) })
  }

  async range(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns> {
    invariant(query.limit >= 0, `range() was asked for ${query.limit} samples`)
    const isLatestFirst = query.order === 'latest_first'
    const span = this.#spanOf(handle, { ...query, isLatestFirst })
    const columns = this.#read(handle, span)
    return isLatestFirst ? reverseColumns(columns) : columns
  }

  async latest(handles: readonly StreamHandle[]): Promise<ReadonlyArray<Sample | undefined>> {
    return handles.map((handle) => this.#latestOf(handle))
  }

  async span(handle: StreamHandle): Promise<SampleSpan | undefined> {
    const last = this.#endOf(handle, { isLatestFirst: true })
    const first = this.#endOf(handle, { isLatestFirst: false })
    if (first === undefined || last === undefined) return undefined
    return { firstTime: first.time, lastTime: last.time }
  }

  async fold(handle: StreamHandle, edges: Float64Array): Promise<Summaries> {
    const fold = new SummaryFold(edges)
    if (edges.length >= 2) {
      const [from, until] = [edges[0], edges[edges.length - 1]]
      const all = { from, until, limit: Number.POSITIVE_INFINITY, isLatestFirst: false }
      foldColumns(this.#read(handle, this.#spanOf(handle, all)), fold)
    }
    return fold.finish()
  }

  async remove(removal: Removal): Promise<void> {
    checkRemoval(removal)
    if (this.#forgotten.has(removal.handle)) return
    await this.#write({ kind: 'samples', batch: batchOf([], [removal]) })
  }

  async raiseFloor(handle: StreamHandle, floor: number): Promise<void> {
    invariant(!Number.isNaN(floor), 'a floor is no time')
    if (floor <= this.#head.floorOf(handle) || this.#forgotten.has(handle)) return
    const batch = batchOf([handle])
    batch.times[0] = floor
    await this.#write({ kind: 'floor', batch })
  }

  async forget(handles: readonly StreamHandle[]): Promise<void> {
    if (handles.length === 0) return
    for (const handle of handles) this.#forgotten.add(handle)
    await this.#write({ kind: 'forget', batch: batchOf(handles) })
  }

  async touchedSince(
    cursor: number,
    _limit: number,
  ): Promise<{ spans: TouchedSpan[]; cursor: number }> {
    return { spans: [], cursor }
  }

  async watch(_handles: readonly StreamHandle[]): Promise<void> {}

  status(): StoreStatus {
    return {
      readOnlyReason: this.#journal.readOnlyReason,
      damages: this.#quarantine.damages,
    }
  }

  async close(): Promise<void> {
    await this.#journal.close()
  }

  #write(record: JournalRecord): Promise<void> {
    return this.#journal.append(record)
  }

  #spanOf(handle: number, span: ReadSpan): ReadSpan {
    if (this.#forgotten.has(handle)) return { ...span, until: Number.NEGATIVE_INFINITY }
    return { ...span, from: Math.max(span.from, this.#head.floorOf(handle)) }
  }

  /** The samples of a span, ascending, at most its limit of them. */
  #read(handle: number, span: ReadSpan): SampleColumns {
    const { parts } = this.#head.view(handle, span)
    const merged = mergeColumns(parts)
    if (merged.count <= span.limit) return merged
    return span.isLatestFirst
      ? sliceColumns(merged, merged.count - span.limit, merged.count)
      : sliceColumns(merged, 0, span.limit)
  }

  #latestOf(handle: number): Sample | undefined {
    if (this.#forgotten.has(handle)) return undefined
    const sample = this.#head.latest(handle)
    if (sample === 'masked') return this.#endOf(handle, { isLatestFirst: true })
    if (sample === undefined || sample.time < this.#head.floorOf(handle)) return undefined
    return sample
  }

  #endOf(handle: number, { isLatestFirst }: { isLatestFirst: boolean }): Sample | undefined {
    const { NEGATIVE_INFINITY: from, POSITIVE_INFINITY: until } = Number
    const columns = this.#read(
      handle,
      this.#spanOf(handle, { from, until, limit: 1, isLatestFirst }),
    )
    if (columns.count === 0) return undefined
    const value = columns.texts?.[0] ?? columns.numbers[0]
    return { time: epochMs(columns.times[0]), value }
  }
}
