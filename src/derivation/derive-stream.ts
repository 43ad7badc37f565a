/** Derives stretches of one stream and stores what came out. */
import { createHash } from 'node:crypto'
import {
  EARLIEST_TIME,
  type EpochMs,
  epochMs,
  nextIteration,
  refuse,
  TIME_END,
} from '../base/index.ts'
import { type Feed, keptFrom } from '../feed/index.ts'
import type { SampleBatch, SampleColumns, SampleStore, StreamHandle } from '../store/index.ts'
import type { Range } from '../time/index.ts'
import type { DerivationPlan } from './derivation-plan.ts'
import { differenceOf } from './difference-of.ts'
import { type DerivedBlock, deriveSpan } from './evaluate/derive-span.ts'
import type { EvaluationThread } from './evaluate/evaluation-thread.ts'
import { firstAppend } from './first-append.ts'
import { lastingUntil } from './lasting-results.ts'
import { typedPlan } from './settle-type.ts'
import type { StatusBook } from './status-book.ts'

/** What is derived is stored through. */
export interface DeriveDeps {
  readonly feed: Feed
  readonly store: SampleStore
  readonly status: StatusBook
  /** Evaluates formulas over long texts. */
  readonly thread?: EvaluationThread
}

/** What a run does between two blocks. */
export interface DeriveControl {
  /** Called with the time up to which results are durable. Returns false to end after the current block. */
  onBlock(until: number): boolean | Promise<boolean>
  /** Asked before a block is evaluated: true ends the run without it. */
  readonly isOver?: () => boolean
}

/** How a run ended. */
interface RunResult {
  /** Samples that were stored. */
  readonly samples: number
  /** All results before this time are stored. */
  readonly until: number
  /** False when it was ended before it was through. */
  readonly isThrough: boolean
  /** The earliest time at which the stream is another; undefined where it is the same. */
  readonly changedFrom: number | undefined
}

/** A row that fails costs many times one that does not: where these are many, and at first, blocks are shorter. */
const FAILURES_MANY = 500
const SHORT_BLOCK_ROWS = 2_048
/** Behind a block of hardly more than gaps the next samples are looked for soon: each of them costs one block. */
const SPARSE_BLOCK_ROWS = 256

const NOTHING: RunResult = {
  samples: 0,
  until: TIME_END,
  isThrough: true,
  changedFrom: undefined,
}

const UNTIL_THROUGH: DeriveControl = { onBlock: () => true }

/**
 * Derives what lies after the newest sample of a stream, as far as its sources let it be known for good.
 * `touchedFrom` is where a source was appended to: of a stream without samples nothing earlier is derived.
 */
export async function deriveAppended(
  deps: DeriveDeps,
  plan: DerivationPlan,
  touchedFrom: number,
  control: DeriveControl = UNTIL_THROUGH,
): Promise<RunResult> {
  const { store, status } = deps
  const sources = [...new Set(plan.variables.map(({ handle }) => handle))]
  const options = { isTimesOnly: true }
  const [own, ...newest] = await store.latest([plan.handle, ...sources], options)
  const touched = await touchedBehindLeft(deps, plan, touchedFrom)
  if (touched === undefined) return NOTHING
  const start = await status.startOf(plan.handle, touched.first, sourcesKey(plan))
  const settled = settledBy(plan, newest)
  if (settled === undefined) return NOTHING
  // With ANY a source that lags behind makes results where there could be none without it.
  const first = plan.trigger === 'ANY' ? Math.min(start, touched.from) : start
  const from = Math.max(first, own === undefined ? EARLIEST_TIME : own.time + 1)
  // What is put while this reads is left to the run that it asks for: it may be seen in part only.
  const span = await keptSpan(deps, plan.handle, { from, until: settled })
  if (from >= settled) return NOTHING
  const result = await run(deps, plan, span, { control, isReplacing: false })
  // One that was ended goes on from there, also where all of it failed and nothing was stored.
  await status.settle(plan.handle, result.isThrough ? settled : Math.min(result.until, settled))
  return result
}

