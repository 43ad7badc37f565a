import { epochMs, invariant, refuse } from '../../../base/index.ts'
import { chunkInfo } from '../../embedded/chunk/chunk.ts'
import {
  concatColumns,
  cutColumns,
  decodeChunk,
  decodedTextBytes,
  emptyColumns,
  mergeColumns,
  sliceColumns,
} from '../../embedded/chunk/index.ts'
import { applyMask } from '../../embedded/head/apply-mask.ts'
import { copyColumns, reverseColumns } from '../../embedded/head/sample-sink.ts'
import { EMPTY_MASK } from '../../embedded/head/tombstones.ts'
import { looseMsOf } from '../../embedded/sealed/sealed-fold.ts'
import { SummaryFold } from '../../embedded/summary/index.ts'
import type {
  LatestOptions,
  RangeQuery,
  Sample,
  SampleColumns,
  SampleReads,
  SampleSpan,
  StreamHandle,
  Summaries,
  TextMemory,
  WindowStatistic,
} from '../../ports/sample-port.ts'
import { CallHeads, type ReadHeads } from './call-heads.ts'
import { foldStream } from './fold-stream.ts'
import { hidesAll } from './hidden-spans.ts'
import type { ManifestEntry } from './leaf-index.ts'
import { decodeEntry, type LeafReader } from './leaf-reader.ts'
import {
  endingRuns,
  endsOfRuns,
  layRuns,
  type Overlay,
  runsIn,
  type WantedSpan,
} from './run-reader.ts'
import { type LeafPlace, type SampleHead, ViewPassed } from './sample-head.ts'
import { eachAtOnce } from './slots.ts'
import { type TextRoom, TextRooms } from './text-room.ts'

const TRIES_MAX = 5

