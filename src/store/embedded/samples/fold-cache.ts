/**
 * Summaries that were asked for and have not changed since, kept per stream as runs of neighbouring
 * intervals. Dashboards ask the same periods over and over; an append marks only the intervals it
 * falls into, so a live stream recomputes its running period and nothing else. Memory only: a
 * restart begins empty.
 */
import { epochMs } from '../../../base/index.ts'
import type { SampleBatch, SampleSpan, Summaries } from '../../ports/sample-port.ts'
import type { JournalRecord } from '../journal/record.ts'
import { FoldRun, overlaid } from './fold-run.ts'

/** Fewer samples than this are folded as fast as they are looked up. */
const WORTHWHILE_SAMPLES = 2_048

/** Cycles of one stream that are remembered side by side: hour, day, month, year, and two more. */
const RUNS_PER_STREAM_MAX = 6

/** All rows of all streams: some 100 bytes each. */
const ROWS_MAX_DEFAULT = 500_000

/** Rows with more texts than this are not remembered: a row may have two of a million characters. */
const TEXT_LENGTH_MAX = 64 * 1024

/** What a stream costs beside its rows, counted in rows. */
const ROWS_PER_STREAM = 4

/** Computes the summaries between edges from the samples themselves. */
export type ComputeFold = (edges: Float64Array) => Promise<Summaries>

interface StreamRuns {
  /** The one used last comes last. */
  readonly runs: FoldRun[]
  /** Where its samples begin and end, while that is known. */
  span: SampleSpan | undefined
  /** What changes while samples are read to be remembered, one for each reading under way. */
  readonly readings: Set<ChangedSpan>
}

/** The stretch in which something changed; empty while from > until. */
interface ChangedSpan {
  from: number
  until: number
}

/** Keeps summaries of intervals for as long as nothing changes in them, the least used go first. */
export class FoldCache {
  readonly #rowsMax: number
  /** The stream used last comes last. */
  readonly #streams = new Map<number, StreamRuns>()
  #rows = 0

  constructor(rowsMax = ROWS_MAX_DEFAULT) {
    this.#rowsMax = rowsMax
  }

  /** The summaries between edges: those that are known, and the rest computed. */
  async fold(handle: number, edges: Float64Array, compute: ComputeFold): Promise<Summaries> {
    if (edges.length < 2) return compute(edges)
    const stream = this.#use(handle)
    const run = stream?.runs.findLast((candidate) => candidate.fits(edges))
    const unknown = run === undefined ? { first: 0, last: edges.length - 1 } : run.unknownIn(edges)
    if (run !== undefined && unknown === undefined) return run.read(edges)
    const { first, last } = unknown ?? { first: 0, last: edges.length - 1 }
    // A stream that is not remembered has to be watched from before its samples are read.
    const watched = stream ?? this.#watch(handle)
    const isWhole = first === 0 && last === edges.length - 1
    const known = run?.read(edges)
    const changed = beginReading(watched)
    try {
      const computed = await compute(isWhole ? edges : edges.subarray(first, last + 1))
      const answer = known === undefined || isWhole ? computed : overlaid(known, computed, first)
      if (this.#streams.get(handle) === watched) {
        this.#keep(watched, { edges, answer, run, changed })
      }
      return answer
    } finally {
      watched.readings.delete(changed)
      this.#dropIfEmpty(handle)
    }
  }

