import { invariant, nextIteration } from '../../../base/index.ts'
import type { Sample, SampleBatch, SampleColumns } from '../../ports/sample-port.ts'
import type { DurableGroup } from '../journal/journal.ts'
import type { JournalRecord } from '../journal/record.ts'
import { applyRecord, applyRemovals, applySamples, applySpecials } from './apply-record.ts'
import { HandleSet } from './handle-set.ts'
import { HeadGeneration } from './head-generation.ts'
import { SampleSink } from './sample-sink.ts'
import { SlabPool } from './slab-pool.ts'
import { EMPTY_MASK, type Mask, uniteMasks } from './tombstones.ts'

/** A batch beyond this is put in steps, so that other requests are served in between. */
const SAMPLES_PER_STEP = 5_000

/** What the head holds of a stream: parts, newest generation first, and what it hides below. */
interface HeadView {
  readonly parts: SampleColumns[]
  readonly mask: Mask
}

/** What the head alone can say of a stream's latest sample. */
interface HeadLatest {
  readonly sample: Sample | undefined
  /** A sample below the head that is earlier may be removed; +Infinity: all of them are. */
  readonly removedUntil: number
  /** The latest time at which the head has a sample that a removal may hide. */
  readonly uncertainTime: number
}

/** Which samples a read wants. */
export interface ReadSpan {
  readonly from: number
  readonly until: number
  readonly limit: number
  readonly isLatestFirst: boolean
  /** Whether no value is wanted. */
  readonly isTimesOnly?: boolean
}

/** What is being applied in steps: reads of its streams wait, so that nobody sees a part of it. */
interface PartialGroup {
  readonly handles: HandleSet
  readonly isWhole: Promise<void>
}

/** Everything that is durable in the journal and not yet sealed: a generation per segment. */
export class Head {
  /** Oldest first; the last one belongs to the segment being written. */
  #generations: HeadGeneration[] = []
  #applying: Promise<void> | undefined
  #partial: PartialGroup | undefined
  readonly #slabs = new SlabPool()
  readonly #onClosed: (generation: HeadGeneration) => void
  #lastReplayed: HeadGeneration | undefined

  /** Calls `onClosed` with each generation that a later one follows: its segment may be sealed. */
  constructor(onClosed: (generation: HeadGeneration) => void) {
    this.#onClosed = onClosed
  }

  get generations(): readonly HeadGeneration[] {
    return this.#generations
  }

  /** Takes a generation that was replayed from its segment, which the caller has sealed later. */
  addReplayed(generation: HeadGeneration): void {
    this.#addGeneration(generation)
    this.#lastReplayed = generation
  }

