import type { Principal } from '../../access/index.ts'
import { type MemoryShare, nextIteration } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { allowsStream, type Feed } from '../../feed/index.ts'
import {
  type FoldedSeries,
  PromqlError,
  type SeriesFold,
  type SeriesRead,
  type SeriesSamples,
  type SeriesStatistics,
  type StatisticValues,
} from '../../promql/plain.ts'
import type { SampleStore, StreamHandle, TextMemory } from '../../store/index.ts'
import { listLabels } from '../labels/list-labels.ts'
import type {
  LabelRequest,
  SelectedPart,
  SelectReply,
  SelectRequest,
} from '../run/query-messages.ts'
import { SAMPLE_BYTES } from '../run/query-runs.ts'
import type { ServedSeries, TestTexts } from '../run/query-thread.ts'
import { calendarStatistics } from './calendar-statistics.ts'
import { defaultLookback } from './default-lookback.ts'
import { foldSeries } from './fold-series.ts'
import { readSeries } from './read-series.ts'
import { type SelectionParts, STREAM_LABEL, selectReadable } from './readable-series.ts'

/** Series of one selector. More would take gigabytes in a thread. */
const SERIES_MAX = 1_000_000

/** Series that go to a thread at once: about a millisecond. */
const PART_SERIES = 1_000

/** What a series takes in a thread, besides its labels, which series share. */
const SERIES_BYTES = 300

/** Where the series of queries are read. */
export interface StoredSeriesDeps {
  readonly catalog: Catalog
  readonly feed: Feed
  readonly store: SampleStore
}

/** Samples of a stream that a query has read. */
export interface HandedSamples {
  readonly componentUid: string
  readonly compId: string
  readonly streamId: string
  readonly amount: number
}

interface QueryParts {
  /** The caller as of the moment; refuses one whose permissions have ended. */
  readonly renew: () => Principal | Promise<Principal>
  readonly share: MemoryShare
  readonly testTexts: TestTexts
  readonly isOver: () => boolean
  readonly onHanded: (handed: HandedSamples) => void
}

/** The series of one query: the numeric streams that its caller may GET. References are handles. */
export class StoredSeries implements ServedSeries {
  readonly #deps: StoredSeriesDeps
  readonly #parts: QueryParts
  readonly #memory: ShareMemory
  #principal: Principal | undefined
  #heldBytes = 0

  constructor(deps: StoredSeriesDeps, parts: QueryParts) {
    this.#deps = deps
    this.#parts = parts
    this.#memory = new ShareMemory((bytes) => this.#resize(bytes))
  }

  async hold(samples: number): Promise<void> {
    this.#heldBytes = samples * SAMPLE_BYTES
    await this.#resize(0)
  }