/** Where sources were touched without what a formula leaves alone; undefined when only that was. */
async function touchedBehindLeft(
  { store, status }: DeriveDeps,
  plan: DerivationPlan,
  touchedFrom: number,
): Promise<{ readonly first: number; readonly from: number } | undefined> {
  const isOld =
    plan.leftAlone.size === 0 || (await status.hasSettled(plan.handle, sourcesKey(plan)))
  if (isOld) return { first: touchedFrom, from: touchedFrom }
  const first = await firstAppend(store, plan)
  return first === undefined ? undefined : { first, from: Math.max(first, touchedFrom) }
}

/**
 * Derives a span of results again: what the stream had there and does not come out any more goes. Results stay
 * whose samples grew too old: see lastingUntil.
 */
export async function deriveAgain(
  deps: DeriveDeps,
  plan: DerivationPlan,
  asked: Range,
  control: DeriveControl = UNTIL_THROUGH,
): Promise<RunResult> {
  const kept = await keptSpan(deps, plan.handle, asked)
  const span = { ...kept, from: Math.max(kept.from, await lastingUntil(deps, plan)) }
  await deps.status.reopen(plan.handle, span.from)
  return await run(deps, plan, span, { control, isReplacing: true })
}

const KEYS = new WeakMap<DerivationPlan, string>()

/** Which streams a plan reads, by which trigger and behind which samples, in a short text. */
export function sourcesKey(plan: DerivationPlan): string {
  const known = KEYS.get(plan)
  if (known !== undefined) return known
  const sources = [...new Set(plan.variables.map(({ handle }) => handle))].sort((a, b) => a - b)
  const left = sources.map((handle) => plan.leftAlone.get(handle) ?? '')
  const begun = plan.leftAlone.size === 0 ? '' : ` ${left.join()}`
  const text = `${plan.trigger} ${sources.join()}${begun}`
  const key = createHash('sha256').update(text).digest('base64url')
  KEYS.set(plan, key)
  return key
}

/** The time before which no append can change results; undefined while there can be none. */
export function settledBy(
  { trigger }: Pick<DerivationPlan, 'trigger'>,
  newest: readonly ({ readonly time: EpochMs } | undefined)[],
): number | undefined {
  const times = newest.flatMap((sample) => (sample === undefined ? [] : [sample.time]))
  if (times.length === 0 || (trigger === 'ALL' && times.length < newest.length)) return undefined
  return (trigger === 'ALL' ? Math.min(...times) : Math.max(...times)) + 1
}

/** The part of a span in which a stream keeps samples: others would go at once. */
async function keptSpan({ feed }: DeriveDeps, handle: StreamHandle, span: Range): Promise<Range> {
  const rule = await feed.retention.ruleOf(handle)
  if (rule === undefined) return span
  return { from: Math.max(span.from, keptFrom(rule, feed.now())), until: span.until }
}

interface RunOptions {
  readonly control: DeriveControl
  readonly isReplacing: boolean
}

async function run(
  deps: DeriveDeps,
  plan: DerivationPlan,
  { from, until }: Range,
  { control, isReplacing }: RunOptions,
): Promise<RunResult> {
  const end = epochMs(Math.min(until, TIME_END))
  let at = epochMs(Math.max(from, EARLIEST_TIME))
  let [samples, changedFrom]: [number, number | undefined] = [0, undefined]
  let blockRows: number | undefined = SHORT_BLOCK_ROWS
  let typed = await typedPlan(deps.feed.catalog, plan)
  // The next block is evaluated while this one becomes durable; it is stored only after it.
  let storing: Promise<Stored> = Promise.resolve({ count: 0, changedFrom: undefined })
  const takeIn = async () => {
    const stored = await storing
    samples += stored.count
    changedFrom ??= stored.changedFrom
  }
  try {
    while (at < end) {
      const { isOver } = control
      const next = await nextBlock(deps, typed, { from: at, until: end, blockRows, isOver })
      const { block } = next
      if (block.until <= at) {
        await takeIn()
        return { samples, until: at, isThrough: false, changedFrom }
      }
      typed = next.plan
      const span = { from: at, until: block.until }
      blockRows = rowsAfter(block)
      await takeIn()
      storing = store(deps, typed, { block, span, isReplacing })
      storing.catch(() => {})
      at = block.until
      // This block may be lost with the process until it is stored: only those before it count.
      const mayGoOn = await control.onBlock(span.from)
      if (!mayGoOn && at < end) {
        await takeIn()
        return { samples, until: at, isThrough: false, changedFrom }
      }
      await nextIteration()
    }
    await takeIn()
    return { samples, until: end, isThrough: true, changedFrom }
  } finally {
    // The next run of the stream finds nothing of this run still on its way.
    await storing.catch(() => {})
  }
}