  #addGeneration(generation: HeadGeneration): void {
    const newest = this.#generations.at(-1)
    invariant(
      newest === undefined || newest.segment < generation.segment,
      'head generations must come in the order of their segments',
    )
    this.#generations = [...this.#generations, generation]
  }

  /** Lets go of a generation whose segment is sealed; reads have copied what they took from it. */
  dropGeneration(segment: number): void {
    const isKept = (generation: HeadGeneration): boolean => generation.segment !== segment
    for (const generation of this.#generations) {
      if (!isKept(generation)) generation.release(this.#slabs)
    }
    this.#generations = this.#generations.filter(isKept)
  }

  /**
   * Applies what became durable, in journal order, and calls `onApplied` before a read can see
   * it. Returns undefined when that is done at once, and a promise when the group is long or one
   * before it is still being applied.
   */
  apply(group: DurableGroup, onApplied: () => void = () => {}): Promise<void> | undefined {
    if (this.#applying === undefined && stepsOf(group) <= SAMPLES_PER_STEP) {
      const generation = this.#generationOf(group.segment)
      for (const record of group.records) applyRecord(generation, record)
      onApplied()
      return undefined
    }
    const before = this.#applying ?? Promise.resolve()
    const applied = before.then(() => this.#applyInSteps(group, onApplied))
    this.#applying = applied
    return applied.finally(() => {
      if (this.#applying === applied) this.#applying = undefined
    })
  }

  /**
   * What a read of a stream has to wait for; undefined, as nearly always, when it can be done at
   * once. Who waits asks again: another long group may have begun.
   */
  whenWhole(handle: number): Promise<void> | undefined {
    const partial = this.#partial
    return partial?.handles.has(handle) ? partial.isWhole : undefined
  }

  /** The head's samples of a stream inside a span, each part at most `limit`, ascending. */
  view(handle: number, span: ReadSpan): HeadView {
    const parts: SampleColumns[] = []
    let mask: Mask = EMPTY_MASK
    for (let index = this.#generations.length - 1; index >= 0; index -= 1) {
      const generation = this.#generations[index]
      if (generation.hasSamples(handle)) {
        const sink = new SampleSink(span.limit)
        generation.read(handle, span, mask, sink)
        if (sink.count > 0) parts.push(span.isLatestFirst ? sink.reversed() : sink.columns())
      }
      if (generation.tombstones.has(handle)) {
        mask = uniteMasks(mask, generation.tombstones.maskOf(handle))
      }
    }
    return { parts, mask }
  }

  /** Whether the head has special values of a stream, removed ones too. */
  hasSpecials(handle: number): boolean {
    return this.#generations.some((generation) => generation.specialsOf(handle) !== undefined)
  }

  /** As view(), of the special values of a stream. Removals of the stream hide them, too. */
  viewSpecials(handle: number, span: ReadSpan): HeadView {
    const parts: SampleColumns[] = []
    let mask: Mask = EMPTY_MASK
    for (let index = this.#generations.length - 1; index >= 0; index -= 1) {
      const generation = this.#generations[index]
      const specials = generation.specialsOf(handle)
      if (specials !== undefined) {
        const sink = new SampleSink(span.limit)
        specials.samples.read(specials.slot, span, mask, sink)
        if (sink.count > 0) parts.push(span.isLatestFirst ? sink.reversed() : sink.columns())
      }
      if (generation.tombstones.has(handle)) {
        mask = uniteMasks(mask, generation.tombstones.maskOf(handle))
      }
    }
    return { parts, mask }
  }

  /** The latest sample that no removal hides, and what may stand against it: nothing is decoded. */
  latest(handle: number): HeadLatest {
    let sample: Sample | undefined
    let removedUntil = Number.NEGATIVE_INFINITY
    let uncertainTime = Number.NEGATIVE_INFINITY
    for (let index = this.#generations.length - 1; index >= 0; index -= 1) {
      const generation = this.#generations[index]
      if (generation.hasSamples(handle)) {
        const time = generation.lastTimeOf(handle)
        if (time < removedUntil) uncertainTime = Math.max(uncertainTime, time)
        else if (sample === undefined || time > sample.time) sample = generation.lastOf(handle)
      }
      if (!generation.tombstones.has(handle)) continue
      if (generation.tombstones.coversAllTime(handle)) {
        return { sample, removedUntil: Number.POSITIVE_INFINITY, uncertainTime }
      }
      removedUntil = Math.max(removedUntil, generation.tombstones.endOf(handle))
    }
    return { sample, removedUntil, uncertainTime }
  }

  async #applyInSteps(group: DurableGroup, onApplied: () => void): Promise<void> {
    const generation = this.#generationOf(group.segment)
    const { promise: isWhole, resolve: release } = Promise.withResolvers<void>()
    this.#partial = { handles: handlesOf(group), isWhole }
    for (const record of group.records) await this.#applySteps(generation, record)
    onApplied()
    // Those who wait read before the next group begins: what they await settles first.
    this.#partial = undefined
    release()
  }

  async #applySteps(generation: HeadGeneration, record: JournalRecord): Promise<void> {
    const { batch } = record
    const isForgetting = record.kind === 'forget'
    if (isForgetting || sizeOf(batch) <= SAMPLES_PER_STEP) {
      applyRecord(generation, record)
      return
    }
    const { removals } = batch
    const apply = record.kind === 'specials' ? applySpecials : applySamples
    for (let end = removals.length; end > 0; end -= SAMPLES_PER_STEP) {
      applyRemovals(generation, removals.slice(Math.max(0, end - SAMPLES_PER_STEP), end))
      await nextIteration()
    }
    for (let start = 0; start < batch.count; start += SAMPLES_PER_STEP) {
      const end = Math.min(start + SAMPLES_PER_STEP, batch.count)
      apply(generation, batch, { start, end })
      await nextIteration()
    }
  }

  #generationOf(segment: number): HeadGeneration {
    const newest = this.#generations.at(-1)
    if (newest !== undefined && newest.segment === segment) return newest
    const generation = new HeadGeneration(segment, this.#slabs)
    this.#addGeneration(generation)
    if (newest !== undefined && newest !== this.#lastReplayed) this.#onClosed(newest)
    return generation
  }
}

function sizeOf(batch: SampleBatch): number {
  return batch.count + batch.removals.length
}

function stepsOf(group: DurableGroup): number {
  let steps = 0
  for (const { batch } of group.records) steps += sizeOf(batch)
  return steps
}

/** The streams that a group changes. */
function handlesOf(group: DurableGroup): HandleSet {
  const handles = new HandleSet()
  for (const { batch } of group.records) {
    for (let index = 0; index < batch.count; index += 1) handles.add(batch.handles[index])
    for (const { handle } of batch.removals) handles.add(handle)
  }
  return handles
}
