import { type Clock, epochMs, nextIteration, refuse } from '../base/index.ts'
import type {
  CorrectionBlock,
  HistoryJob,
  HistoryWork,
  JobBook,
  JobControl,
} from '../derivation/index.ts'
import type {
  BlobStore,
  Removal,
  SampleBatch,
  SampleColumns,
  SampleStore,
  StreamHandle,
} from '../store/index.ts'
import type { BlockSamples } from './block-codec.ts'
import { type CorrectionRule, correctedValue } from './correction.ts'
import { readBlock, writeBlock } from './correction-blocks.ts'

/** Samples of a block: few enough to be changed between two looks at other calls, some hundred kB. */
const BLOCK_SAMPLES = 20_000
/** The same of texts, each of which may be long. */
const BLOCK_TEXTS = 1_000

/** What a correction needs of the store. */
export type CorrectedSamples = Pick<SampleStore, 'amend' | 'range' | 'specials'>

interface WorkDeps {
  readonly blobs: Pick<BlobStore, 'put' | 'read' | 'delete'>
  readonly book: JobBook
  readonly clock: Clock
  readonly hasTexts: (handle: StreamHandle) => boolean
  readonly store: CorrectedSamples
}

/** Changes the samples of a range block by block; each block is kept as it was before it is changed. */
export function correctionWork(deps: WorkDeps): HistoryWork {
  return {
    check: async () => {},
    run: async (handle, job, control) => {
      const { correction } = job
      if (correction === undefined) return refuse('conflict', { what: 'The job has no correction' })
      const rule = { action: correction.action, value: correction.value }
      const run = new CorrectionRun(deps, { handle, job, control, rule })
      await run.run(correction.undoUntil !== null)
    },
  }
}

interface RunParts {
  readonly handle: StreamHandle
  readonly job: HistoryJob
  readonly control: JobControl
  readonly rule: CorrectionRule
}

class CorrectionRun {
  readonly #deps: WorkDeps
  readonly #parts: RunParts
  #blocks: readonly CorrectionBlock[]
  #done: number

  constructor(deps: WorkDeps, parts: RunParts) {
    this.#deps = deps
    this.#parts = parts
    this.#blocks = parts.job.blocks ?? []
    this.#done = parts.job.done
  }

