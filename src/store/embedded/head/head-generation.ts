import { EARLIEST_TIME, epochMs, growColumn, TIME_END } from '../../../base/plain.ts'
import type { Sample } from '../../ports/sample-port.ts'
import { BlockPool } from './block-pool.ts'
import type { SampleSink } from './sample-sink.ts'
import type { SlabPool } from './slab-pool.ts'
import { EMPTY_MASK, isMasked, type Mask, Tombstones } from './tombstones.ts'

/** What a text takes beside its characters, of which most take a byte. */
const TEXT_BYTES = 24

/** What an entry of a map takes. */
const SLOT_BYTES = 40

/** One sample's value as the head takes it: the text when there is one, else the number. */
type Value = { readonly number: number; readonly text: string | undefined }

/**
 * The samples and removals of one journal segment, in memory. Per stream a list of blocks in the
 * order of time; samples in order are a push, late ones go where they belong. A finger per stream
 * remembers where the last late sample or removal went, so that a stream filled from behind and
 * one with many gaps stay cheap.
 */
export class HeadGeneration {
  readonly tombstones = new Tombstones()
  /** The journal segment this generation stands for. */
  readonly segment: number
  /** Streams forgotten during this generation. */
  readonly forgotten = new Set<number>()
  readonly #slabs: SlabPool | undefined
  readonly #pool: BlockPool
  #specials: Specials | undefined
  #first = new Int32Array(1024)
  #last = new Int32Array(1024)
  #cursor = new Int32Array(1024)
  #lastTime = new Float64Array(1024)
  #samples = 0
  #textBytes = 0

  /** Takes memory from `slabs`, where given. */
  constructor(segment: number, slabs?: SlabPool) {
    this.segment = segment
    this.#slabs = slabs
    this.#pool = new BlockPool(slabs)
  }

  /** Samples put in so far, overwritten and removed ones included. */
  get samplesSeen(): number {
    return this.#samples + (this.#specials?.samples.samplesSeen ?? 0)
  }

  /** Empties the generation, which nobody may use from here on, and hands its memory over. */
  release(slabs: SlabPool): void {
    this.#first = new Int32Array(0)
    this.#pool.releaseSlabs(slabs)
    this.#specials?.samples.release(slabs)
    this.#specials = undefined
  }

