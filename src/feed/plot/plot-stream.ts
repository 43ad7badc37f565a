import type { Principal } from '../../access/index.ts'
import { EARLIEST_TIME, epochMs, nextIteration, TIME_END } from '../../base/index.ts'
import type { ComponentEntry, StreamIndex } from '../../catalog/index.ts'
import { POINT, VALUE_CODE } from '../../catalog/shape/index.ts'
import type { SampleColumns, StreamHandle, TextMemory } from '../../store/index.ts'
import type { Cycle } from '../../time/index.ts'
import { addressPath, findStreams, type OneStreamPath } from '../find-streams.ts'
import type { GetDeps } from '../get/get-feed.ts'
import { endsOf } from '../get/read-samples.ts'
import { baseCycleOf } from '../stream-facts.ts'
import type { PlotKind, PlotNeighbour } from './plot.ts'

/** Characters of a text that a plot shows: a label, not a document. */
const SHOWN_LENGTH_MAX = 200

/** Texts read at once: each may be long. */
const TEXTS_PER_PAGE = 500

/** The stream that a plot is of. */
export interface PlotStream {
  readonly handle: StreamHandle
  readonly component: ComponentEntry
  readonly streamId: string
  /** What leads to its files. */
  readonly path: OneStreamPath
  readonly kind: PlotKind
  readonly isPoint: boolean
  /** Of interval streams. */
  readonly cycle: Cycle | undefined
  /** Where its texts are counted while they are looked at; what is shown of them is short. */
  readonly memory?: TextMemory
}

/** Sample times, from ≤ time < until. */
export interface SampleRange {
  readonly from: number
  readonly until: number
}

/** Finds the stream of a plot; refuses what does not exist, and what the caller may not read. */
export function findPlotStream(
  index: StreamIndex,
  principal: Principal,
  path: OneStreamPath,
): PlotStream {
  const {
    component,
    handles: [handle],
  } = findStreams(index, principal, path, 'GET')
  return {
    handle,
    component,
    streamId: index.streamIdOf(handle),
    path: addressPath(index, handle),
    kind: kindOf(index.valueCodeOf(handle)),
    isPoint: index.kindOf(handle) === POINT,
    cycle: baseCycleOf(index, handle),
  }
}

function kindOf(valueCode: number): PlotKind {
  switch (valueCode) {
    case VALUE_CODE.BOOLEAN:
      return 'boolean'
    case VALUE_CODE.BIG_DECIMAL:
      return 'decimal'
    case VALUE_CODE.FILE:
      return 'file'
    case VALUE_CODE.STRING:
      return 'text'
    default:
      return 'number'
  }
}

/** The times of the samples that lie in a range of instants; an interval counts where it overlaps. */
export function sampleRangeOf({ cycle, isPoint }: PlotStream, range: SampleRange): SampleRange {
  if (isPoint) return { from: EARLIEST_TIME, until: TIME_END }
  const { from, until } = cycle === undefined ? range : endsOf(cycle, range)
  return { from: clampTime(from), until: clampTime(until) }
}

function clampTime(time: number): number {
  return Math.min(Math.max(time, EARLIEST_TIME), TIME_END)
}

/** The text of a sample as a plot shows it. */
export function showText(
  deps: GetDeps,
  { path, kind }: PlotStream,
  sample: { readonly text: string; readonly time: number },
): string {
  const { text, time } = sample
  if (kind === 'file') return deps.showFile(text, { ...path, time })
  if (kind === 'decimal' || text.length <= SHOWN_LENGTH_MAX) return text
  // Through bytes: a part of a string keeps the whole of it.
  return `${Buffer.from(text.slice(0, SHOWN_LENGTH_MAX).toWellFormed()).toString()}…`
}

/** The sample next to a time: the last before it, or the first from it on. */
export async function readNeighbour(
  deps: GetDeps,
  stream: PlotStream,
  range: SampleRange,
  order: 'oldest_first' | 'latest_first',
): Promise<PlotNeighbour | undefined> {
  if (range.from >= range.until) return undefined
  const { memory } = stream
  const [from, until] = [epochMs(range.from), epochMs(range.until)]
  const heldBefore = memory?.bytes ?? 0
  const query = { from, until, limit: 1, order, memory }
  const { count, times, numbers, texts } = await deps.store.range(stream.handle, query)
  await memory?.resize(heldBefore)
  if (count === 0) return undefined
  const [time, text] = [times[0], texts?.[0]]
  if (text !== undefined) return { time, value: showText(deps, stream, { text, time }) }
  return { time, value: stream.kind === 'boolean' ? numbers[0] !== 0 : numbers[0] }
}

/** Shows `visit` the samples of a range in pages, oldest first, until it has seen enough. */
export async function visitPages(
  deps: GetDeps,
  { handle, kind, memory }: PlotStream,
  range: SampleRange & { readonly limit: number },
  visit: (page: SampleColumns) => boolean,
): Promise<void> {
  const isLong = kind === 'text' || kind === 'file' || kind === 'decimal'
  const until = epochMs(range.until)
  const heldBefore = memory?.bytes ?? 0
  let { from, limit: left } = range
  while (left > 0 && from < until) {
    const limit = isLong ? Math.min(left, TEXTS_PER_PAGE) : left
    const query = { from: epochMs(from), until, limit, order: 'oldest_first', memory } as const
    const page = await deps.store.range(handle, query)
    const isOver = !visit(page) || page.count < limit
    await memory?.resize(heldBefore)
    if (isOver) return
    left -= page.count
    from = page.times[page.count - 1] + 1
    await nextIteration()
  }
}