  /** Where the samples of a stream begin and end: known, or computed. */
  async span(
    handle: number,
    compute: () => Promise<SampleSpan | undefined>,
  ): Promise<SampleSpan | undefined> {
    const stream = this.#use(handle) ?? this.#watch(handle)
    if (stream.span !== undefined) return stream.span
    const changed = beginReading(stream)
    try {
      const span = await compute()
      const isSame = changed.from > changed.until
      if (this.#streams.get(handle) === stream && isSame) stream.span = span
      return span
    } finally {
      stream.readings.delete(changed)
      this.#dropIfEmpty(handle)
    }
  }

  /** Forgets what durable records change; called when reads begin to see them, before the answer. */
  touchRecords(records: readonly JournalRecord[]): void {
    if (this.#streams.size === 0) return
    for (const { kind, batch } of records) {
      if (kind === 'samples') this.#touchSamples(batch)
      else if (kind === 'specials') this.#touchRemovals(batch)
      else for (let i = 0; i < batch.count; i++) this.drop(batch.handles[i])
    }
  }

  /** Forgets what a removal in from ≤ time < until may have changed. */
  touch(handle: number, from: number, until: number): void {
    const stream = this.#streams.get(handle)
    if (stream === undefined) return
    stream.span = undefined
    forgetRows(stream, from, until)
  }

  /** Forgets a stream. */
  drop(handle: number): void {
    const stream = this.#streams.get(handle)
    if (stream === undefined) return
    for (const run of stream.runs) this.#rows -= run.length
    this.#rows -= ROWS_PER_STREAM
    this.#streams.delete(handle)
  }

  /** Forgets everything. */
  clear(): void {
    for (const handle of [...this.#streams.keys()]) this.drop(handle)
  }

  /** Neighbours of one stream count as one stretch: a device sends a series, not a scatter. */
  #touchSamples(batch: SampleBatch): void {
    this.#touchRemovals(batch)
    const { count, handles, times } = batch
    for (let i = 0; i < count; ) {
      const handle = handles[i]
      const stream = this.#streams.get(handle)
      if (stream === undefined) {
        i += 1
        continue
      }
      let [first, last] = [times[i], times[i]]
      for (i += 1; i < count && handles[i] === handle; i++) {
        first = Math.min(first, times[i])
        last = Math.max(last, times[i])
      }
      forgetRows(stream, first, last + 1)
      widenSpan(stream, first, last)
    }
  }

  #touchRemovals({ removals }: SampleBatch): void {
    for (const { handle, from, until } of removals) this.touch(handle, from, until)
  }

  #use(handle: number): StreamRuns | undefined {
    const stream = this.#streams.get(handle)
    if (stream === undefined) return undefined
    this.#streams.delete(handle)
    this.#streams.set(handle, stream)
    return stream
  }

  #watch(handle: number): StreamRuns {
    const stream: StreamRuns = { runs: [], span: undefined, readings: new Set() }
    this.#streams.set(handle, stream)
    this.#rows += ROWS_PER_STREAM
    this.#shrink(stream)
    return stream
  }

  #dropIfEmpty(handle: number): void {
    const stream = this.#streams.get(handle)
    if (stream === undefined || stream.readings.size > 0) return
    if (stream.runs.length === 0 && stream.span === undefined) this.drop(handle)
  }

  #keep(
    stream: StreamRuns,
    fresh: {
      readonly edges: Float64Array
      readonly answer: Summaries
      readonly run: FoldRun | undefined
      readonly changed: ChangedSpan
    },
  ): void {
    const { edges, answer, run, changed } = fresh
    const isKnown = run !== undefined && stream.runs.includes(run)
    const samples = answer.count.reduce((sum, count) => sum + count, 0)
    if (!isKnown && samples < WORTHWHILE_SAMPLES) return
    const merged = isKnown ? run.mergedWith(edges, answer) : new FoldRun(edges, answer)
    if (merged.textLength > TEXT_LENGTH_MAX) return
    // What changed while it was read may be in the answer or not: it is asked again next time.
    merged.forget(changed.from, changed.until)
    const others = stream.runs.filter((other) => other !== run).slice(1 - RUNS_PER_STREAM_MAX)
    for (const { length } of stream.runs) this.#rows -= length
    stream.runs.splice(0, stream.runs.length, ...others, merged)
    for (const { length } of stream.runs) this.#rows += length
    this.#shrink(stream)
  }

  /** Lets the least used go, but the one in use stays. */
  #shrink(inUse: StreamRuns): void {
    for (const [handle, stream] of this.#streams) {
      if (this.#rows <= this.#rowsMax || stream === inUse) return
      this.drop(handle)
    }
  }
}

function beginReading(stream: StreamRuns): ChangedSpan {
  const changed = { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY }
  stream.readings.add(changed)
  return changed
}

function forgetRows(stream: StreamRuns, from: number, until: number): void {
  for (const changed of stream.readings) {
    changed.from = Math.min(changed.from, from)
    changed.until = Math.max(changed.until, until)
  }
  for (const run of stream.runs) run.forget(from, until)
}

/** Takes samples into a known span. */
function widenSpan(stream: StreamRuns, first: number, last: number): void {
  if (stream.span === undefined) return
  const { firstTime, lastTime } = stream.span
  if (first >= firstTime && last <= lastTime) return
  stream.span = {
    firstTime: epochMs(Math.min(first, firstTime)),
    lastTime: epochMs(Math.max(last, lastTime)),
  }
}
