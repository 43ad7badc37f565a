import { join } from 'node:path'
import { epochMs, invariant, nextTurn, refuse } from '../../../base/index.ts'
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
} from '../../sample-port.ts'
import type { Scrubbable, ScrubPass } from '../../scrub-port.ts'
import { mergeColumns, sliceColumns } from '../chunk/index.ts'
import type { Quarantine } from '../damage/quarantine.ts'
import { HandleSet } from '../head/handle-set.ts'
import type { Head, ReadSpan } from '../head/head.ts'
import { copyColumns, reverseColumns } from '../head/sample-sink.ts'
import type { Journal, JournalFigures } from '../journal/journal.ts'
import { type SizedRecord, sizeRecord } from '../journal/record.ts'
import { segmentName } from '../journal/segment.ts'
import { type PackedTexts, TextPacker } from '../journal/text-packer.ts'
import type { Sealer } from '../seal/sealer.ts'
import type { CheckedRows } from '../sealed/checked-rows.ts'
import type { ChunkReadTable } from '../sealed/chunk-read-table.ts'
import { scrubSamples } from '../sealed/scrub.ts'
import { foldSealed, looseMsOf } from '../sealed/sealed-fold.ts'
import type { SealedSamples } from '../sealed/sealed-samples.ts'
import { SummaryFold } from '../summary/index.ts'
import { checkBatch, checkRemoval, namesAny } from './batch-check.ts'
import type { FoldCache } from './fold-cache.ts'
import { IndexMender } from './index-mender.ts'
import type { TouchedLog } from './touched-log.ts'

/** A fold that keeps meeting merges runs to its end without letting others in between. */
const FOLD_TRIES_MAX = 3

/** Streams whose latest sample is looked up before others get a turn: some milliseconds. */
const LATEST_PER_SLICE = 1_000

/** Where a scrub tells of an index that cannot be read or does not fit its rows. */
const INDEX_TABLES: ReadonlySet<string> = new Set([
  'samples.db.chunk_by_start',
  'samples.db.stream_sum',
])

/** What the store is put together from. */
interface SampleStoreParts {
  readonly head: Head
  readonly journal: Journal
  readonly quarantine: Quarantine
  readonly sealer: Sealer
  readonly table: ChunkReadTable
  /** Where samples.db is. */
  readonly file: string
  readonly journalFolder: string
  readonly rows: CheckedRows
  readonly sealed: SealedSamples
  readonly touched: TouchedLog
  readonly folds: FoldCache
  /** Closed segments beyond this make appends wait for the sealer. */
  readonly backlogMax: number
  /** Told how far journal and sealer have come; closed last. */
  readonly progress: readonly { close(): void }[]
}

/** What the store counts. */
interface StoreFigures extends JournalFigures {
  /** Closed segments that are not sealed yet. */
  readonly backlog: number
  readonly sealLagMs: number
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
export class EmbeddedSampleStore implements SampleStore, Scrubbable {
  readonly #parts: SampleStoreParts
  readonly #head: Head
  readonly #journal: Journal
  readonly #mender: IndexMender
  readonly #forgotten = new HandleSet()
  /** Ends a scrub that is under way. */
  readonly #closed = new AbortController()
  #closing: Promise<void> | undefined

  constructor(parts: SampleStoreParts) {
    this.#parts = parts
    this.#head = parts.head
    this.#journal = parts.journal
    this.#mender = new IndexMender(parts)
    for (const { forgotten } of parts.head.generations) {
      for (const handle of forgotten) this.#forgotten.add(handle)
    }
  }

  async append(batch: SampleBatch): Promise<void> {
    checkBatch(batch)
    if (batch.texts !== undefined) return this.#appendTexts(batch, batch.texts)
    await this.#appendChecked(batch)
  }

  async #appendTexts(batch: SampleBatch, texts: NonNullable<SampleBatch['texts']>): Promise<void> {
    const packer = new TextPacker(texts, batch.count)
    for (packer.step(); !packer.isDone; packer.step()) await nextTurn()
    await this.#appendChecked({ ...batch, texts: packer.texts }, packer.packed)
  }