  /** Bytes held, of texts those that were put so far. */
  get bytes(): number {
    const bytes = this.#pool.bytes + this.#first.length * 20 + this.#textBytes
    return bytes + (this.#specials?.bytes ?? 0)
  }

  /** One past the greatest handle that may have samples or removals. */
  get handleEnd(): number {
    return Math.max(this.#first.length, this.tombstones.handleEnd)
  }

  hasSamples(handle: number): boolean {
    return handle < this.#first.length && this.#first[handle] !== 0
  }

  /** The greatest time of a stream that has samples. */
  lastTimeOf(handle: number): number {
    return this.#lastTime[handle]
  }

  /** Adds a sample or replaces the one at its time. */
  put(handle: number, time: number, number: number, text: string | undefined): void {
    if (this.putLast(handle, time, number, text)) return
    this.#samples += 1
    this.#putLate(handle, time, { number, text })
  }

  /** Adds a sample if it comes after all others of its stream; returns whether it did. */
  putLast(handle: number, time: number, number: number, text: string | undefined): boolean {
    if (handle >= this.#first.length) this.#growHandles(handle + 1)
    const pool = this.#pool
    let block = this.#last[handle]
    if (block !== 0 && time <= this.#lastTime[handle]) return false
    if (block === 0 || pool.count[block] === pool.capacityOf(block)) {
      block = this.#addBlock(handle, block)
    }
    const slab = pool.slab[block]
    const slot = pool.start[block] + pool.count[block]
    pool.times[slab][slot] = time
    pool.numbers[slab][slot] = number
    if (text !== undefined) this.#putText(slab, slot, text)
    pool.count[block] += 1
    this.#lastTime[handle] = time
    this.#samples += 1
    return true
  }

  #putText(slab: number, slot: number, text: string): void {
    this.#pool.textsOf(slab)[slot] = text
    this.#textBytes += TEXT_BYTES + text.length
  }

  #addBlock(handle: number, last: number): number {
    const pool = this.#pool
    const added = pool.allocate(last === 0 ? 0 : pool.sizeClass[last] + 1)
    pool.prev[added] = last
    if (last === 0) this.#first[handle] = added
    else pool.next[last] = added
    this.#last[handle] = added
    return added
  }

  /** Drops what a removal covers and remembers it for what lies below this generation. */
  remove(handle: number, from: number, until: number): void {
    if (from >= until) return
    this.tombstones.add(handle, from, until)
    this.#specials?.remove(handle, from, until)
    this.drop(handle, from, until)
  }

  /** Drops samples that a removal covers. */
  drop(handle: number, from: number, until: number): void {
    if (!this.hasSamples(handle)) return
    let block = this.#blockOf(handle, from)
    const before = this.#pool.prev[block]
    while (block !== 0 && this.#timeAt(block, 0) < until) {
      const next = this.#pool.next[block]
      this.#removeInBlock(handle, block, { from, until })
      block = next
    }
    this.#cursor[handle] = before || this.#first[handle]
    const last = this.#last[handle]
    if (last !== 0) this.#lastTime[handle] = this.#timeAt(last, this.#pool.count[last] - 1)
  }

  /** Adds a special value or replaces the one at its time. Numbers stay until they are removed. */
  putSpecial(handle: number, time: number, code: number): void {
    this.#specials ??= new Specials(this.segment, this.#slabs)
    this.#specials.put(handle, time, code)
  }

  /** The special values of a stream, under the handle that they have there; undefined where it has none. */
  specialsOf(
    handle: number,
  ): { readonly samples: HeadGeneration; readonly slot: number } | undefined {
    return this.#specials?.of(handle)
  }

  /** The streams with special values, in no order. */
  get specialHandles(): Iterable<number> {
    return this.#specials?.handles ?? []
  }

  /** Drops a stream for good. */
  forget(handle: number): void {
    this.forgotten.add(handle)
    this.remove(handle, EARLIEST_TIME, TIME_END)
  }

  /** The latest sample of a stream that has any. */
  lastOf(handle: number): Sample {
    const pool = this.#pool
    const block = this.#last[handle]
    const slab = pool.slab[block]
    const slot = pool.start[block] + pool.count[block] - 1
    return {
      time: epochMs(this.#lastTime[handle]),
      value: pool.texts[slab]?.[slot] ?? pool.numbers[slab][slot],
    }
  }

  /**
   * Hands the stream's samples of from ≤ time < until that the mask does not hide to the sink,
   * oldest or latest first, until the sink has enough.
   */
  read(
    handle: number,
    query: { from: number; until: number; isLatestFirst: boolean },
    mask: Mask,
    sink: SampleSink,
  ): void {
    if (!this.hasSamples(handle)) return
    if (query.isLatestFirst) this.#readBackward(handle, query, mask, sink)
    else this.#readForward(handle, query, mask, sink)
  }

  /** Hands out every sample of a stream, oldest first. */
  readAll(handle: number, sink: SampleSink): void {
    const all = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
    this.read(handle, { ...all, isLatestFirst: false }, EMPTY_MASK, sink)
  }

  #readForward(
    handle: number,
    { from, until }: { from: number; until: number },
    mask: Mask,
    sink: SampleSink,
  ): void {
    const pool = this.#pool
    for (let block = this.#first[handle]; block !== 0; block = pool.next[block]) {
      const count = pool.count[block]
      if (this.#timeAt(block, count - 1) < from) continue
      const [slab, start] = [pool.slab[block], pool.start[block]]
      for (let slot = start; slot < start + count; slot += 1) {
        const time = pool.times[slab][slot]
        if (time < from) continue
        if (time >= until || sink.isFull) return
        if (mask.starts.length > 0 && isMasked(mask, time)) continue
        sink.push(time, pool.numbers[slab][slot], pool.texts[slab]?.[slot])
      }
    }
  }

  #readBackward(
    handle: number,
    { from, until }: { from: number; until: number },
    mask: Mask,
    sink: SampleSink,
  ): void {
    const pool = this.#pool
    for (let block = this.#last[handle]; block !== 0; block = pool.prev[block]) {
      if (this.#timeAt(block, 0) >= until) continue
      const [slab, start] = [pool.slab[block], pool.start[block]]
      for (let slot = start + pool.count[block] - 1; slot >= start; slot -= 1) {
        const time = pool.times[slab][slot]
        if (time >= until) continue
        if (time < from || sink.isFull) return
        if (mask.starts.length > 0 && isMasked(mask, time)) continue
        sink.push(time, pool.numbers[slab][slot], pool.texts[slab]?.[slot])
      }
    }
  }

  #timeAt(block: number, index: number): number {
    return this.#pool.times[this.#pool.slab[block]][this.#pool.start[block] + index]
  }

  /** The block in which a time lies or would lie, looked for from the finger on. */
  #blockOf(handle: number, time: number): number {
    const pool = this.#pool
    let block = this.#cursor[handle] || this.#last[handle]
    while (pool.prev[block] !== 0 && time < this.#timeAt(block, 0)) block = pool.prev[block]
    while (pool.next[block] !== 0 && time >= this.#timeAt(pool.next[block], 0)) {
      block = pool.next[block]
    }
    return block
  }

  #putLate(handle: number, time: number, value: Value): void {
    const pool = this.#pool
    let block = this.#blockOf(handle, time)
    let index = this.#lowerBound(block, time)
    const isThere = index < pool.count[block] && this.#timeAt(block, index) === time
    if (!isThere) {
      if (pool.count[block] === pool.capacityOf(block)) {
        const half = this.#split(handle, block)
        if (index > pool.count[block]) {
          index -= pool.count[block]
          block = half
        }
      }
      this.#openSlot(block, index)
    }
    this.#cursor[handle] = block
    const slab = pool.slab[block]
    const slot = pool.start[block] + index
    pool.times[slab][slot] = time
    pool.numbers[slab][slot] = value.number
    if (value.text !== undefined) this.#putText(slab, slot, value.text)
    else if (pool.texts[slab] !== undefined) pool.textsOf(slab)[slot] = undefined
  }

  #lowerBound(block: number, time: number): number {
    let low = 0
    let high = this.#pool.count[block]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#timeAt(block, middle) < time) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Moves the upper half of a full block to a block of the next size after it; returns that. */
  #split(handle: number, block: number): number {
    const pool = this.#pool
    const half = pool.allocate(pool.sizeClass[block])
    const keep = pool.count[block] >> 1
    const moved = pool.count[block] - keep
    pool.prev[half] = block
    pool.next[half] = pool.next[block]
    if (pool.next[block] === 0) this.#last[handle] = half
    else pool.prev[pool.next[block]] = half
    pool.next[block] = half
    this.#moveSlots({ block, index: keep }, { block: half, index: 0 }, moved)
    pool.count[block] = keep
    pool.count[half] = moved
    return half
  }

