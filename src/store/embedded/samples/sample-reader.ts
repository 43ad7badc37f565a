import { epochMs, invariant, nextIteration } from '../../../base/index.ts'
import { companionOf } from '../../fields/companion.ts'
import type {
  LatestOptions,
  RangeQuery,
  Sample,
  SampleColumns,
  SampleSpan,
  StreamHandle,
  Summaries,
  TextMemory,
  WindowStatistic,
} from '../../ports/sample-port.ts'
import { emptyColumns, mergeColumns, sliceColumns } from '../chunk/index.ts'
import type { HandleSet } from '../head/handle-set.ts'
import type { Head, ReadSpan } from '../head/head.ts'
import { copyColumns, reverseColumns } from '../head/sample-sink.ts'
import type { CheckedRows } from '../sealed/checked-rows.ts'
import type { ChunkReadTable } from '../sealed/chunk-read-table.ts'
import { foldSealed, looseMsOf } from '../sealed/sealed-fold.ts'
import type { SealedRows, SealedSamples } from '../sealed/sealed-samples.ts'
import { SummaryFold } from '../summary/index.ts'
import type { FoldCache } from './fold-cache.ts'
import type { IndexRepair } from './index-repair.ts'
import { bytesOfText, bytesOfTexts, FREE_TEXT_BYTES } from './text-bytes.ts'

/** A fold that keeps meeting merges runs to its end without letting others in between. */
const FOLD_TRIES_MAX = 3

/** Streams whose latest sample is looked up before others get a turn: some milliseconds. */
const LATEST_PER_SLICE = 1_000

/** What reads look at. */
interface ReaderParts {
  readonly head: Head
  readonly table: ChunkReadTable
  readonly rows: CheckedRows
  readonly sealed: SealedSamples
  readonly folds: FoldCache
  readonly repair: IndexRepair
  /** Streams of which nothing is shown. */
  readonly forgotten: HandleSet
}

/** How a fold takes blocks that an edge cuts, and where its texts are counted. */
interface FoldForm {
  readonly looseMs?: number
  readonly statistic?: WindowStatistic
  readonly memory: TextMemory | undefined
}

/** Everything of a span, taken in one step and not decoded yet. */
interface TakenSamples {
  readonly parts: readonly SampleColumns[]
  readonly rows: SealedRows
}

/** Reads journal, head and sealed samples of single streams as one. */
export class SampleReader {
  readonly #parts: ReaderParts
  readonly #head: Head

  constructor(parts: ReaderParts) {
    this.#parts = parts
    this.#head = parts.head
  }

