import { epochMs, invariant, isSampleTime, refuse } from '../../src/base/index.ts'
import { ForeignWrites } from '../../src/store/embedded/samples/foreign-writes.ts'
import {
  type Amendment,
  type LatestOptions,
  NO_ROOM,
  type RangeQuery,
  type Removal,
  type Sample,
  type SampleBatch,
  type SampleColumns,
  type SampleSpan,
  type SampleStore,
  type StoreStatus,
  type StreamFollow,
  type StreamHandle,
  type Summaries,
  type TextMemory,
  type TouchedSpan,
} from '../../src/store/index.ts'
import { exactMean, exactSum } from './exact-fractions.ts'

type Value = number | string

const NO_SAMPLES = {
  count: 0,
  handles: new Uint32Array(0),
  times: new Float64Array(0),
  numbers: new Float64Array(0),
}

/**
 * A SampleStore in a few maps: slow and plain, for tests of what stands on the port. It keeps the
 * port's contract, except that its samples live as long as the object.
 */
export class PlainSampleStore implements SampleStore {
  readonly #streams = new Map<number, Map<number, Value>>()
  readonly #specials = new Map<number, Map<number, number>>()
  readonly #forgotten = new Set<number>()
  readonly #touched: TouchedSpan[] = []
  #watched: ReadonlySet<number> = new Set()
  readonly #follows = new Set<Map<StreamHandle, TouchedSpan | undefined>>()

  readonly #foreign = new ForeignWrites()

  keepRoom() {
    return NO_ROOM
  }

  async append(batch: SampleBatch): Promise<void> {
    this.#check(batch)
    this.#foreign.note(batch)
    for (const removal of batch.removals) this.#remove(removal)
    for (let i = 0; i < batch.count; i++) {
      const [handle, time] = [batch.handles[i] as StreamHandle, batch.times[i]]
      const value = batch.texts?.[i]?.toWellFormed() ?? batch.numbers[i]
      this.#samples(handle).set(time, value)
      this.#touch({ handle, from: epochMs(time), until: epochMs(time + 1) })
    }
  }

  async appendSpecials(batch: SampleBatch): Promise<void> {
    this.#check(batch)
    for (const removal of batch.removals) this.#remove(removal)
    for (let i = 0; i < batch.count; i++) {
      const specials = this.#specials.get(batch.handles[i]) ?? new Map<number, number>()
      this.#specials.set(batch.handles[i], specials.set(batch.times[i], batch.numbers[i]))
    }
  }

  async amend(span: Removal, make: () => Promise<Amendment>): Promise<SampleBatch> {
    using foreign = this.#foreign.open(span)
    const { batch, isSpecial = false } = await make()
    const appended = foreign.without(batch)
    await (isSpecial ? this.appendSpecials(appended) : this.append(appended))
    return appended
  }