  async select(
    { matchers, since }: SelectRequest,
    take: (part: SelectedPart) => void,
  ): Promise<SelectReply> {
    const { catalog, feed } = this.#deps
    const selection = { matchers, since }
    const selected = await selectReadable(await this.#selection(), selection)
    const { table, lookbacks, series, warnings, infos } = selected
    if (series.length > SERIES_MAX) {
      throw new PromqlError(
        'execution',
        `a selector has more than ${SERIES_MAX} series. Add matchers`,
      )
    }
    await this.#resize(series.length * SERIES_BYTES)
    const packer = new PartPacker()
    const now = feed.now()
    for (let first = 0; first < series.length; first += PART_SERIES) {
      this.#checkStop()
      for (const { handle, number, streamUid } of series.slice(first, first + PART_SERIES)) {
        if (!catalog.index.has(handle)) continue
        const lookbackMs = lookbacks.get(handle) ?? defaultLookback(catalog, handle, now)
        const labels = table.labelsOf(number)
        if (streamUid !== undefined) insertLabel(labels, STREAM_LABEL, streamUid)
        packer.add(handle, labels, lookbackMs)
      }
      take(packer.take())
      await nextIteration()
    }
    return { warnings, infos }
  }

  async read(request: SeriesRead): Promise<SeriesSamples> {
    const samples = await readSeries({ ...this.#reading, feed: this.#deps.feed }, request)
    this.#noteHanded(request.refs, samples)
    return samples
  }

  async fold(request: SeriesFold): Promise<FoldedSeries | undefined> {
    const folded = await foldSeries({ ...this.#reading, feed: this.#deps.feed }, request)
    this.#noteFolded(request, folded)
    return folded
  }

  async statistics(request: SeriesStatistics): Promise<StatisticValues> {
    const { orgUid } = this.#known
    return await calendarStatistics({ ...this.#deps, ...this.#reading, orgUid }, request)
  }

  async labels(
    request: LabelRequest,
    take: (texts: readonly string[]) => void,
  ): Promise<SelectReply> {
    return await listLabels(await this.#selection(), request, take)
  }

  async #selection(): Promise<SelectionParts> {
    const { catalog, store } = this.#deps
    this.#principal = await this.#parts.renew()
    return { catalog, store, principal: this.#principal, testTexts: this.#parts.testTexts }
  }

  /** Only what people take out is recorded. What a query makes of samples is not known: they count as taken out. */
  #noteHanded(refs: readonly number[], { seriesCount, starts }: SeriesSamples): void {
    if (this.#known.actor.kind !== 'user') return
    for (let at = 0; at < seriesCount; at++) {
      this.#noteAmount(refs[at], starts[at + 1] - starts[at])
    }
  }

  /** Each window with a value counts as a sample. */
  #noteFolded({ refs, windowCount }: SeriesFold, { present }: FoldedSeries): void {
    if (this.#known.actor.kind !== 'user') return
    for (const [at, ref] of refs.entries()) {
      const windows = present.subarray(at * windowCount, (at + 1) * windowCount)
      this.#noteAmount(
        ref,
        windows.reduce((sum, has) => sum + has, 0),
      )
    }
  }

  #noteAmount(handle: number, amount: number): void {
    const { index } = this.#deps.catalog
    if (amount === 0 || !index.has(handle)) return
    const { uid: componentUid, compId } = index.componentOf(handle)
    this.#parts.onHanded({ componentUid, compId, streamId: index.streamIdOf(handle), amount })
  }

  get #reading() {
    const { index } = this.#deps.catalog
    const principal = this.#known
    return {
      memory: this.#memory,
      checkStop: () => this.#checkStop(),
      makeRoom: (samples: number) => this.#resize(samples * SAMPLE_BYTES),
      mayRead: (handle: number): handle is StreamHandle =>
        index.has(handle) && allowsStream(index, principal, handle, 'GET'),
    }
  }

  get #known(): Principal {
    if (this.#principal === undefined)
      throw new Error('BUG: series are read before they are selected')
    return this.#principal
  }

  #checkStop(): void {
    if (this.#parts.isOver()) throw new PromqlError('canceled', 'query was canceled')
  }

  /** Makes the share of the query so large as what it holds and some bytes more. */
  #resize(more: number): Promise<void> {
    return this.#parts.share.resize(this.#heldBytes + more)
  }
}

/** Counts texts of decimal numbers while they are read. */
class ShareMemory implements TextMemory {
  readonly #resize: (bytes: number) => Promise<void>
  bytes = 0

  constructor(resize: (bytes: number) => Promise<void>) {
    this.#resize = resize
  }

  resize(bytes: number): Promise<void> | undefined {
    const isMore = bytes > this.bytes
    this.bytes = bytes
    return isMore ? this.#resize(bytes) : undefined
  }
}

function insertLabel(labels: string[], name: string, text: string): void {
  let at = 0
  while (at < labels.length && labels[at] < name) at += 2
  labels.splice(at, 0, name, text)
}

/** Packs series into parts whose labels are numbers. */
class PartPacker {
  readonly #pairs = new Map<string, Map<string, number>>()
  #pairCount = 0
  #refs: number[] = []
  #lookbacks: number[] = []
  #starts = [0]
  #places: number[] = []
  #names: string[] = []
  #texts: string[] = []

  add(ref: number, labels: readonly string[], lookbackMs: number): void {
    this.#refs.push(ref)
    this.#lookbacks.push(lookbackMs)
    for (let at = 0; at < labels.length; at += 2) {
      this.#places.push(this.#pairOf(labels[at], labels[at + 1]))
    }
    this.#starts.push(this.#places.length)
  }

  #pairOf(name: string, text: string): number {
    let texts = this.#pairs.get(name)
    if (texts === undefined) {
      texts = new Map()
      this.#pairs.set(name, texts)
    }
    const known = texts.get(text)
    if (known !== undefined) return known
    const pair = this.#pairCount
    this.#pairCount += 1
    texts.set(text, pair)
    this.#names.push(name)
    this.#texts.push(text)
    return pair
  }

  /** What was added after the last part. */
  take(): SelectedPart {
    const part = {
      refs: Int32Array.from(this.#refs),
      lookbacks: Float64Array.from(this.#lookbacks),
      starts: Uint32Array.from(this.#starts),
      pairs: Uint32Array.from(this.#places),
      names: this.#names,
      texts: this.#texts,
    }
    this.#refs = []
    this.#lookbacks = []
    this.#starts = [0]
    this.#places = []
    this.#names = []
    this.#texts = []
    return part
  }
}
