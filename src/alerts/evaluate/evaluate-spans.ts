/** From touched spans to changes of states. */
import { nextIteration } from '../../base/index.ts'
import { INTERVAL } from '../../catalog/shape/index.ts'
import type { StreamHandle, TouchedSpan } from '../../store/index.ts'
import { afterSample } from '../state/next-state.ts'
import type { EvaluateDeps } from './evaluate-deps.ts'
import { type JudgedBlock, judgeBlock, judgeBlocks } from './judge-blocks.ts'
import type { LoadedAlert } from './loaded-alert.ts'
import {
  earliestOf,
  isSilenceWatched,
  noteArrival,
  noteEvaluated,
  settleSpan,
} from './settle-span.ts'
import {
  blockFrom,
  readSpanSamples,
  type SpanSamples,
  type SpanToRead,
  valueText,
} from './span-samples.ts'
import { NEVER } from './watch-table.ts'

/** Streams evaluated before others get a turn. */
const BLOCKS_PER_STEP = 2_000
/** Streams with several samples that are read at once: each is up to a block of 10,000 samples. */
const LONG_SPANS_AT_ONCE = 64

/**
 * Evaluates spans in their order. Of several spans of one stream each is evaluated by itself, so that a sample that came
 * late is late after a restart as well.
 */
export async function evaluateSpans(
  deps: EvaluateDeps,
  spans: readonly TouchedSpan[],
): Promise<void> {
  let left = spansToRead(deps, spans)
  while (left.length > 0) {
    const now = new Map<number, TouchedSpan>()
    const later: TouchedSpan[] = []
    for (const span of left) {
      if (now.has(span.handle)) later.push(span)
      else now.set(span.handle, span)
    }
    await evaluateRound(deps, [...now.values()])
    left = later
    if (left.length > 0) await nextIteration()
  }
}

/** The spans whose samples have to be read. The others are evaluated. */
function spansToRead(deps: EvaluateDeps, spans: readonly TouchedSpan[]): TouchedSpan[] {
  const left: TouchedSpan[] = []
  const waiting = new Set<number>()
  for (const span of spans) {
    const { handle } = span
    if (!isEvaluated(deps, handle) || (!waiting.has(handle) && settleSpan(deps, span))) continue
    waiting.add(handle)
    left.push(span)
  }
  return left
}

function isEvaluated({ catalog, watches }: EvaluateDeps, handle: StreamHandle): boolean {
  return watches.table.refsOf(handle).length > 0 && catalog.index.has(handle)
}

/** Evaluates one span of each stream. */
async function evaluateRound(deps: EvaluateDeps, spans: readonly TouchedSpan[]): Promise<void> {
  const wanted = spans.map((span): SpanToRead => ({ span, from: earliestOf(deps, span) }))
  const isShort = ({ span: { from, until } }: SpanToRead) => until - from === 1
  await evaluateRead(deps, wanted.filter(isShort))
  const long = wanted.filter((one) => !isShort(one))
  for (let at = 0; at < long.length; at += LONG_SPANS_AT_ONCE) {
    await evaluateRead(deps, long.slice(at, at + LONG_SPANS_AT_ONCE))
  }
}

/** Reads and evaluates spans, block by block. */
async function evaluateRead(deps: EvaluateDeps, all: readonly SpanToRead[]): Promise<void> {
  const spanOf = new Map(all.map(({ span }) => [span.handle, span]))
  for (let wanted = all; wanted.length > 0; ) {
    const { blocks, rest } = await readSpanSamples(deps.store, wanted)
    await noteArrivals(deps, wanted, blocks)
    await noteDeleted(deps, wanted, blocks)
    for (let at = 0; at < blocks.length; at += BLOCKS_PER_STEP) {
      await evaluateBlocks(deps, blocks.slice(at, at + BLOCKS_PER_STEP), spanOf)
      if (at + BLOCKS_PER_STEP < blocks.length) await nextIteration()
    }
    wanted = rest
    if (wanted.length > 0) await nextIteration()
  }
}

/**
 * Notes that samples arrived. Of spans without samples that may change a state, those of streams whose silence is watched
 * are looked at: they may be late samples, or samples that were deleted. A span that may be older counts where it has
 * samples that are not evaluated.
 */
async function noteArrivals(
  deps: EvaluateDeps,
  wanted: readonly SpanToRead[],
  blocks: readonly SpanSamples[],
): Promise<void> {
  const { table } = deps.watches
  const isOlder = ({ handle, until, mayBeOlder }: TouchedSpan) =>
    mayBeOlder === true && until - 1 <= table.lastTimeOf(handle)
  const read = new Map(blocks.map((block) => [block.handle, block]))
  for (const { span } of wanted) {
    const { handle, from, until } = span
    if (isOlder(span)) continue
    const block = read.get(handle)
    if (block !== undefined) noteArrival(deps, handle, block.times[block.count - 1])
    if (block !== undefined || !isSilenceWatched(deps, handle)) continue
    const query = { from, until, limit: 1, order: 'latest_first', isTimesOnly: true } as const
    const { count, times } = await deps.store.range(handle, query)
    if (count > 0) noteArrival(deps, handle, times[0])
  }
}

