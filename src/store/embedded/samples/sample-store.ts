import { join } from 'node:path'
import { nextIteration, refusal, refuse } from '../../../base/index.ts'
import type {
  Amendment,
  KeptRoom,
  LatestOptions,
  RangeQuery,
  Removal,
  Sample,
  SampleBatch,
  SampleColumns,
  SampleSpan,
  SampleStore,
  StoreStatus,
  StreamFollow,
  StreamHandle,
  Summaries,
  TextMemory,
  TouchedSpan,
  WindowStatistic,
} from '../../ports/sample-port.ts'
import type { Scrubbable, ScrubPass } from '../../ports/scrub-port.ts'
import type { Quarantine } from '../damage/quarantine.ts'
import { HandleSet } from '../head/handle-set.ts'
import type { Head } from '../head/head.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalFigures } from '../journal/journal-figures.ts'
import { type SizedRecord, sizeRecord } from '../journal/record.ts'
import { segmentName } from '../journal/segment.ts'
import { type PackedTexts, TextPacker } from '../journal/text-packer.ts'
import type { Sealer } from '../seal/sealer.ts'
import type { CheckedRows } from '../sealed/checked-rows.ts'
import type { ChunkReadTable } from '../sealed/chunk-read-table.ts'
import { scrubSamples } from '../sealed/scrub.ts'
import type { SealedSamples } from '../sealed/sealed-samples.ts'
import { batchOf, checkBatch, checkRemoval, namesAny } from './batch-check.ts'
import type { FoldCache } from './fold-cache.ts'
import { FollowedStreams } from './followed-streams.ts'
import { ForeignWrites } from './foreign-writes.ts'
import { IndexRepair } from './index-repair.ts'
import { SampleReader } from './sample-reader.ts'
import type { TouchedLog } from './touched-log.ts'

/** Called by a scrub for an index that is unreadable or does not match its rows. */
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
  /** Called with records that become durable. */
  readonly follows: Set<FollowedStreams>
  /** Closed segments beyond this make appends wait for the sealer. */
  readonly backlogMax: number
  /** Called with the progress of journal and sealer. Closed last. */
  readonly progress: readonly { close(): void }[]
}

/** What the store counts. */
interface StoreFigures extends JournalFigures {
  /** Closed segments that are not sealed yet. */
  readonly backlog: number
  readonly sealLagMs: number
}

/** Samples in one folder: a journal, what it holds in memory, and what is sealed. */
export class EmbeddedSampleStore implements SampleStore, Scrubbable {
  readonly #parts: SampleStoreParts
  readonly #head: Head
  readonly #journal: Journal
  readonly #repair: IndexRepair
  readonly #reader: SampleReader
  readonly #forgotten = new HandleSet()
  readonly #foreign = new ForeignWrites()
  /** Ends a scrub that is under way. */
  readonly #closed = new AbortController()
  #closing: Promise<void> | undefined

  constructor(parts: SampleStoreParts) {
    this.#parts = parts
    this.#head = parts.head
    this.#journal = parts.journal
    this.#repair = new IndexRepair(parts)
    for (const { forgotten } of parts.head.generations) {
      for (const handle of forgotten) this.#forgotten.add(handle)
    }
    this.#reader = new SampleReader({ ...parts, repair: this.#repair, forgotten: this.#forgotten })
  }

  keepRoom(bytes: number): KeptRoom | Promise<KeptRoom> {
    const stuck = this.#stuckReason()
    if (stuck !== undefined) return Promise.reject(stuckRefusal(stuck))
    return this.#journal.keepRoom(bytes)
  }

  /** Not async: short puts would notice one promise more. */
  append(batch: SampleBatch, room?: KeptRoom): Promise<void> {
    try {
      checkBatch(batch)
      const { texts } = batch
      if (texts !== undefined) return this.#appendTexts(batch, texts, room)
      return this.#appendChecked(batch, room, { kind: 'samples' }) ?? Promise.resolve()
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async #appendTexts(
    batch: SampleBatch,
    texts: NonNullable<SampleBatch['texts']>,
    room: KeptRoom | undefined,
  ): Promise<void> {
    const packer = new TextPacker(texts, batch.count)
    for (packer.step(); !packer.isDone; packer.step()) await nextIteration()
    const form = { kind: 'samples', texts: packer.packed } as const
    await this.#appendChecked({ ...batch, texts: packer.texts }, room, form)
  }

  #appendChecked(
    batch: SampleBatch,
    room: KeptRoom | undefined,
    { kind, texts }: { readonly kind: 'samples' | 'specials'; readonly texts?: PackedTexts },
  ): Promise<void> | undefined {
    // Asked at the last moment: a stream may be forgotten while a long batch is made ready.
    if (!this.#forgotten.isEmpty && namesAny(batch, this.#forgotten)) {
      refuse('conflict', { what: 'A stream of the call was deleted meanwhile: send it again' })
    }
    if (batch.count === 0 && batch.removals.length === 0) return undefined
    return this.#write({ kind, batch }, texts, room)
  }

  async appendSpecials(batch: SampleBatch): Promise<void> {
    checkBatch(batch)
    await this.#appendChecked(batch, undefined, { kind: 'specials' })
  }