const ALL_TIME = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
/** Its first time is after its last. */
const EMPTY_SPAN: [number, number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
const NOTHING: Overlay = { columns: emptyColumns, mask: EMPTY_MASK }

/** Chunks that one read fetches at once. */
const CHUNKS_AT_ONCE = 8

/** Streams whose latest samples one call looks up at once. */
const STREAMS_AT_ONCE = 64

/** What reads look at. */
interface ReaderDeps {
  readonly heads: ReadHeads
  readonly leaves: LeafReader
}

/** What one read found above the chunks. */
interface Opened {
  readonly handle: number
  readonly leaves: readonly LeafPlace[]
  readonly overlay: Overlay
  readonly room: TextRoom
}

/** Between which edges a fold is made, and how it takes blocks that an edge cuts. */
interface FoldForm {
  readonly edges: Float64Array
  readonly looseMs?: number
  readonly statistic?: WindowStatistic
}

interface PlacedEntry {
  readonly leaf: number
  readonly entry: ManifestEntry
}

/** Reads samples of single streams: the chunks of their leaves with the runs laid over them. */
export class ClusterReader implements SampleReads {
  readonly #deps: ReaderDeps

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  /** Reads for one call, which read a stream once. */
  forCall(): ClusterReader {
    return new ClusterReader({ ...this.#deps, heads: new CallHeads(this.#deps.heads) })
  }

  /** As SampleStore has it. */
  async range(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns> {
    return await this.#range(handle, query, new TextRooms(query.memory))
  }

  async #range(handle: number, query: RangeQuery, rooms: TextRooms): Promise<SampleColumns> {
    const { from, until, limit, order, isTimesOnly } = query
    invariant(limit >= 0, `range() was asked for ${limit} samples`)
    if (limit === 0 || from >= until) return emptyColumns
    const isLatestFirst = order === 'latest_first'
    const span = { from, until, isTimesOnly }
    const columns = await this.#tryOften(rooms, async (room) => {
      const opened = await this.#open(handle, span, room)
      const found = await this.#collect(opened, span, { limit, isLatestFirst })
      await room.keep(found)
      return found
    })
    return isLatestFirst ? reverseColumns(columns) : copyColumns(columns)
  }

  /** As SampleStore has it. */
  async latest(
    handles: readonly StreamHandle[],
    { memory, isTimesOnly }: LatestOptions = {},
  ): Promise<ReadonlyArray<Sample | undefined>> {
    const found = new Array<Sample | undefined>(handles.length).fill(undefined)
    const rooms = new TextRooms(memory)
    await eachAtOnce([...handles.entries()], STREAMS_AT_ONCE, async ([at, handle]) => {
      found[at] = await this.#latest(handle, isTimesOnly, rooms)
    })
    return found
  }

  /** The latest sample of a stream: its partition has it, unless samples were removed. */
  async #latest(
    handle: StreamHandle,
    isTimesOnly: boolean | undefined,
    rooms: TextRooms,
  ): Promise<Sample | undefined> {
    const known = await this.#tryOften(rooms, async (room) => {
      const head = await this.#deps.heads.read(handle)
      if (head.isForgotten) return { sample: undefined }
      const rows = endingRuns(runsIn(head.runs, handle, ALL_TIME))
      const overlay = await layRuns(rows, ALL_TIME, room)
      const columns = latestOf(handle, head, overlay)
      if (columns === undefined) return undefined
      await room.keep(columns)
      return { sample: sampleAt(columns, columns.count - 1) }
    })
    if (known !== undefined) return known.sample
    return await this.#endOf(handle, { order: 'latest_first', isTimesOnly }, rooms)
  }

  /** As SampleStore has it. */
  async span(handle: StreamHandle): Promise<SampleSpan | undefined> {
    const rooms = new TextRooms()
    const known = await this.#tryOften(rooms, () => this.#knownSpan(handle))
    if (known !== undefined) return spanOf(known)
    const [first, last] = await Promise.all([
      this.#endOf(handle, { order: 'oldest_first', isTimesOnly: true }, rooms),
      this.#endOf(handle, { order: 'latest_first', isTimesOnly: true }, rooms),
    ])
    if (first === undefined || last === undefined) return undefined
    return { firstTime: first.time, lastTime: last.time }
  }

  /** Where a stream begins and ends, as its index and runs tell it; undefined where a removal may hide an end. */
  async #knownSpan(handle: number): Promise<[number, number] | undefined> {
    const { heads } = this.#deps
    const head = await heads.read(handle)
    if (head.isForgotten) return EMPTY_SPAN
    const ends = endsOfRuns(runsIn(head.runs, handle, ALL_TIME))
    if (ends === undefined) return undefined
    const { leaves } = await heads.leavesOf(handle, head)
    if (leaves.length > 0) {
      const { entries } = await this.#deps.leaves.manifest(handle, leaves[0])
      if (entries.length === 0) return undefined
      ends.push(entries[0].start, leaves[leaves.length - 1].last)
    }
    return [Math.min(...ends), Math.max(...ends)]
  }

  /** As SampleStore has it. */
  fold(handle: StreamHandle, edges: Float64Array, memory?: TextMemory): Promise<Summaries> {
    return this.#fold(handle, { edges }, memory)
  }

  /** As SampleStore has it. */
  outline(handle: StreamHandle, edges: Float64Array, memory?: TextMemory): Promise<Summaries> {
    return this.#fold(handle, { edges, looseMs: looseMsOf(edges) }, memory)
  }

  /** As SampleStore has it. */
  windows(
    handle: StreamHandle,
    edges: Float64Array,
    statistic: WindowStatistic,
  ): Promise<Summaries> {
    return this.#fold(handle, { edges, statistic }, undefined)
  }

  async #fold(
    handle: number,
    { edges, ...form }: FoldForm,
    memory: TextMemory | undefined,
  ): Promise<Summaries> {
    if (edges.length < 2) return new SummaryFold(edges).finish()
    const span = { from: edges[0], until: edges[edges.length - 1] }
    return await this.#tryOften(new TextRooms(memory), async (room) => {
      const opened = await this.#open(handle, span, room)
      const fold = new SummaryFold(edges, form)
      await foldStream(opened, this.#deps.leaves, fold)
      await room.keepBytes(fold.textBytes)
      return fold.finish()
    })
  }

  async #endOf(
    handle: StreamHandle,
    side: Pick<RangeQuery, 'order' | 'isTimesOnly'>,
    rooms: TextRooms,
  ): Promise<Sample | undefined> {
    const [from, until] = [epochMs(-Infinity), epochMs(Infinity)]
    const columns = await this.#range(handle, { from, until, limit: 1, ...side }, rooms)
    return sampleAt(columns, 0)
  }

  /** Reads again where compaction deleted what an earlier look had named. */
  async #tryOften<T>(rooms: TextRooms, read: (room: TextRoom) => Promise<T>): Promise<T> {
    const room = rooms.open()
    for (let tries = 1; ; tries += 1) {
      try {
        return await read(room)
      } catch (error) {
        if (!(error instanceof ViewPassed)) throw error
        this.#deps.heads.renew?.()
        if (tries === TRIES_MAX) refuse('overloaded', { retryAfterSeconds: 1 })
        await room.keepBytes(0)
      }
    }
  }

  async #open(handle: number, span: WantedSpan, room: TextRoom): Promise<Opened> {
    const { heads } = this.#deps
    const head = await heads.read(handle)
    if (head.isForgotten) return { handle, leaves: [], overlay: NOTHING, room }
    const { leaves } = await heads.leavesOf(handle, head)
    const overlay = await layRuns(runsIn(head.runs, handle, span), span, room)
    return { handle, leaves, overlay, room }
  }

  /** The samples of a span, ascending, at most the limit from one side. */
  async #collect(
    opened: Opened,
    span: WantedSpan,
    { limit, isLatestFirst }: { limit: number; isLatestFirst: boolean },
  ): Promise<SampleColumns> {
    const { overlay } = opened
    const top = isLatestFirst ? aboveLeaves(opened, span) : emptyColumns
    if (top.count >= limit) return sliceColumns(top, top.count - limit, top.count)
    const found: SampleColumns[] = []
    let count = 0
    let [from, until] = [span.from, span.until]
    for await (const group of this.#groups(opened, span, {
      isLatestFirst,
      wanted: () => limit - count,
    })) {
      for (const { entry, columns } of await this.#decode(opened, group, span)) {
        const [start, end] = isLatestFirst ? [entry.start, until] : [from, entry.last + 1]
        const above = cutColumns(overlay.columns, Math.max(start, from), Math.min(end, until))
        const merged = mergeColumns([above, cutColumns(columns, from, until)])
        found.push(merged)
        count += merged.count
        if (isLatestFirst) until = Math.min(until, start)
        else from = Math.max(from, end)
        if (count >= limit) break
      }
      if (count >= limit) break
    }
    if (count < limit && from < until) found.push(cutColumns(overlay.columns, from, until))
    if (isLatestFirst) found.reverse()
    const all = concatColumns(found)
    if (all.count <= limit) return all
    return isLatestFirst
      ? sliceColumns(all, all.count - limit, all.count)
      : sliceColumns(all, 0, limit)
  }

  /** The chunks of a span from one side on, in groups of the size that is likely to be needed. */
  async *#groups(
    { handle, leaves, overlay }: Opened,
    span: WantedSpan,
    side: { readonly isLatestFirst: boolean; wanted(): number },
  ): AsyncGenerator<PlacedEntry[]> {
    let group: PlacedEntry[] = []
    let samples = 0
    const wanted = leaves.filter((leaf) => isWanted(leaf, span))
    for (const place of side.isLatestFirst ? wanted.reverse() : wanted) {
      const { entries } = await this.#deps.leaves.manifest(handle, place)
      const some = entries.filter(
        (entry) => isWanted(entry, span) && !hidesAll(overlay.mask, entry),
      )
      for (const entry of side.isLatestFirst ? some.reverse() : some) {
        group.push({ leaf: place.leaf, entry })
        samples += entry.count
        if (group.length < CHUNKS_AT_ONCE && samples < side.wanted()) continue
        yield group
        group = []
        samples = 0
      }
    }
    if (group.length > 0) yield group
  }

  async #decode(
    { handle, overlay, room }: Opened,
    group: readonly PlacedEntry[],
    span: WantedSpan,
  ): Promise<Array<{ entry: ManifestEntry; columns: SampleColumns }>> {
    const bodies = await Promise.all(
      group.map(({ leaf, entry }) => this.#deps.leaves.chunkBytes(handle, leaf, entry)),
    )
    if (span.isTimesOnly !== true) {
      await room.add(bodies.reduce((sum, bytes) => sum + decodedTextBytes(bytes), 0))
    }
    return group.map(({ entry }, at) => {
      const columns = decodeEntry(handle, entry, bodies[at], span.isTimesOnly)
      return { entry, columns: applyMask(columns, overlay.mask) }
    })
  }
}

