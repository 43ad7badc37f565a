import { nextIteration } from '../../../base/index.ts'
import { emptyColumns } from '../../embedded/chunk/index.ts'
import type { Removal, SampleBatch, SampleColumns } from '../../ports/sample-port.ts'

/** Samples looked at before others get a turn: some milliseconds. */
const SAMPLES_PER_SLICE = 65_536

/** What one call does to one stream: the removals first, then samples that ascend. */
export interface StreamRun {
  readonly handle: number
  readonly removals: readonly Removal[]
  readonly columns: SampleColumns
}

/** Where the samples of each stream lie in the batch, in the order they came. */
interface Grouped {
  readonly slots: Map<number, number>
  readonly starts: Int32Array
  readonly order: Int32Array
}

/** Parts a call by stream, each stream's samples in order; of several at one time the last stays. */
export async function groupRuns(batch: SampleBatch): Promise<StreamRun[]> {
  const { slots, starts, order } = await group(batch)
  const removals = Map.groupBy(batch.removals, ({ handle }) => handle as number)
  const runs: StreamRun[] = []
  let work = 0
  for (const [handle, slot] of slots) {
    const indexes = order.subarray(starts[slot], starts[slot + 1])
    const columns = orderColumns(batch, indexes)
    runs.push({ handle, columns, removals: removals.get(handle) ?? [] })
    removals.delete(handle)
    work += indexes.length
    if (work >= SAMPLES_PER_SLICE) {
      await nextIteration()
      work = 0
    }
  }
  for (const [handle, some] of removals) {
    runs.push({ handle, removals: some, columns: emptyColumns })
  }
  return runs
}

async function group({ count, handles }: SampleBatch): Promise<Grouped> {
  const slots = new Map<number, number>()
  const slotOf = new Int32Array(count)
  const counts: number[] = []
  for (let at = 0; at < count; at += 1) {
    const handle = handles[at]
    let slot = at > 0 && handles[at - 1] === handle ? slotOf[at - 1] : slots.get(handle)
    if (slot === undefined) {
      slot = slots.size
      slots.set(handle, slot)
      counts.push(0)
    }
    slotOf[at] = slot
    counts[slot] += 1
    if (at % SAMPLES_PER_SLICE === SAMPLES_PER_SLICE - 1) await nextIteration()
  }
  const starts = new Int32Array(counts.length + 1)
  for (const [slot, some] of counts.entries()) starts[slot + 1] = starts[slot] + some
  const ends = starts.slice()
  const order = new Int32Array(count)
  for (let at = 0; at < count; at += 1) {
    order[ends[slotOf[at]]++] = at
    if (at % SAMPLES_PER_SLICE === SAMPLES_PER_SLICE - 1) await nextIteration()
  }
  return { slots, starts, order }
}

function orderColumns(batch: SampleBatch, indexes: Int32Array): SampleColumns {
  const places = isAscending(batch.times, indexes) ? indexes : sortedLast(batch.times, indexes)
  const count = places.length
  const times = new Float64Array(count)
  const numbers = new Float64Array(count)
  let texts: Array<string | undefined> | undefined
  for (let at = 0; at < count; at += 1) {
    const place = places[at]
    times[at] = batch.times[place]
    const text = batch.texts?.[place]
    if (text === undefined) numbers[at] = batch.numbers[place]
    else {
      texts ??= new Array<string | undefined>(count).fill(undefined)
      texts[at] = text.toWellFormed()
    }
  }
  return { count, times, numbers, texts }
}

function isAscending(times: Float64Array, indexes: Int32Array): boolean {
  for (let at = 1; at < indexes.length; at += 1) {
    if (times[indexes[at]] <= times[indexes[at - 1]]) return false
  }
  return true
}

/** The indexes in the order of time, of equal times the last only. */
function sortedLast(times: Float64Array, indexes: Int32Array): Int32Array {
  const sorted = indexes.slice().sort((a, b) => times[a] - times[b] || a - b)
  let kept = 0
  for (let at = 0; at < sorted.length; at += 1) {
    const isLast = at + 1 === sorted.length || times[sorted[at + 1]] !== times[sorted[at]]
    if (isLast) sorted[kept++] = sorted[at]
  }
  return sorted.subarray(0, kept)
}