  async amend(span: Removal, make: () => Promise<Amendment>): Promise<SampleBatch> {
    checkRemoval(span)
    using foreign = this.#foreign.open(span)
    // What took its place before this is then read; what takes one later is noted.
    await this.#journal.append(sizeRecord({ kind: 'samples', batch: batchOf([]) }))
    const { batch, isSpecial = false } = await make()
    checkBatch(batch)
    await this.#waitForSealer()
    let appended = batch
    await this.#journal.appendMade(() => {
      appended = this.#forgotten.has(span.handle) ? batchOf([]) : foreign.without(batch)
      return sizedAtOnce(appended, isSpecial ? 'specials' : 'samples')
    })
    return appended
  }

  specials(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns> {
    return this.#reader.specials(handle, query)
  }

  range(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns> {
    return this.#reader.range(handle, query)
  }

  latest(
    handles: readonly StreamHandle[],
    options?: LatestOptions,
  ): Promise<ReadonlyArray<Sample | undefined>> {
    return this.#reader.latest(handles, options)
  }

  span(handle: StreamHandle): Promise<SampleSpan | undefined> {
    return this.#reader.span(handle)
  }

  fold(handle: StreamHandle, edges: Float64Array, memory?: TextMemory): Promise<Summaries> {
    return this.#reader.fold(handle, edges, memory)
  }

  outline(handle: StreamHandle, edges: Float64Array, memory?: TextMemory): Promise<Summaries> {
    return this.#reader.outline(handle, edges, memory)
  }

  windows(
    handle: StreamHandle,
    edges: Float64Array,
    statistic: WindowStatistic,
  ): Promise<Summaries> {
    return this.#reader.windows(handle, edges, statistic)
  }

  async remove(removal: Removal, isWanted: () => boolean = () => true): Promise<boolean> {
    checkRemoval(removal)
    await this.#waitUnlessStuck()
    if (!isWanted()) return false
    // Of a forgotten stream everything is gone already.
    if (this.#forgotten.has(removal.handle)) return true
    const batch = batchOf([], [removal])
    this.#foreign.note(batch)
    await this.#journal.append(sizeRecord({ kind: 'samples', batch }))
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
    // At once, as the sealer may be busy for seconds while samples come in.
    this.#parts.touched.watch(handles, this.#head.generations)
    const telling = this.#parts.sealer.watch(handles)
    this.#parts.sealer.release()
    await telling
  }

  watchAlso(handle: StreamHandle): void {
    this.#parts.touched.watchAlso(handle)
    this.#parts.sealer.watchAlso(handle)
  }

  follow(): StreamFollow {
    const { follows } = this.#parts
    const followed = new FollowedStreams((self) => follows.delete(self))
    follows.add(followed)
    return followed
  }

  status(): StoreStatus {
    return {
      readOnlyReason: this.#journal.readOnlyReason ?? this.#stuckReason(),
      isSealingStuck: this.#parts.sealer.stuckReason !== undefined,
      damages: this.#parts.quarantine.damages,
    }
  }

  /** How much came in, and how far sealing is behind. */
  get figures(): StoreFigures {
    const { sealer } = this.#parts
    const { count, lagMs } = sealer.unsealed
    return { ...this.#journal.figures, backlog: count, sealLagMs: lagMs }
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
    if (isIndexDamaged && !this.#closed.signal.aborted) await this.#repair.repair()
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
    sealer.release()
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

  #write(
    record: { readonly kind: 'samples' | 'specials'; readonly batch: SampleBatch },
    texts: PackedTexts | undefined,
    room: KeptRoom | undefined,
  ): Promise<void> {
    const sized = sizeRecord(record, texts)
    const append = (): Promise<void> => {
      this.#foreign.note(record.batch)
      return this.#journal.append(sized, room)
    }
    return this.#waitForRoom(room)?.then(append) ?? append()
  }

  /** Waits while the sealer lags behind; undefined where it does not. */
  #waitForRoom(room: KeptRoom | undefined): Promise<void> | undefined {
    const { sealer, backlogMax } = this.#parts
    if (!sealer.isBehind(backlogMax)) return undefined
    return room === undefined ? this.#waitForSealer() : this.#waitUnlessStuck()
  }

  /**
   * What removes waits for a sealer that lags behind, not for one that cannot go on: it leads to room. What room is kept
   * for has it.
   */
  async #waitUnlessStuck(): Promise<void> {
    const { sealer, backlogMax } = this.#parts
    while (sealer.isBehind(backlogMax) && sealer.stuckReason === undefined) await sealer.changed()
  }

  async #waitForSealer(): Promise<void> {
    const { sealer, backlogMax } = this.#parts
    while (sealer.isBehind(backlogMax)) {
      const reason = this.#stuckReason()
      if (reason !== undefined) throw stuckRefusal(reason)
      await sealer.changed()
    }
  }

  /** Why nothing more can be taken although the journal is fine. */
  #stuckReason(): string | undefined {
    const { sealer, backlogMax } = this.#parts
    if (sealer.stuckReason === undefined || !sealer.isBehind(backlogMax)) return undefined
    return `Cannot store: the journal is full and cannot be sealed, as ${sealer.stuckReason}`
  }
}

function stuckRefusal(what: string): Error {
  return refusal('read_only', { what, retryAfterSeconds: 5 })
}

/** The record of a short batch, with its texts. */
function sizedAtOnce(batch: SampleBatch, kind: 'samples' | 'specials'): SizedRecord {
  const { texts } = batch
  if (texts === undefined) return sizeRecord({ kind, batch })
  const packer = new TextPacker(texts, batch.count)
  while (!packer.isDone) packer.step()
  return sizeRecord({ kind, batch: { ...batch, texts: packer.texts } }, packer.packed)
}