/** How many rows the block behind one has at most; undefined: as many as usual. */
function rowsAfter({ failures, fittingRows, isMostlyEmpty }: DerivedBlock): number | undefined {
  const fewer = failures.count > FAILURES_MANY ? SHORT_BLOCK_ROWS : undefined
  const rows = isMostlyEmpty ? SPARSE_BLOCK_ROWS : fewer
  // A block whose texts turn out to be too long is read once more, in vain so far.
  return fittingRows === undefined ? rows : Math.min(fittingRows, rows ?? fittingRows)
}

interface NextBlock {
  readonly from: EpochMs
  readonly until: EpochMs
  readonly blockRows: number | undefined
  readonly isOver: DeriveControl['isOver']
}

/** Evaluates the next block; the first results of a stream without a type determine it. */
async function nextBlock(
  deps: DeriveDeps,
  plan: DerivationPlan,
  { from, until, ...options }: NextBlock,
): Promise<{ readonly block: DerivedBlock; readonly plan: DerivationPlan }> {
  const span = { from, until }
  const block = await deriveSpan({ ...deps, ...options }, plan, span)
  if (plan.valueType !== '' || block.samples.count === 0) return { block, plan }
  const typed = await typedPlan(deps.feed.catalog, plan, block.valueType)
  if (typed.valueType === block.valueType || typed.valueType === '') return { block, plan: typed }
  // Another call was first: what is evaluated is settled to the type that it gave.
  return { block: await deriveSpan({ ...deps, ...options }, typed, span), plan: typed }
}

interface Outcome {
  readonly block: DerivedBlock
  readonly span: Range
  readonly isReplacing: boolean
}

interface Stored {
  /** How many samples that took. */
  readonly count: number
  readonly changedFrom: number | undefined
}

/** Stores a block where it differs from what is there. */
async function store(
  deps: DeriveDeps,
  plan: DerivationPlan,
  { block, span, isReplacing }: Outcome,
): Promise<Stored> {
  const { samples, failures } = block
  const change = isReplacing
    ? await differenceOf(deps.store, plan.handle, { samples, span })
    : { samples, removal: undefined }
  const { count } = change.samples
  if (count > 0 || change.removal !== undefined) {
    const removals = change.removal === undefined ? [] : [change.removal]
    // Who has made it a plain stream may have put samples since; from here to the journal nothing comes between.
    if (!deps.feed.catalog.index.isDerived(plan.handle)) {
      refuse('conflict', { what: 'Cannot calculate: the stream is no longer derived' })
    }
    await deps.feed.append(batchOf(plan.handle, change.samples, removals), plan.orgUid)
  }
  if (count > 0 || failures.count > 0) {
    await deps.status.note(plan.handle, { samples: count, failures })
  }
  const times = [...change.samples.times.subarray(0, Math.min(1, count))]
  if (change.removal !== undefined) times.push(change.removal.from)
  return { count, changedFrom: times.length === 0 ? undefined : Math.min(...times) }
}

function batchOf(
  handle: StreamHandle,
  samples: SampleColumns,
  removals: SampleBatch['removals'],
): SampleBatch {
  const { count, times, numbers, texts } = samples
  return { count, handles: new Uint32Array(count).fill(handle), times, numbers, texts, removals }
}
