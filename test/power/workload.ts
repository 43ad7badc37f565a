import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { EARLIEST_TIME, epochMs, TIME_END } from '../../src/base/index.ts'
import type { SampleStore } from '../../src/store/index.ts'
import type { Random } from '../support/random.ts'
import { batch, read, readSpecials, stream } from '../support/samples.ts'

type Value = number | string
type Row = [handle: number, time: number, value: Value]
type Cut = [handle: number, from: number, until: number]

/** One thing asked of the store, all of which is kept or none. */
interface Change {
  readonly rows: readonly Row[]
  readonly cuts: readonly Cut[]
  readonly forgotten: number | undefined
  /** Whether the rows have codes of special values, which go to the place of numbers. */
  readonly isSpecial?: boolean
}

type Samples = Map<number, Map<number, Value>>

const STREAMS = 3
const SPAN = 600

/** A special value among the samples that a store must hold. */
function specialOf(code: Value): string {
  return `special ${code}`
}

function applyChange(samples: Samples, { rows, cuts, forgotten, isSpecial }: Change): Samples {
  const touched = new Set([...rows, ...cuts].map(([handle]) => handle))
  const result = new Map(samples)
  for (const handle of touched) result.set(handle, new Map(samples.get(handle)))
  for (const [handle, from, until] of cuts) {
    const kept = result.get(handle)
    for (const time of kept?.keys() ?? []) if (time >= from && time < until) kept?.delete(time)
  }
  for (const [handle, time, value] of rows) {
    const kept = result.get(handle) ?? new Map<number, Value>()
    result.set(handle, kept.set(time, isSpecial === true ? specialOf(value) : value))
  }
  if (forgotten !== undefined) result.delete(forgotten)
  return result
}

/**
 * Streams that one caller writes, one change after the other: after a crash they hold everything that
 * was acknowledged and, whole or not at all, the one change that was not.
 */
export class Workload {
  readonly #random: Random
  #nextHandle: number
  #handles: number[]
  #samples: Samples = new Map()
  #pending: Change | undefined
  #clock = 0
  /** How many changes were acknowledged. */
  acknowledged = 0

  constructor(random: Random, firstHandle: number) {
    this.#random = random
    this.#handles = Array.from({ length: STREAMS }, (_, index) => firstHandle + index)
    this.#nextHandle = firstHandle + STREAMS
  }

  /** Makes a change at random; resolves when the store has acknowledged it. */
  async change(store: SampleStore): Promise<void> {
    const change = this.#makeChange()
    this.#pending = change
    await this.#send(store, change)
    this.#samples = applyChange(this.#samples, change)
    this.#pending = undefined
    this.acknowledged += 1
  }

  /** Holds the store against what it must hold; what it shows of the last change stays so. */
  async check(store: SampleStore): Promise<void> {
    const handles = new Set([...this.#samples.keys(), ...this.#handles])
    const found: Samples = new Map()
    for (const handle of handles) {
      const rows = await read(store, handle)
      const specials = await readSpecials(store, handle)
      const kept = new Map<number, Value>(specials.map(([time, code]) => [time, specialOf(code)]))
      for (const [time, value] of rows) kept.set(time, value)
      if (kept.size > 0) found.set(handle, kept)
      const [latest] = await store.latest([stream(handle)])
      assert.deepEqual(latest && [latest.time, latest.value], rows.at(-1), `latest of ${handle}`)
    }
    const without = this.#samples
    const pending = this.#pending
    this.#pending = undefined
    const has = sorted(found)
    if (isDeepStrictEqual(has, sorted(without))) return
    assert.ok(pending, describe(has, sorted(without)))
    const withPending = applyChange(without, pending)
    if (!isDeepStrictEqual(has, sorted(withPending))) {
      assert.fail(`${describe(has, sorted(without))}, nor with the change under way`)
    }
    this.#samples = withPending
  }

  async #send(store: SampleStore, { rows, cuts, forgotten, isSpecial }: Change): Promise<void> {
    if (forgotten !== undefined) {
      // Whether or not it is kept, the catalog never gives this handle again.
      this.#handles = this.#handles.map((handle) =>
        handle === forgotten ? this.#nextHandle : handle,
      )
      this.#nextHandle += 1
      await store.forget([stream(forgotten)])
    } else if (isSpecial === true) await store.appendSpecials(batch(rows, cuts))
    else if (rows.length > 0) await store.append(batch(rows, cuts))
    else {
      const [handle, from, until] = cuts[0]
      await store.remove({ handle: stream(handle), from: epochMs(from), until: epochMs(until) })
    }
  }