  async specials(handle: StreamHandle, { from, until, limit, order }: RangeQuery) {
    const all = [...(this.#specials.get(handle) ?? [])]
      .filter(([time]) => time >= from && time < until)
      .sort(([a], [b]) => (order === 'latest_first' ? b - a : a - b))
      .slice(0, limit)
    return {
      count: all.length,
      times: Float64Array.from(all, ([time]) => time),
      numbers: Float64Array.from(all, ([, code]) => code),
    }
  }

  async range(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns> {
    const some = await counted(query.memory, () => {
      const all = this.#sorted(handle, query.from, query.until)
      if (query.order === 'latest_first') all.reverse()
      return all.slice(0, query.limit)
    })
    return {
      count: some.length,
      times: Float64Array.from(some, ([time]) => time),
      numbers: Float64Array.from(some, ([, value]) => Number(value)),
      texts: some.map(([, value]) => (typeof value === 'string' ? value : undefined)),
    }
  }

  async latest(
    handles: readonly StreamHandle[],
    { memory }: LatestOptions = {},
  ): Promise<ReadonlyArray<Sample | undefined>> {
    const found = await counted(memory, () => handles.map((one) => this.#sorted(one).at(-1)))
    return found.map((last) => {
      return last === undefined ? undefined : { time: epochMs(last[0]), value: last[1] }
    })
  }

  async span(handle: StreamHandle): Promise<SampleSpan | undefined> {
    const all = this.#sorted(handle)
    const [first, last] = [all.at(0), all.at(-1)]
    if (first === undefined || last === undefined) return undefined
    return { firstTime: epochMs(first[0]), lastTime: epochMs(last[0]) }
  }

  async fold(handle: StreamHandle, edges: Float64Array): Promise<Summaries> {
    const length = Math.max(0, edges.length - 1)
    const column = (): Float64Array => new Float64Array(length)
    const [count, numberCount, sum, mean] = [column(), column(), column(), column()]
    const [min, minTime] = [column(), column()]
    const [max, maxTime, firstTime, lastTime] = [column(), column(), column(), column()]
    const first: Value[] = []
    const last: Value[] = []
    const all = this.#sorted(handle, edges[0], edges[length])
    for (let i = 0, from = 0; i < length; i++) {
      if (edges[i] >= edges[i + 1]) throw new Error('BUG: edges do not ascend')
      let until = from
      while (until < all.length && all[until][0] < edges[i + 1]) until++
      const samples = all.slice(from, until)
      from = until
      const numbers = samples.filter(([, value]) => typeof value === 'number') as [number, number][]
      count[i] = samples.length
      numberCount[i] = numbers.length
      sum[i] = exactSum(numbers.map(([, value]) => value))
      mean[i] = exactMean(numbers.map(([, value]) => value))
      min[i] = numbers.reduce((least, [, value]) => Math.min(least, value), Infinity)
      max[i] = numbers.reduce((most, [, value]) => Math.max(most, value), -Infinity)
      minTime[i] = numbers.find(([, value]) => value === min[i])?.[0] ?? Number.NaN
      maxTime[i] = numbers.find(([, value]) => value === max[i])?.[0] ?? Number.NaN
      firstTime[i] = samples.at(0)?.[0] ?? Number.NaN
      lastTime[i] = samples.at(-1)?.[0] ?? Number.NaN
      first.push(samples.at(0)?.[1] ?? Number.NaN)
      last.push(samples.at(-1)?.[1] ?? Number.NaN)
    }
    const times = { minTime, maxTime, firstTime, lastTime }
    return { length, count, numberCount, sum, mean, min, max, first, last, ...times }
  }

  outline(handle: StreamHandle, edges: Float64Array): Promise<Summaries> {
    return this.fold(handle, edges)
  }

  windows(handle: StreamHandle, edges: Float64Array): Promise<Summaries> {
    return this.fold(handle, edges)
  }

  async remove(removal: Removal, isWanted = () => true): Promise<boolean> {
    if (!isWanted()) return false
    await this.append({ ...NO_SAMPLES, removals: [removal] })
    return true
  }

  async forget(handles: readonly StreamHandle[]): Promise<void> {
    for (const handle of handles) {
      this.#streams.delete(handle)
      this.#specials.delete(handle)
      this.#forgotten.add(handle)
    }
  }

  async touchedSince(
    cursor: number,
    limit: number,
  ): Promise<{ spans: TouchedSpan[]; cursor: number }> {
    const from = cursor > this.#touched.length ? 0 : cursor
    const spans = this.#touched.slice(from, from + limit)
    return { spans, cursor: from + spans.length }
  }

  async watch(handles: readonly StreamHandle[]): Promise<void> {
    this.#watched = new Set(handles)
  }

  watchAlso(handle: StreamHandle): void {
    this.#watched = new Set([...this.#watched, handle])
  }

  follow(): StreamFollow {
    const followed = new Map<StreamHandle, TouchedSpan | undefined>()
    this.#follows.add(followed)
    return {
      add: (handle) => void followed.set(handle, followed.get(handle)),
      delete: (handle) => void followed.delete(handle),
      take: () => {
        const spans = [...followed.values()].filter((span) => span !== undefined)
        for (const { handle } of spans) followed.set(handle, undefined)
        return spans
      },
      close: () => void this.#follows.delete(followed),
    }
  }

  status(): StoreStatus {
    return { readOnlyReason: undefined, isSealingStuck: false, damages: [] }
  }

  async close(): Promise<void> {}

  #check({ count, handles, times, numbers, texts, removals }: SampleBatch): void {
    for (let i = 0; i < count; i++) {
      invariant(handles[i] > 0, 'a sample needs a stream')
      invariant(isSampleTime(times[i]), 'a sample needs a whole time')
      const isValue = texts?.[i] !== undefined || Number.isFinite(numbers[i])
      invariant(isValue, 'a sample is a text or a finite number')
    }
    const named = [...handles.subarray(0, count), ...removals.map(({ handle }) => handle)]
    if (named.some((handle) => this.#forgotten.has(handle))) {
      refuse('conflict', {
        what: 'A stream was deleted while the request was running. Send it again',
      })
    }
  }

  #remove({ handle, from, until }: Removal): void {
    for (const [time] of this.#sorted(handle, from, until)) this.#samples(handle).delete(time)
    const specials = this.#specials.get(handle)
    for (const time of [...(specials?.keys() ?? [])]) {
      if (time >= from && time < until) specials?.delete(time)
    }
    this.#touch({ handle, from, until })
  }

  #touch(span: TouchedSpan): void {
    if (this.#watched.has(span.handle)) this.#touched.push(span)
    const { handle } = span
    for (const followed of this.#follows) {
      if (!followed.has(handle)) continue
      const known = followed.get(handle) ?? span
      const from = epochMs(Math.min(known.from, span.from))
      const until = epochMs(Math.max(known.until, span.until))
      followed.set(handle, { handle, from, until })
    }
  }

  #samples(handle: number): Map<number, Value> {
    return this.#streams.getOrInsertComputed(handle, () => new Map<number, Value>())
  }

  #sorted(handle: number, from = -Infinity, until = Infinity): [number, Value][] {
    return [...this.#samples(handle)]
      .filter(([time]) => time >= from && time < until)
      .sort(([a], [b]) => a - b)
  }
}

/** Samples once their texts are counted; looked up again after a wait. */
async function counted<T extends readonly [number, Value] | undefined>(
  memory: TextMemory | undefined,
  find: () => T[],
): Promise<T[]> {
  const heldBefore = memory?.bytes ?? 0
  for (;;) {
    const found = find()
    const texts = found.map((sample) => (typeof sample?.[1] === 'string' ? sample[1] : ''))
    const waiting = memory?.resize(heldBefore + 2 * texts.join('').length)
    if (waiting === undefined) return found
    await waiting
  }
}