  /** As SampleStore has it. */
  async range(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns> {
    invariant(query.limit >= 0, `range() was asked for ${query.limit} samples`)
    const { from, until, limit, isTimesOnly } = query
    const isLatestFirst = query.order === 'latest_first'
    const span = this.#spanOf(handle, { from, until, limit, isLatestFirst, isTimesOnly })
    const columns = await this.#read(handle, span, query.memory)
    return isLatestFirst ? reverseColumns(columns) : columns
  }

  /** As SampleStore has it. */
  async specials(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns> {
    if (this.#hasNoSpecials(handle)) return emptyColumns
    const { from, until, limit } = query
    const isLatestFirst = query.order === 'latest_first'
    const span = this.#spanOf(handle, { from, until, limit, isLatestFirst })
    const look = () => this.#readSpecials(handle, span)
    const columns = await this.#parts.repair.lookAgain(companionOf(handle), await look(), look)
    return isLatestFirst ? reverseColumns(columns) : copyColumns(columns)
  }

  /** Whether a stream has no special values, as most: found without a look at their times. */
  #hasNoSpecials(handle: StreamHandle): boolean {
    const { rows } = this.#parts
    const companion = companionOf(handle)
    const isInHead = this.#head.hasSpecials(handle) || this.#head.whenWhole(handle) !== undefined
    return !isInHead && rows.isEmpty(companion) && !rows.isSuspect(companion)
  }

  async #readSpecials(handle: StreamHandle, span: ReadSpan): Promise<SampleColumns> {
    await this.#waitWhole(this.#head.whenWhole(handle), handle)
    const { sealed, rows } = this.#parts
    const companion = companionOf(handle)
    let merged: SampleColumns
    let damagedRows: number
    do {
      damagedRows = sealed.damagedRows
      const { parts, mask } = this.#head.viewSpecials(handle, span)
      if (rows.isEmpty(companion)) merged = mergeColumns(parts)
      else {
        const below = sealed.take(companion, span, mask)
        merged = mergeColumns([...parts, ...(await sealed.decode(below))])
      }
    } while (merged.count < span.limit && sealed.damagedRows > damagedRows)
    return latestIn(merged, span)
  }

  /** As SampleStore has it. */
  async latest(
    handles: readonly StreamHandle[],
    options: LatestOptions = {},
  ): Promise<ReadonlyArray<Sample | undefined>> {
    const found: Array<Sample | undefined> = []
    // What texts take is counted stream by stream.
    const perLook = options.memory === undefined ? LATEST_PER_SLICE : 1
    for (let first = 0; first < handles.length; first += perLook) {
      if (first % LATEST_PER_SLICE === 0 && first > 0) await nextIteration()
      const some = handles.slice(first, first + perLook)
      const look = () => some.map((handle) => this.#latestWhole(handle, options))
      const samples = some.length === 1 ? look() : this.#parts.table.inOneView(look)
      const isDone = !samples.some((sample) => sample instanceof Promise)
      found.push(...(isDone ? (samples as (Sample | undefined)[]) : await Promise.all(samples)))
    }
    return found
  }

  #latestWhole(
    handle: StreamHandle,
    options: LatestOptions,
  ): Sample | undefined | Promise<Sample | undefined> {
    const isWhole = this.#head.whenWhole(handle)
    if (isWhole === undefined) return this.#tryLatest(handle, options)
    return this.#waitWhole(isWhole, handle).then(() => this.#tryLatest(handle, options))
  }

  /** As SampleStore has it. */
  span(handle: StreamHandle): Promise<SampleSpan | undefined> {
    return this.#parts.folds.span(handle, () => this.#readSpan(handle))
  }

  /** As SampleStore has it. */
  async fold(handle: StreamHandle, edges: Float64Array, memory?: TextMemory): Promise<Summaries> {
    // Before the cache is asked: what it knows and what is computed must be of one moment.
    const isWhole = this.#head.whenWhole(handle)
    if (isWhole !== undefined) await this.#waitWhole(isWhole, handle)
    const compute = (some: Float64Array) => this.#foldSamples(handle, some, { memory })
    return await this.#parts.folds.fold(handle, edges, compute)
  }

  /** As SampleStore has it. */
  outline(handle: StreamHandle, edges: Float64Array, memory?: TextMemory): Promise<Summaries> {
    return this.#foldSamples(handle, edges, { looseMs: looseMsOf(edges), memory })
  }

  /** As SampleStore has it. */
  windows(
    handle: StreamHandle,
    edges: Float64Array,
    statistic: WindowStatistic,
  ): Promise<Summaries> {
    return this.#foldSamples(handle, edges, { statistic, memory: undefined })
  }

  async #readSpan(handle: StreamHandle): Promise<SampleSpan | undefined> {
    const [first, last] = await Promise.all([
      this.#endOf(handle, { isLatestFirst: false, isTimesOnly: true }),
      this.#endOf(handle, { isLatestFirst: true, isTimesOnly: true }),
    ])
    if (first === undefined || last === undefined) return undefined
    return { firstTime: first.time, lastTime: last.time }
  }