  #openSlot(block: number, index: number): void {
    const moved = this.#pool.count[block] - index
    if (moved > 0) this.#moveSlots({ block, index }, { block, index: index + 1 }, moved)
    this.#pool.count[block] += 1
  }

  #moveSlots(
    from: { block: number; index: number },
    to: { block: number; index: number },
    count: number,
  ): void {
    const pool = this.#pool
    const [fromSlab, toSlab] = [pool.slab[from.block], pool.slab[to.block]]
    const start = pool.start[from.block] + from.index
    const target = pool.start[to.block] + to.index
    pool.times[toSlab].set(pool.times[fromSlab].subarray(start, start + count), target)
    pool.numbers[toSlab].set(pool.numbers[fromSlab].subarray(start, start + count), target)
    const texts = pool.texts[fromSlab]
    if (texts === undefined && pool.texts[toSlab] === undefined) return
    const moved = texts?.slice(start, start + count)
    texts?.fill(undefined, start, start + count)
    const targets = pool.textsOf(toSlab)
    for (let index = 0; index < count; index += 1) targets[target + index] = moved?.[index]
  }

  #removeInBlock(handle: number, block: number, span: { from: number; until: number }): void {
    const pool = this.#pool
    const first = this.#lowerBound(block, span.from)
    const end = this.#lowerBound(block, span.until)
    if (end === first) return
    const count = pool.count[block]
    if (end < count) this.#moveSlots({ block, index: end }, { block, index: first }, count - end)
    pool.count[block] = count - (end - first)
    pool.texts[pool.slab[block]]?.fill(
      undefined,
      pool.start[block] + pool.count[block],
      pool.start[block] + count,
    )
    if (pool.count[block] === 0) this.#unlink(handle, block)
  }

  #unlink(handle: number, block: number): void {
    const pool = this.#pool
    const [prev, next] = [pool.prev[block], pool.next[block]]
    if (prev === 0) this.#first[handle] = next
    else pool.next[prev] = next
    if (next === 0) this.#last[handle] = prev
    else pool.prev[next] = prev
    pool.release(block)
  }

  #growHandles(length: number): void {
    this.#first = growColumn(this.#first, length)
    this.#last = growColumn(this.#last, this.#first.length)
    this.#cursor = growColumn(this.#cursor, this.#first.length)
    this.#lastTime = growColumn(this.#lastTime, this.#first.length)
  }
}

/**
 * The special values of a generation. Few streams have any, so that they are numbered as they come: columns by handle
 * would be as long as the greatest handle.
 */
class Specials {
  readonly samples: HeadGeneration
  readonly #slots = new Map<number, number>()

  constructor(segment: number, slabs: SlabPool | undefined) {
    this.samples = new HeadGeneration(segment, slabs)
  }

  get handles(): Iterable<number> {
    return this.#slots.keys()
  }

  get bytes(): number {
    return this.samples.bytes + this.#slots.size * SLOT_BYTES
  }

  put(handle: number, time: number, code: number): void {
    let slot = this.#slots.get(handle)
    if (slot === undefined) {
      slot = this.#slots.size + 1
      this.#slots.set(handle, slot)
    }
    this.samples.put(slot, time, code, undefined)
  }

  /** Removals hide what lies below a generation by the tombstones of the stream itself. */
  remove(handle: number, from: number, until: number): void {
    const slot = this.#slots.get(handle)
    if (slot !== undefined) this.samples.drop(slot, from, until)
  }

  of(handle: number): { readonly samples: HeadGeneration; readonly slot: number } | undefined {
    const slot = this.#slots.get(handle)
    return slot === undefined || !this.samples.hasSamples(slot)
      ? undefined
      : { samples: this.samples, slot }
  }
}