  async run(canUndo: boolean): Promise<void> {
    const { job, control } = this.#parts
    let at: number = job.at
    while (at < job.until && !control.isOver) {
      const block = this.#blocks.find(({ from }) => from === at) ?? (await this.#take(at))
      if (block === undefined) return
      const before = await readBlock(this.#deps.blobs, block)
      await changeBlock(this.#deps.store, this.#parts, block, before)
      this.#done += block.count
      at = block.until
      if (!canUndo) this.#blocks = this.#blocks.filter((one) => one !== block)
      const total = Math.max(job.total, this.#done)
      const mayGoOn = await control.keep({ at, done: this.#done, total, blocks: this.#blocks })
      if (!canUndo) await this.#deps.blobs.delete(block.blob.key)
      if (!mayGoOn) return
      await nextIteration()
    }
  }

  /** Keeps the next samples as they are; undefined where there are none. */
  async #take(from: number): Promise<CorrectionBlock | undefined> {
    const { store, blobs, hasTexts } = this.#deps
    const { handle, job, control } = this.#parts
    const limit = hasTexts(handle) ? BLOCK_TEXTS : BLOCK_SAMPLES
    const samples = await readOldest(store, handle, { from, until: job.until, limit })
    const isLast = samples.count < limit
    const until = isLast ? job.until : samples.times[samples.count - 1] + 1
    const specials = await specialsOf(store, handle, { from, until })
    if (samples.count + specials.count === 0) return undefined
    const block = await writeBlock(blobs, { samples, specials }, { from, until })
    this.#blocks = [...this.#blocks, block]
    await control.keep({ blocks: this.#blocks })
    return block
  }
}

interface Span {
  readonly from: number
  readonly until: number
}

type Reads = Pick<SampleStore, 'range' | 'specials'>

async function readOldest(
  store: Reads,
  handle: StreamHandle,
  { from, until, limit }: Span & { readonly limit: number },
): Promise<SampleColumns> {
  const span = { from: epochMs(from), until: epochMs(until) }
  return await store.range(handle, { ...span, limit, order: 'oldest_first' })
}

async function specialsOf(
  store: Reads,
  handle: StreamHandle,
  { from, until }: Span,
): Promise<SampleColumns> {
  const span = { from: epochMs(from), until: epochMs(until) }
  return await store.specials(handle, { ...span, limit: BLOCK_SAMPLES, order: 'oldest_first' })
}

/** The samples of a span by time, as they are. */
async function currentOf(
  store: Reads,
  handle: StreamHandle,
  { from, until, limit }: Span & { readonly limit: number },
): Promise<Map<number, number | string>> {
  const found = await readOldest(store, handle, { from, until, limit })
  const current = new Map<number, number | string>()
  for (let at = 0; at < found.count; at++) current.set(found.times[at], valueAt(found, at))
  return current
}

function valueAt({ numbers, texts }: SampleColumns, at: number): number | string {
  return texts?.[at] ?? numbers[at]
}

/** More than the samples of a block: others may write into its span meanwhile. */
const LOOKED_MAX = 10 * BLOCK_SAMPLES

/** Changes the samples of a block that are still as they were. */
async function changeBlock(
  store: CorrectedSamples,
  { handle, rule }: RunParts,
  span: Span,
  { samples }: BlockSamples,
): Promise<void> {
  await store.amend(removalOf(handle, span), async () => {
    const current = await currentOf(store, handle, { ...span, limit: LOOKED_MAX })
    if (rule.action === 'delete') {
      const removals = knownSpans(span, { samples, current }).map((one) => removalOf(handle, one))
      return { batch: batchOf(handle, { times: [], values: [] }, removals) }
    }
    const changed = pick(samples, (time, before) => {
      const after = correctedValue(rule, before)
      return Object.is(current.get(time), before) ? after : undefined
    })
    return { batch: batchOf(handle, changed) }
  })
}

/** A block without the samples that came or changed meanwhile. */
function knownSpans(
  { from, until }: Span,
  {
    samples,
    current,
  }: {
    readonly samples: SampleColumns
    readonly current: ReadonlyMap<number, number | string>
  },
): Span[] {
  const known = new Map<number, number | string>()
  for (let at = 0; at < samples.count; at++) known.set(samples.times[at], valueAt(samples, at))
  const spans: Span[] = []
  let begin = from
  const foreign = [...current].filter(([time, value]) => !Object.is(known.get(time), value))
  for (const [time] of [...foreign, [until] as const]) {
    if (begin < time) spans.push({ from: begin, until: time })
    begin = time + 1
  }
  return spans
}

/** Puts the samples of a block back, where nobody has written since. Returns how many were left as they are. */
export async function restoreBlock(
  { store }: Pick<WorkDeps, 'store'>,
  { handle, rule }: Pick<RunParts, 'handle' | 'rule'>,
  span: Span,
  { samples, specials }: BlockSamples,
): Promise<number> {
  let left = 0
  let restored = 0
  const place = removalOf(handle, span)
  const { count } = await store.amend(place, async () => {
    const current = await currentOf(store, handle, { ...span, limit: LOOKED_MAX })
    const ours = pick(samples, (time, before) => {
      const isOurs = Object.is(current.get(time), correctedValue(rule, before))
      if (!isOurs && !Object.is(current.get(time), before)) left += 1
      return isOurs ? before : undefined
    })
    restored = ours.times.length
    return { batch: batchOf(handle, ours) }
  })
  left += restored - count
  if (rule.action !== 'delete' || specials.count === 0) return left
  await store.amend(place, async () => {
    const current = await currentOf(store, handle, { ...span, limit: LOOKED_MAX })
    const now = await specialsOf(store, handle, span)
    const there = new Set(now.times.subarray(0, now.count))
    const back = pick(specials, (time, code) =>
      current.has(time) || there.has(time) ? undefined : code,
    )
    return { batch: batchOf(handle, back), isSpecial: true }
  })
  return left
}

function removalOf(handle: StreamHandle, { from, until }: Span): Removal {
  return { handle, from: epochMs(from), until: epochMs(until) }
}

interface Picked {
  readonly times: number[]
  readonly values: (number | string)[]
}

/** The samples that get a value. */
function pick(
  columns: SampleColumns,
  change: (time: number, before: number | string) => number | string | undefined,
): Picked {
  const picked: Picked = { times: [], values: [] }
  for (let at = 0; at < columns.count; at++) {
    const value = change(columns.times[at], valueAt(columns, at))
    if (value === undefined) continue
    picked.times.push(columns.times[at])
    picked.values.push(value)
  }
  return picked
}

function batchOf(
  handle: StreamHandle,
  { times, values }: Picked,
  removals: readonly Removal[] = [],
): SampleBatch {
  const count = times.length
  const hasTexts = values.some((value) => typeof value === 'string')
  return {
    count,
    handles: new Uint32Array(count).fill(handle),
    times: Float64Array.from(times),
    numbers: Float64Array.from(values, (value) => (typeof value === 'string' ? 0 : value)),
    ...(hasTexts
      ? { texts: values.map((value) => (typeof value === 'string' ? value : undefined)) }
      : {}),
    removals,
  }
}