/**
 * Samples of a stream whose last one is its latest, found in the head alone; none when the stream is empty. Undefined when
 * the leaves have to be read.
 */
function latestOf(
  handle: number,
  { version, newest }: SampleHead,
  { columns, mask }: Overlay,
): SampleColumns | undefined {
  if (version === undefined) return columns
  // A row in a wrong place is damaged. The leaves report it better.
  const isOwn = newest?.length === 0 || (newest && chunkInfo(newest).owner?.stream === handle)
  if (newest === undefined || !isOwn) return undefined
  const below = newest.length === 0 ? emptyColumns : decodeChunk(newest)
  if (below.count === 0 || columns.times[columns.count - 1] >= below.times[0]) return columns
  return applyMask(below, mask).count === 0 ? undefined : below
}

function spanOf([first, last]: readonly [number, number]): SampleSpan | undefined {
  return first > last ? undefined : { firstTime: epochMs(first), lastTime: epochMs(last) }
}

function sampleAt({ count, times, numbers, texts }: SampleColumns, at: number): Sample | undefined {
  if (at < 0 || at >= count) return undefined
  return { time: epochMs(times[at]), value: texts?.[at] ?? numbers[at] }
}

/** What lies behind the last sample of all leaves: there is nothing below to look at. */
function aboveLeaves({ leaves, overlay }: Opened, span: WantedSpan): SampleColumns {
  const end = leaves.at(-1)?.last ?? Number.NEGATIVE_INFINITY
  return cutColumns(overlay.columns, Math.max(span.from, end + 1), span.until)
}

function isWanted({ start, last }: { start: number; last: number }, span: WantedSpan): boolean {
  return start < span.until && last >= span.from
}
