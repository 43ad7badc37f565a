import assert from 'node:assert/strict'
import { type Summaries, writeSpecial } from '../../src/store/index.ts'
import { exactMean, exactSum } from '../support/exact-fractions.ts'

type Value = number | string

/** What a sample store should hold, kept as plainly as possible. */
export class SampleModel {
  readonly #streams = new Map<number, Map<number, Value>>()
  readonly #specials = new Map<number, Map<number, number>>()
  readonly #forgotten = new Set<number>()

  /** Puts the code of a special value in the place of what is there. */
  putSpecial(handle: number, time: number, code: number): void {
    if (this.#forgotten.has(handle)) return
    const specials = this.#specials.get(handle) ?? new Map<number, number>()
    this.#specials.set(handle, specials.set(time, code))
    this.#streams.get(handle)?.delete(time)
  }

  put(handle: number, time: number, value: Value): void {
    if (this.#forgotten.has(handle)) return
    const samples = this.#streams.getOrInsertComputed(handle, () => new Map<number, Value>())
    samples.set(time, value)
    this.#specials.get(handle)?.delete(time)
  }

  remove(handle: number, from: number, until: number): void {
    const samples = this.#streams.get(handle)
    for (const time of [...(samples?.keys() ?? [])]) {
      if (time >= from && time < until) samples?.delete(time)
    }
    const specials = this.#specials.get(handle)
    for (const time of [...(specials?.keys() ?? [])]) {
      if (time >= from && time < until) specials?.delete(time)
    }
  }

  forget(handle: number): void {
    this.#forgotten.add(handle)
    this.#streams.delete(handle)
    this.#specials.delete(handle)
  }

  /** The visible samples, oldest first. */
  read(handle: number): Array<[number, Value]> {
    return [...(this.#streams.get(handle) ?? [])].sort((a, b) => a[0] - b[0])
  }

  /** The samples as doubles with special values, oldest first: each as its time and the bits of its double. */
  readBits(handle: number): Array<[number, bigint]> {
    const numbers = this.read(handle).map(([time, value]): [number, bigint] => {
      return [time, bitsOf(Float64Array.of(Number(value)))]
    })
    const specials = [...(this.#specials.get(handle) ?? [])].map(
      ([time, code]): [number, bigint] => {
        const double = new Float64Array(1)
        writeSpecial(new Uint32Array(double.buffer), 0, code)
        return [time, bitsOf(double)]
      },
    )
    return [...numbers, ...specials].sort((a, b) => a[0] - b[0])
  }

  /** Compares each interval of a fold with what the samples say. */
  checkFold(handle: number, edges: Float64Array, actual: Summaries): void {
    checkRows(this.read(handle), edges, actual)
  }

  /** Checks that the rows of an outline are exact for where they say they lie, and leave nothing out. */
  checkOutline(handle: number, edges: Float64Array, actual: Summaries): void {
    const [from, until] = [edges[0], edges[edges.length - 1]]
    const inside = this.read(handle).filter(([time]) => time >= from && time < until)
    const looseMs = (until - from) / Math.min(actual.length, 1_000)
    let seen = 0
    let end = Number.NEGATIVE_INFINITY
    for (let row = 0; row < actual.length; row += 1) {
      if (actual.count[row] === 0) continue
      const [first, last] = [actual.firstTime[row], actual.lastTime[row]]
      assert.ok(first > end && first <= last, `row ${row} lies behind the one before`)
      assert.ok(
        first > edges[row] - looseMs && last < edges[row + 1] + looseMs,
        `row ${row} drifts`,
      )
      checkRows(inside, Float64Array.of(first, last + 1), oneRow(actual, row))
      seen += actual.count[row]
      end = last
    }
    assert.equal(seen, inside.length, 'samples of all rows')
  }
}

function bitsOf({ buffer }: Float64Array): bigint {
  return new BigUint64Array(buffer)[0]
}

function checkRows(
  all: ReadonlyArray<[number, Value]>,
  edges: Float64Array,
  actual: Summaries,
): void {
  let end = indexOf(all, edges[0])
  for (let row = 0; row < actual.length; row += 1) {
    const start = end
    end = indexOf(all, edges[row + 1], start)
    const inside = all.slice(start, end)
    assert.equal(actual.count[row], inside.length, `count of interval ${row}`)
    if (inside.length === 0) continue
    assert.deepEqual([actual.firstTime[row], actual.first[row]], inside[0])
    assert.deepEqual([actual.lastTime[row], actual.last[row]], inside[inside.length - 1])
    const numbers = inside.filter((one): one is [number, number] => typeof one[1] === 'number')
    assert.equal(actual.numberCount[row], numbers.length)
    if (numbers.length > 0) checkNumbers(numbers, actual, row)
  }
}

/** Where the first sample at or after a time is, of samples in order; none before `start` is. */
function indexOf(all: ReadonlyArray<[number, Value]>, time: number, start = 0): number {
  let [low, high] = [start, all.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (all[middle][0] < time) low = middle + 1
    else high = middle
  }
  return low
}

function oneRow(summaries: Summaries, row: number): Summaries {
  const columns = Object.entries(summaries).map(([name, column]) => [
    name,
    typeof column === 'number' ? 1 : column.slice(row, row + 1),
  ])
  return Object.fromEntries(columns)
}

function checkNumbers(numbers: Array<[number, number]>, actual: Summaries, row: number): void {
  const values = numbers.map((one) => one[1])
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  const min = numbers.find((one) => one[1] === lowest)
  const max = numbers.find((one) => one[1] === highest)
  assert.deepEqual([actual.minTime[row], actual.min[row]], min)
  assert.deepEqual([actual.maxTime[row], actual.max[row]], max)
  assert.equal(actual.sum[row], exactSum(values))
  assert.equal(actual.mean[row], exactMean(values))
}
