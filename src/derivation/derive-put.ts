/** Derives within the call that put the samples: along dependents, level by level. */
import type { Clock } from '../base/index.ts'
import type { StreamIndex } from '../catalog/index.ts'
import type { DeriveLimits } from '../feed/put/index.ts'
import type { SampleBatch, StreamHandle } from '../store/index.ts'
import { type DerivationGraph, type DerivationPlan, isProblem } from './derivation-plan.ts'

/** Dependents that are looked at to find an order; those beyond are left to the background. */
const REACHED_MAX = 1_000

/** What a run asks between two blocks. */
interface BlockControl {
  /** False: it has to end there. */
  onBlock(): Promise<boolean>
  /** Whether no block may be begun any more. */
  isOver(): boolean
  /** How long the call has left. */
  msLeft(): number
}

/** What derivation within a call works with. */
interface PutDeriveDeps {
  readonly clock: Clock
  readonly graph: DerivationGraph
  readonly index: StreamIndex
  readonly locks: { isLocked(componentUid: string): Promise<boolean> }
  /** Derives and stores what news of sources, each from a time on, make of a stream; returns the time from which it changed. */
  readonly deriveAppended: (
    plan: DerivationPlan,
    news: ReadonlyMap<StreamHandle, number>,
    control: BlockControl,
  ) => Promise<{ readonly changedFrom: number | undefined }>
  /** Called with what failed; the call goes on without it. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Derives streams that depend on those of a batch which has landed, each after the streams it reads. A
 * branch ends where a component is locked, derivation fails or nothing new came out; all of it ends at the
 * limits. Those that wait for the same streams only are derived side by side, and become durable together.
 */
export async function derivePut(
  deps: PutDeriveDeps,
  batch: SampleBatch,
  { streamsMax, deadline }: DeriveLimits,
): Promise<void> {
  const { clock, graph } = deps
  if (graph.isEmpty) return
  /** Where each stream with news has them. */
  const touched = touchedSources(graph, batch)
  if (touched.size === 0) return
  let left = streamsMax
  for (const level of levelsFrom(graph, [...touched.keys()])) {
    if (left <= 0 || clock.elapsed() >= deadline) return
    const due = level.flatMap((derived) => {
      const news = newsOf(graph.sourcesOf(derived), touched)
      return news.size === 0 ? [] : [{ derived, news }]
    })
    const chosen = due.slice(0, left)
    left -= chosen.length
    const changed = await Promise.all(chosen.map((one) => deriveOne(deps, one, deadline)))
    for (const [at, { derived }] of chosen.entries()) {
      const from = changed[at]
      if (from !== undefined) touched.set(derived, from)
    }
  }
}

/** The earliest new sample of each stream of a batch from which others are derived. */
function touchedSources(
  graph: DerivationGraph,
  { count, handles, times }: SampleBatch,
): Map<StreamHandle, number> {
  const touched = new Map<StreamHandle, number>()
  let [before, isSource] = [0, false]
  for (let at = 0; at < count; at++) {
    const handle = handles[at] as StreamHandle
    if (handle !== before) {
      before = handle
      isSource = graph.hasDependents(handle)
    }
    if (!isSource) continue
    const known = touched.get(handle) ?? Number.POSITIVE_INFINITY
    if (times[at] < known) touched.set(handle, times[at])
  }
  return touched
}

/** What is new of some sources. */
function newsOf(
  sources: readonly StreamHandle[],
  touched: ReadonlyMap<StreamHandle, number>,
): ReadonlyMap<StreamHandle, number> {
  const news = new Map<StreamHandle, number>()
  for (const source of sources) {
    const from = touched.get(source)
    if (from !== undefined) news.set(source, from)
  }
  return news
}

/** Streams that depend on some, in levels: each stands behind all that it reads of the others. */
function* levelsFrom(
  graph: DerivationGraph,
  sources: readonly StreamHandle[],
): Iterable<StreamHandle[]> {
  const reached = new Set<StreamHandle>()
  const queue = [...sources]
  for (let at = 0; at < queue.length && reached.size < REACHED_MAX; at++) {
    for (const derived of graph.dependentsOf(queue[at])) {
      if (reached.has(derived) || reached.size >= REACHED_MAX) continue
      reached.add(derived)
      queue.push(derived)
    }
  }
  /** How many streams that were reached each one waits for. */
  const waitsFor = new Map<StreamHandle, number>()
  for (const derived of reached) {
    const own = graph.sourcesOf(derived).filter((source) => reached.has(source))
    waitsFor.set(derived, own.length)
  }
  let level = [...reached].filter((derived) => waitsFor.get(derived) === 0)
  // A loop, which records do not let be, leaves nothing ready.
  while (level.length > 0) {
    yield level
    const next: StreamHandle[] = []
    for (const derived of level.flatMap((one) => graph.dependentsOf(one))) {
      const left = (waitsFor.get(derived) ?? 0) - 1
      waitsFor.set(derived, left)
      if (left === 0) next.push(derived)
    }
    level = next
  }
}

interface DueStream {
  readonly derived: StreamHandle
  readonly news: ReadonlyMap<StreamHandle, number>
}

/** From where on a stream is another; undefined where it is the same. */
async function deriveOne(
  { clock, graph, index, locks, deriveAppended, onFailure }: PutDeriveDeps,
  { derived, news }: DueStream,
  deadline: number,
): Promise<number | undefined> {
  try {
    if (!index.has(derived)) return undefined
    const { uid } = index.componentOf(derived)
    const msLeft = () => deadline - clock.elapsed()
    const isOver = () => msLeft() <= 0
    const onBlock = async () => !isOver() && !(await locks.isLocked(uid))
    if (!(await onBlock())) return undefined
    const plan = await graph.planOf(derived)
    // What a formula reads may be much to look up.
    if (isProblem(plan) || isOver()) return undefined
    return (await deriveAppended(plan, news, { onBlock, isOver, msLeft })).changedFrom
  } catch (error) {
    // The samples of the call are stored: the background tries again, and reports what stays wrong.
    if (index.has(derived)) onFailure(error)
    return undefined
  }
}