  async #foldSamples(
    handle: StreamHandle,
    edges: Float64Array,
    form: FoldForm,
  ): Promise<Summaries> {
    const look = (): Promise<Summaries> => this.#foldOnce(handle, edges, form)
    return await this.#parts.repair.lookAgain(handle, await look(), look)
  }

  async #foldOnce(
    handle: StreamHandle,
    edges: Float64Array,
    { memory, ...form }: FoldForm,
  ): Promise<Summaries> {
    if (edges.length < 2) return new SummaryFold(edges).finish()
    const [from, until] = [edges[0], edges[edges.length - 1]]
    const limit = Number.POSITIVE_INFINITY
    const span = this.#spanOf(handle, { from, until, limit, isLatestFirst: false })
    const heldBefore = memory?.bytes ?? 0
    let textBytesMax = memory === undefined ? Number.POSITIVE_INFINITY : FREE_TEXT_BYTES
    for (let tries = 1; ; ) {
      const isWhole = this.#head.whenWhole(handle)
      if (isWhole !== undefined) await this.#waitWhole(isWhole, handle)
      const fold = new SummaryFold(edges, form)
      const isInOneStep = tries >= FOLD_TRIES_MAX
      const run = () =>
        this.#tryFold(handle, span, { fold, isInOneStep, textBytesMax, memory, heldBefore })
      const end = await (isInOneStep ? this.#parts.table.inOneView(run) : run())
      if (end === 'done') {
        await memory?.resize(heldBefore + fold.textBytes)
        return fold.finish()
      }
      if (end === 'merged') tries += 1
      // Begun again with twice the room, a few times at most, so that who waits holds nothing.
      else if (end === 'texts') textBytesMax = 2 * fold.textBytes
    }
  }

  /**
   * Folds unless something comes between: a chunk was merged into others, texts need more room than
   * they have, or there had to be a wait for it.
   */
  async #tryFold(
    handle: number,
    span: ReadSpan,
    work: {
      readonly fold: SummaryFold
      readonly isInOneStep: boolean
      readonly textBytesMax: number
      readonly memory: TextMemory | undefined
      readonly heldBefore: number
    },
  ): Promise<'done' | 'merged' | 'texts' | 'waited'> {
    const { rows, sealed } = this.#parts
    const { fold, isInOneStep, textBytesMax, memory, heldBefore } = work
    const { parts, mask } = this.#head.view(handle, span)
    const { runs, places } = sealed.takeApart({ handle, span })
    const textBytes = sealed.textBytes({ span, runs, chunks: [] })
    const ends = textBytesMax > FREE_TEXT_BYTES ? textBytesMax : 0
    const waiting = memory?.resize(heldBefore + textBytes + ends)
    if (waiting !== undefined) return waitFor(waiting)
    const view = { handle, span, mask }
    const columns = mergeColumns([...parts, ...runs.map((row) => sealed.decodeRow(view, row))])
    const source = { rows, sealed, isInOneStep, textBytesMax }
    return foldSealed(source, { ...view, columns, places }, fold)
  }

  #spanOf(handle: number, span: ReadSpan): ReadSpan {
    if (this.#parts.forgotten.has(handle)) return { ...span, until: Number.NEGATIVE_INFINITY }
    return span
  }

  /** Waits, which is rare, until nothing of the stream is applied in part. */
  async #waitWhole(isWhole: Promise<void> | undefined, handle: number): Promise<void> {
    for (let next = isWhole; next !== undefined; next = this.#head.whenWhole(handle)) await next
  }

  /** The samples of a span, ascending, at most its limit of them, in memory of their own. */
  async #read(handle: number, span: ReadSpan, memory?: TextMemory): Promise<SampleColumns> {
    const found = await this.#readOnce(handle, span, memory)
    if (!this.#parts.rows.isSuspect(handle)) return found
    const look = () => this.#readOnce(handle, span, memory)
    return await this.#parts.repair.lookAgain(handle, found, look)
  }

  async #readOnce(handle: number, span: ReadSpan, memory?: TextMemory): Promise<SampleColumns> {
    const isWhole = this.#head.whenWhole(handle)
    if (isWhole !== undefined) await this.#waitWhole(isWhole, handle)
    const { sealed } = this.#parts
    const heldBefore = memory?.bytes ?? 0
    let merged: SampleColumns
    let damagedRows: number
    do {
      damagedRows = sealed.damagedRows
      let taken = this.#tryTake(handle, span, { memory, heldBefore })
      while (taken instanceof Promise) {
        await taken
        await this.#waitWhole(this.#head.whenWhole(handle), handle)
        taken = this.#tryTake(handle, span, { memory, heldBefore })
      }
      merged = mergeColumns([...taken.parts, ...(await sealed.decode(taken.rows))])
      // What does not check was counted on to fill the limit: the search must go beyond it.
    } while (merged.count < span.limit && sealed.damagedRows > damagedRows)
    const kept = latestIn(merged, span)
    // Equal texts were counted once, and are one string: the least of both is what is held.
    await memory?.resize(Math.min(memory.bytes, heldBefore + bytesOfTexts(kept)))
    return kept
  }

  /** What a read needs, once its texts are counted; a promise where that has to be waited for. */
  #tryTake(
    handle: number,
    span: ReadSpan,
    { memory, heldBefore }: { memory: TextMemory | undefined; heldBefore: number },
  ): TakenSamples | Promise<void> {
    const { sealed } = this.#parts
    const { parts, mask } = this.#head.view(handle, span)
    const rows = sealed.take(handle, span, mask)
    if (memory === undefined) return { parts, rows }
    let bytes = sealed.textBytes(rows)
    for (const part of parts) bytes += bytesOfTexts(part)
    return memory.resize(heldBefore + bytes) ?? { parts, rows }
  }

  /** The latest sample of a stream once its text is counted. */
  #tryLatest(
    handle: StreamHandle,
    { memory, isTimesOnly }: LatestOptions,
  ): Sample | undefined | Promise<Sample | undefined> {
    const sample = this.#latestOf(handle, isTimesOnly === true)
    if (sample === 'masked') {
      return this.#endOf(handle, { isLatestFirst: true, isTimesOnly }, memory)
    }
    const text = sample?.value
    if (memory === undefined || typeof text !== 'string' || isTimesOnly === true) return sample
    const waiting = memory.resize(memory.bytes + bytesOfText(text))
    // Not held while it waits: it is looked up again.
    return waiting === undefined ? sample : this.#latestLater(handle, waiting, memory)
  }

  async #latestLater(
    handle: StreamHandle,
    waiting: Promise<void>,
    memory: TextMemory,
  ): Promise<Sample | undefined> {
    await waiting
    await this.#waitWhole(this.#head.whenWhole(handle), handle)
    const sample = this.#latestOf(handle, false)
    return sample === 'masked' ? this.#endOf(handle, { isLatestFirst: true }, memory) : sample
  }

  #latestOf(handle: number, isTimesOnly: boolean): Sample | undefined | 'masked' {
    if (this.#parts.forgotten.has(handle)) return undefined
    const { sample: live, removedUntil, uncertainTime } = this.#head.latest(handle)
    const isAlone = removedUntil === Number.POSITIVE_INFINITY
    const sealed = isAlone ? undefined : this.#parts.sealed.latest(handle, { isTimesOnly })
    if (sealed === 'damaged') return 'masked'
    const isHidden = sealed !== undefined && sealed.time < removedUntil
    const isLive = live !== undefined && (sealed === undefined || live.time >= sealed.time)
    const sample = isLive || isHidden ? live : sealed
    const doubt = isHidden ? Math.max(uncertainTime, sealed.time) : uncertainTime
    return doubt > (sample?.time ?? Number.NEGATIVE_INFINITY) ? 'masked' : sample
  }

  async #endOf(
    handle: number,
    side: Pick<ReadSpan, 'isLatestFirst' | 'isTimesOnly'>,
    memory?: TextMemory,
  ): Promise<Sample | undefined> {
    const { NEGATIVE_INFINITY: from, POSITIVE_INFINITY: until } = Number
    const span = this.#spanOf(handle, { from, until, limit: 1, ...side })
    const columns = await this.#read(handle, span, memory)
    if (columns.count === 0) return undefined
    const value = columns.texts?.[0] ?? columns.numbers[0]
    return { time: epochMs(columns.times[0]), value }
  }
}

async function waitFor(waiting: Promise<void>): Promise<'waited'> {
  await waiting
  return 'waited'
}

function latestIn(merged: SampleColumns, span: ReadSpan): SampleColumns {
  if (merged.count <= span.limit) return merged
  return span.isLatestFirst
    ? sliceColumns(merged, merged.count - span.limit, merged.count)
    : sliceColumns(merged, 0, span.limit)
}