  #makeChange(): Change {
    const random = this.#random
    const choice = random.next()
    const none = { rows: [], cuts: [], forgotten: undefined }
    if (choice < 0.5) return { ...none, rows: this.#rowsInOrder(random.integer(1, 60)) }
    if (choice < 0.55) return { ...none, rows: this.#rowsInOrder(random.integer(200, 500)) }
    if (choice < 0.65) return { ...none, rows: this.#rowsAnywhere(random.integer(1, 40)) }
    if (choice < 0.75) return { ...none, ...this.#specials(random.integer(1, 40)) }
    if (choice < 0.85) return { ...none, rows: this.#rowsAnywhere(3), cuts: [this.#cut()] }
    if (choice < 0.9) return { ...none, rows: this.#point(), cuts: [this.#allOf(this.#handles[0])] }
    if (choice < 0.97) return { ...none, cuts: [this.#cut()] }
    return { ...none, forgotten: random.pick(this.#handles) }
  }

  #specials(count: number): Pick<Change, 'rows' | 'cuts' | 'isSpecial'> {
    const places = this.#rowsAnywhere(count)
    const rows = places.map(([handle, time]): Row => [handle, time, this.#random.integer(-2, 2)])
    return { rows, cuts: rows.map(([handle, time]) => [handle, time, time + 1]), isSpecial: true }
  }

  #point(): Row[] {
    return [[this.#handles[0], this.#random.integer(1, SPAN), this.#value()]]
  }

  #allOf(handle: number): Cut {
    return [handle, EARLIEST_TIME, TIME_END]
  }

  #cut(): Cut {
    const from = this.#random.integer(0, SPAN)
    return [this.#random.pick(this.#handles), from, from + this.#random.integer(1, SPAN / 2)]
  }

  #rowsInOrder(count: number): Row[] {
    return Array.from({ length: count }, (_, index) => {
      this.#clock = (this.#clock + 1) % SPAN
      return [this.#handles[index % STREAMS], this.#clock, this.#value()]
    })
  }

  #rowsAnywhere(count: number): Row[] {
    return Array.from({ length: count }, () => [
      this.#random.pick(this.#handles),
      this.#random.integer(0, SPAN),
      this.#value(),
    ])
  }

  #value(): Value {
    const random = this.#random
    if (random.next() < 0.03) return random.pick(['', 'on', 'ünïcode', '0'.repeat(600)])
    return random.pick([0, 1, random.integer(0, 100), random.integer(-1e6, 1e6) / 1000])
  }
}

function sorted(samples: Samples): Samples {
  const filled = [...samples].filter(([, kept]) => kept.size > 0)
  return new Map(
    filled.map(([handle, kept]) => [handle, new Map([...kept].sort((a, b) => a[0] - b[0]))]),
  )
}

/** The first difference, as whole streams are long. */
function describe(found: Samples, expected: Samples): string {
  for (const handle of new Set([...found.keys(), ...expected.keys()])) {
    const [has, must] = [found.get(handle), expected.get(handle)]
    for (const time of new Set([...(has?.keys() ?? []), ...(must?.keys() ?? [])])) {
      if (has?.get(time) === must?.get(time)) continue
      return `stream ${handle} has ${has?.get(time)} at ${time}, not ${must?.get(time)}`
    }
  }
  return 'the streams are the same'
}