/**
 * Notes which streams have lost their last evaluated sample, and have no later one. Otherwise, a deleted sample from the
 * future would still make all others late.
 */
async function noteDeleted(
  deps: EvaluateDeps,
  wanted: readonly SpanToRead[],
  blocks: readonly SpanSamples[],
): Promise<void> {
  const { store, states, watches } = deps
  const { table } = watches
  const read = new Set(blocks.map(({ handle }) => handle))
  for (const { span } of wanted) {
    const { handle, from, until } = span
    const last = table.lastTimeOf(handle)
    if (read.has(handle) || last < from || last >= until) continue
    const [latest] = await store.latest([handle], { isTimesOnly: true })
    const time = latest?.time ?? NEVER
    if (time >= last || table.lastTimeOf(handle) !== last) continue
    table.setLastTime(handle, time)
    deps.onProgress(handle)
    for (const ref of table.refsOf(handle)) states.forgetSample(ref, handle)
  }
}

async function evaluateBlocks(
  deps: EvaluateDeps,
  blocks: readonly SpanSamples[],
  spanOf: ReadonlyMap<StreamHandle, TouchedSpan>,
): Promise<void> {
  const { watches, catalog } = deps
  const byAlert = new Map<number, SpanSamples[]>()
  for (const block of blocks) {
    if (!catalog.index.has(block.handle)) continue
    for (const ref of watches.table.refsOf(block.handle)) {
      const some = byAlert.get(ref)
      if (some === undefined) byAlert.set(ref, [block])
      else some.push(block)
    }
  }
  for (const [ref, own] of byAlert) {
    const loaded = watches.byRef(ref)
    if (loaded === undefined) continue
    const fresh = own
      .map((block) => freshPart(deps, loaded, { block, span: spanOf.get(block.handle) }))
      .filter((block) => block.count > 0)
    for (const judged of await judgeBlocks(deps, loaded, fresh)) {
      await applyBlock(deps, loaded, judged)
      await deps.onChanges()
    }
  }
  for (const { handle, count, times } of blocks) noteEvaluated(deps, handle, times[count - 1])
}

/** The samples of a block that may change the state of an alert. */
function freshPart(
  deps: EvaluateDeps,
  { ref, alert }: LoadedAlert,
  { block, span }: { readonly block: SpanSamples; readonly span: TouchedSpan | undefined },
): SpanSamples {
  const { lastTime, sampleTime } = deps.states.stateOf(ref, block.handle)
  const last = lastTime ?? Number.NEGATIVE_INFINITY
  // A span from before the last sample to after it need not have touched that sample.
  const isAround = span !== undefined && span.from < last && last < span.until - 1
  // Time has changed the state after its last sample. Only a correction of that sample may be judged once more.
  const isPassed = sampleTime === null && (deps.mayRepeat || isAround || span?.mayBeOlder === true)
  const floor = last + (isPassed ? 1 : 0)
  const oldest = deps.arrivalOf(block.times[block.count - 1]) - alert.maxAgeMs
  return blockFrom(block, Math.max(floor, oldest))
}

/** Takes an alert's state through the samples of a block. */
async function applyBlock(
  deps: EvaluateDeps,
  loaded: LoadedAlert,
  { block, holds, conditions }: JudgedBlock,
): Promise<void> {
  const { states, catalog } = deps
  const { handle, count, times, numbers, texts } = block
  const begun = states.stateOf(loaded.ref, handle)
  if (begun.state === 'OK' && !holds.includes(1)) return
  const { clear } = conditions
  const clears =
    clear === undefined ? undefined : await judgeBlock(deps, loaded, { block, condition: clear })
  const { index } = catalog
  const active = loaded.activeTimesIn(index.componentOf(handle).timeZone)
  const shift = index.kindOf(handle) === INTERVAL ? 1 : 0
  let state = begun
  for (let row = 0; row < count; row += 1) {
    const isActive = active === undefined || active.periodOf(times[row] - shift) !== undefined
    const sample = {
      time: times[row],
      value: valueText(texts?.[row] ?? numbers[row], index.valueCodeOf(handle)),
      holds: isActive && holds[row] === 1,
      clears: !isActive || clears === undefined || clears[row] === 1,
    }
    const next = afterSample(state, sample, loaded.alert.forMs)
    if (next === undefined) continue
    const isEnded = !isActive && next.event !== undefined
    states.note(loaded, handle, isEnded ? { ...next, event: 'inactive' } : next)
    state = states.stateOf(loaded.ref, handle)
  }
}