  #appendChecked(batch: SampleBatch, texts?: PackedTexts): Promise<void> | undefined {
    // Asked at the last moment: a stream may be forgotten while a long batch is made ready.
    if (!this.#forgotten.isEmpty && namesAny(batch, this.#forgotten)) {
      refuse('conflict', { what: 'A stream of the call was deleted meanwhile: send it again' })
    }
    if (batch.count === 0 && batch.removals.length === 0) return undefined
    return this.#write(sizeRecord({ kind: 'samples', batch }, texts))
  }

  async range(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns> {
    invariant(query.limit >= 0, `range() was asked for ${query.limit} samples`)
    const isLatestFirst = query.order === 'latest_first'
    const span = this.#spanOf(handle, { ...query, isLatestFirst })
    const columns = await this.#read(handle, span)
    return isLatestFirst ? reverseColumns(columns) : copyColumns(columns)
  }

  async latest(handles: readonly StreamHandle[]): Promise<ReadonlyArray<Sample | undefined>> {
    const found: Array<Sample | undefined> = []
    for (const handle of handles) {
      if (found.length % LATEST_PER_SLICE === LATEST_PER_SLICE - 1) await nextTurn()
      const isWhole = this.#head.whenWhole(handle)
      if (isWhole !== undefined) await this.#waitWhole(isWhole, handle)
      const sample = this.#latestOf(handle)
      const isMasked = sample === 'masked'
      found.push(isMasked ? await this.#endOf(handle, { isLatestFirst: true }) : sample)
    }
    return found
  }

  span(handle: StreamHandle): Promise<SampleSpan | undefined> {
    return this.#parts.folds.span(handle, () => this.#readSpan(handle))
  }

  async #readSpan(handle: StreamHandle): Promise<SampleSpan | undefined> {
    const [first, last] = await Promise.all([
      this.#endOf(handle, { isLatestFirst: false }),
      this.#endOf(handle, { isLatestFirst: true }),
    ])
    if (first === undefined || last === undefined) return undefined
    return { firstTime: first.time, lastTime: last.time }
  }

  async fold(handle: StreamHandle, edges: Float64Array): Promise<Summaries> {
    // Before the cache is asked: what it knows and what is computed must be of one moment.
    const isWhole = this.#head.whenWhole(handle)
    if (isWhole !== undefined) await this.#waitWhole(isWhole, handle)
    return await this.#parts.folds.fold(handle, edges, (some) => this.#foldSamples(handle, some))
  }

  outline(handle: StreamHandle, edges: Float64Array): Promise<Summaries> {
    return this.#foldSamples(handle, edges, looseMsOf(edges))
  }

  async #foldSamples(handle: StreamHandle, edges: Float64Array, looseMs = 0): Promise<Summaries> {
    const look = (): Promise<Summaries> => this.#foldOnce(handle, edges, looseMs)
    return await this.#mender.lookAgain(handle, await look(), look)
  }

  async #foldOnce(handle: StreamHandle, edges: Float64Array, looseMs: number): Promise<Summaries> {
    if (edges.length < 2) return new SummaryFold(edges).finish()
    const [from, until] = [edges[0], edges[edges.length - 1]]
    const limit = Number.POSITIVE_INFINITY
    const span = this.#spanOf(handle, { from, until, limit, isLatestFirst: false })
    for (let tries = 1; ; tries += 1) {
      const isWhole = this.#head.whenWhole(handle)
      if (isWhole !== undefined) await this.#waitWhole(isWhole, handle)
      const fold = new SummaryFold(edges, looseMs)
      const isInOneStep = tries >= FOLD_TRIES_MAX
      const run = (): Promise<boolean> => this.#tryFold(handle, span, { fold, isInOneStep })
      const isDone = isInOneStep ? this.#parts.table.inOneView(run) : run()
      if (await isDone) return fold.finish()
    }
  }

  #tryFold(
    handle: number,
    span: ReadSpan,
    { fold, isInOneStep }: { fold: SummaryFold; isInOneStep: boolean },
  ): Promise<boolean> {
    const { rows, sealed } = this.#parts
    const { parts, mask } = this.#head.view(handle, span)
    const { runs, places } = sealed.takeApart({ handle, span, mask })
    const columns = mergeColumns([...parts, ...runs])
    return foldSealed({ rows, sealed, isInOneStep }, { handle, span, mask, columns, places }, fold)
  }

  async remove(removal: Removal, isWanted: () => boolean = () => true): Promise<boolean> {
    checkRemoval(removal)
    await this.#waitUnlessStuck()
    if (!isWanted()) return false
    // Of a forgotten stream everything is gone already.
    if (this.#forgotten.has(removal.handle)) return true
    await this.#journal.append(sizeRecord({ kind: 'samples', batch: batchOf([], [removal]) }))
    return true
  }

  async forget(handles: readonly StreamHandle[]): Promise<void> {
    if (handles.length === 0) return
    for (const handle of handles) {
      this.#forgotten.add(handle)
      this.#parts.folds.drop(handle)
    }
    this.#parts.touched.forget(handles)
    await this.#waitUnlessStuck()
    await this.#journal.append(sizeRecord({ kind: 'forget', batch: batchOf(handles) }))
  }

  async touchedSince(
    cursor: number,
    limit: number,
  ): Promise<{ spans: TouchedSpan[]; cursor: number }> {
    return this.#parts.touched.since(cursor, limit)
  }

  async watch(handles: readonly StreamHandle[]): Promise<void> {
    await this.#parts.sealer.watch(handles)
    this.#parts.touched.watch(handles)
  }

  status(): StoreStatus {
    return {
      readOnlyReason: this.#journal.readOnlyReason ?? this.#stuckReason(),
      damages: this.#parts.quarantine.damages,
    }
  }

  /** How much came in, and how far sealing is behind. */
  get figures(): StoreFigures {
    const { sealer } = this.#parts
    return { ...this.#journal.figures, backlog: sealer.backlog, sealLagMs: sealer.lagMs }
  }

  /** Where the journal's durable frames end at this moment; null: with their segment. */
  get journalCut(): { readonly segment: number; readonly bytes: number | null } {
    const { segment, bytes } = this.#journal.durableEnd
    return { segment, bytes: bytes ?? null }
  }

  async scrub(pass: ScrubPass): Promise<void> {
    const { file, journalFolder, quarantine } = this.#parts
    let isIndexDamaged = false
    const { generations } = this.#head
    const segments = generations.map(({ segment }, at) => ({
      path: join(journalFolder, segmentName(segment)),
      isOpen: at === generations.length - 1,
    }))
    await scrubSamples({ file, segments }, pass, {
      signal: this.#closed.signal,
      onDamage: (found) => {
        isIndexDamaged ||= INDEX_TABLES.has(found.damage.file)
        quarantine.add(found)
      },
    })
    if (isIndexDamaged && !this.#closed.signal.aborted) await this.#mender.mend()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Seals everything appended so far. */
  async sealAll(): Promise<void> {
    this.#journal.rotate()
    // An empty record begins the next segment and so ends the one before.
    await this.#journal.append(sizeRecord({ kind: 'samples', batch: batchOf([]) }))
    const { sealer } = this.#parts
    while (sealer.backlog > 0 && sealer.stuckReason === undefined) await sealer.changed()
    if (sealer.stuckReason !== undefined) throw new Error(`Cannot seal: ${sealer.stuckReason}`)
  }

  async #close(): Promise<void> {
    this.#closed.abort()
    await this.#journal.close()
    await this.#parts.sealer.close()
    this.#parts.table.close()
    for (const progress of this.#parts.progress) progress.close()
  }

  #write(record: SizedRecord): Promise<void> {
    const waiting = this.#waitForRoom()
    if (waiting === undefined) return this.#journal.append(record)
    return waiting.then(() => this.#journal.append(record))
  }

  /** Waits while the sealer lags behind; undefined where it does not. */
  #waitForRoom(): Promise<void> | undefined {
    const { sealer, backlogMax } = this.#parts
    return sealer.backlog > backlogMax ? this.#waitForSealer() : undefined
  }

  /** What removes waits for a sealer that lags behind, not for one that cannot go on: it leads to room. */
  async #waitUnlessStuck(): Promise<void> {
    const { sealer, backlogMax } = this.#parts
    while (sealer.backlog > backlogMax && sealer.stuckReason === undefined) await sealer.changed()
  }

  async #waitForSealer(): Promise<void> {
    const { sealer, backlogMax } = this.#parts
    while (sealer.backlog > backlogMax) {
      const reason = this.#stuckReason()
      if (reason !== undefined) refuse('read_only', { what: reason, retryAfterSeconds: 5 })
      await sealer.changed()
    }
  }

  /** Why nothing more can be taken although the journal is fine. */
  #stuckReason(): string | undefined {
    const { sealer, backlogMax } = this.#parts
    if (sealer.stuckReason === undefined || sealer.backlog <= backlogMax) return undefined
    return `Cannot store: the journal is full and cannot be sealed, as ${sealer.stuckReason}`
  }

  #spanOf(handle: number, span: ReadSpan): ReadSpan {
    if (this.#forgotten.has(handle)) return { ...span, until: Number.NEGATIVE_INFINITY }
    return span
  }

  /** Waits, which is rare, until nothing of the stream is applied in part. */
  async #waitWhole(isWhole: Promise<void> | undefined, handle: number): Promise<void> {
    for (let next = isWhole; next !== undefined; next = this.#head.whenWhole(handle)) await next
  }

  /** The samples of a span, ascending, at most its limit of them. */
  async #read(handle: number, span: ReadSpan): Promise<SampleColumns> {
    const found = await this.#readOnce(handle, span)
    if (!this.#parts.rows.isSuspect(handle)) return found
    return await this.#mender.lookAgain(handle, found, () => this.#readOnce(handle, span))
  }

  async #readOnce(handle: number, span: ReadSpan): Promise<SampleColumns> {
    const isWhole = this.#head.whenWhole(handle)
    if (isWhole !== undefined) await this.#waitWhole(isWhole, handle)
    const { sealed } = this.#parts
    let merged: SampleColumns
    let damagedRows: number
    do {
      damagedRows = sealed.damagedRows
      const { parts, mask } = this.#head.view(handle, span)
      const decoded = await sealed.decode(sealed.take(handle, span, mask))
      merged = mergeColumns([...parts, ...decoded])
      // What does not check was counted on to fill the limit: the search must go beyond it.
    } while (merged.count < span.limit && sealed.damagedRows > damagedRows)
    if (merged.count <= span.limit) return merged
    return span.isLatestFirst
      ? sliceColumns(merged, merged.count - span.limit, merged.count)
      : sliceColumns(merged, 0, span.limit)
  }

  #latestOf(handle: number): Sample | undefined | 'masked' {
    if (this.#forgotten.has(handle)) return undefined
    const { sample: live, removedUntil, doubtfulTime } = this.#head.latest(handle)
    const isAlone = removedUntil === Number.POSITIVE_INFINITY
    const sealed = isAlone ? undefined : this.#parts.sealed.latest(handle)
    if (sealed === 'damaged') return 'masked'
    const isHidden = sealed !== undefined && sealed.time < removedUntil
    const isLive = live !== undefined && (sealed === undefined || live.time >= sealed.time)
    const sample = isLive || isHidden ? live : sealed
    const doubt = isHidden ? Math.max(doubtfulTime, sealed.time) : doubtfulTime
    return doubt > (sample?.time ?? Number.NEGATIVE_INFINITY) ? 'masked' : sample
  }

  async #endOf(
    handle: number,
    { isLatestFirst }: { isLatestFirst: boolean },
  ): Promise<Sample | undefined> {
    const { NEGATIVE_INFINITY: from, POSITIVE_INFINITY: until } = Number
    const span = this.#spanOf(handle, { from, until, limit: 1, isLatestFirst })
    const columns = await this.#read(handle, span)
    if (columns.count === 0) return undefined
    const value = columns.texts?.[0] ?? columns.numbers[0]
    return { time: epochMs(columns.times[0]), value }
  }
}
