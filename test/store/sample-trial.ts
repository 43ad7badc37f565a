/** Random operations on a sample store against a plain model, with seals and restarts between. */
import assert from 'node:assert/strict'
import { EARLIEST_TIME, epochMs, TIME_END } from '../../src/base/index.ts'
import { readWithSpecials } from '../../src/feed/get/read-with-specials.ts'
import { removalsFor } from '../../src/feed/points/special-points.ts'
import type { SampleStore } from '../../src/store/index.ts'
import type { Random } from '../support/random.ts'
import { batch, read, stream } from '../support/samples.ts'
import { SampleModel } from './sample-model.ts'
import { checkWindows } from './window-model.ts'

const STREAMS = 5
const SPAN = 20_000

/** Texts that look like numbers to somebody, and others. */
const TEXTS = [
  '',
  'on',
  'off',
  'ünïcode',
  '\0',
  '5',
  '5.0',
  '1e5',
  ' 5',
  '5 ',
  '+5',
  '-0',
  '.5',

  '5.',
  '0x1',
  '1e400',
  '-1e400',
  'NaN',
  'Infinity',
  '9007199254740993',
  '007.50',
  'x'.repeat(300),
  '9223372036854775807',
  '-9223372036854775809',
  '123456789012345678901234567890.123456789',
]

/** The infinities, Prometheus' stale marker and NaN, and a NaN with a sign. */
const SPECIAL_CODES = [0, -1, 2, 2 ** 51 + 1, -(2 ** 51) - 1]

type Row = [handle: number, time: number, value: number | string]
type Cut = [handle: number, from: number, until: number]

/** A store that a trial works on. */
export interface TriedStore {
  /** Opens it over what it held before. */
  open(): Promise<SampleStore>
  /** Brings what was appended to where it rests. */
  seal(store: SampleStore, handles: readonly number[]): Promise<void>
}

/** A store and a model that live the same random life. */
export class SampleTrial {
  readonly #random: Random
  readonly #tried: TriedStore
  readonly #model = new SampleModel()
  readonly #textShare: number
  #handles = Array.from({ length: STREAMS }, (_, index) => index + 1)
  #nextHandle = STREAMS + 1
  #clock = SPAN
  #store: SampleStore | undefined

  constructor(tried: TriedStore, random: Random, textShare: number) {
    this.#tried = tried
    this.#random = random
    this.#textShare = textShare
  }

  /** Does `steps` random things. Compares with the model every `checkEvery` steps. */
  async run(steps: number, checkEvery = 5): Promise<void> {
    await this.#open()
    for (let step = 1; step <= steps; step += 1) {
      await this.#step()
      if (step % checkEvery === 0) await this.#check()
    }
    await this.#check()
  }

  async dispose(): Promise<void> {
    await this.#store?.close()
  }

  get store(): SampleStore {
    assert.ok(this.#store)
    return this.#store
  }

  async #open(): Promise<void> {
    this.#store = await this.#tried.open()
  }

  #value(): number | string {
    const random = this.#random
    if (random.next() < this.#textShare) return random.pick(TEXTS)
    return random.pick([-0, 0, 1, random.integer(-1e6, 1e6) / 1000, random.integer(0, 100)])
  }

  async #step(): Promise<void> {
    const random = this.#random
    const choice = random.next()
    if (choice < 0.3) await this.#append(this.#rowsInOrder(random.integer(1, 40)))
    else if (choice < 0.38) await this.#append(this.#rowsInOrder(random.integer(400, 6000)))
    else if (choice < 0.41) await this.#putSpecials(this.#rowsInOrder(random.integer(1, 10)))
    else if (choice < 0.44) await this.#putSpecials(this.#rowsInOrder(random.integer(400, 2000)))
    else if (choice < 0.5) await this.#putSpecials(this.#rowsAnywhere(random.integer(1, 60)))
    else if (choice < 0.6) await this.#append(this.#rowsAnywhere(random.integer(1, 60)))
    else if (choice < 0.7) await this.#append(this.#rowsAnywhere(3), [this.#cut(), this.#cut()])
    else if (choice < 0.75) await this.#replacePoint()
    else if (choice < 0.8) await this.#remove()
    else if (choice < 0.83) await this.#removeOld()
    else if (choice < 0.84) await this.#forget()
    else if (choice < 0.95) await this.#tried.seal(this.store, this.#handles)
    else {
      await this.store.close()
      await this.#open()
    }
  }

  #rowsInOrder(count: number): Row[] {
    const handle = this.#random.pick(this.#handles)
    return Array.from({ length: count }, () => {
      this.#clock += this.#random.integer(1, 4)
      return [handle, this.#clock, this.#value()]
    })
  }

  #rowsAnywhere(count: number): Row[] {
    return Array.from({ length: count }, () => [
      this.#random.pick(this.#handles),
      this.#random.integer(0, this.#clock),
      this.#value(),
    ])
  }

  #cut(): Cut {
    const from = this.#random.integer(0, this.#clock)
    const length = this.#random.pick([1, 50, 3000, this.#clock])
    return [this.#random.pick(this.#handles), from, from + length]
  }

  /** Puts special values in the place of rows, of several at one time the last. */
  async #putSpecials(rows: readonly Row[]): Promise<void> {
    const codes = new Map<string, [handle: number, time: number, code: number]>()
    for (const [handle, time] of rows) {
      const code = this.#random.pick(SPECIAL_CODES)
      if (mayHaveSpecials(handle)) codes.set(`${handle} ${time}`, [handle, time, code])
    }
    const specials = batch([...codes.values()])
    const removals = await removalsFor(this.store, specials)
    await this.store.appendSpecials({ ...specials, removals })
    for (const [handle, time, code] of codes.values()) this.#model.putSpecial(handle, time, code)
  }

  async #append(rows: Row[], asked: Cut[] = []): Promise<void> {
    const cuts = asked.filter(([handle]) => !mayHaveSpecials(handle))
    await this.store.append(batch(rows, cuts))
    for (const [handle, from, until] of cuts) this.#model.remove(handle, from, until)
    for (const [handle, time, value] of rows) this.#model.put(handle, time, value)
  }

  async #replacePoint(): Promise<void> {
    const [row] = this.#rowsAnywhere(1)
    if (mayHaveSpecials(row[0])) return
    await this.#append([row], [[row[0], EARLIEST_TIME, TIME_END]])
  }

  async #remove(): Promise<void> {
    const [handle, from, until] = this.#cut()
    await this.store.remove({ handle: stream(handle), from: epochMs(from), until: epochMs(until) })
    this.#model.remove(handle, from, until)
  }

  /** As a delete profile does. */
  async #removeOld(): Promise<void> {
    const handle = this.#random.pick(this.#handles)
    const until = epochMs(this.#random.integer(0, this.#clock))
    const isWanted = this.#random.next() < 0.8
    const removal = { handle: stream(handle), from: EARLIEST_TIME, until }
    await this.store.remove(removal, () => isWanted)
    if (isWanted) this.#model.remove(handle, EARLIEST_TIME, until)
  }

  async #forget(): Promise<void> {
    const handle = this.#random.pick(this.#handles)
    await this.store.forget([stream(handle)])
    this.#model.forget(handle)
    this.#handles = this.#handles.map((known) => (known === handle ? this.#nextHandle : known))
    this.#nextHandle += 1
  }

  async #check(): Promise<void> {
    for (let handle = 1; handle < this.#nextHandle; handle += 1) await this.#checkStream(handle)
    assert.deepEqual(this.store.status(), {
      readOnlyReason: undefined,
      isSealingStuck: false,
      damages: [],
    })
  }

  async #checkStream(handle: number): Promise<void> {
    const { store } = this
    const random = this.#random
    const expected = this.#model.read(handle)
    assert.deepEqual(await read(store, handle), expected, `stream ${handle}`)
    const [latest] = await store.latest([stream(handle)])
    const last = expected.at(-1)
    assert.deepEqual(latest && [latest.time, latest.value], last)
    const span = await store.span(stream(handle))
    assert.deepEqual(span && [span.firstTime, span.lastTime], last && [expected[0][0], last[0]])
    assert.deepEqual(await this.#readBits(handle), this.#model.readBits(handle))
    const from = random.integer(-10, this.#clock)
    const until = from + random.pick([0, 10, 1000, this.#clock])
    const limit = random.pick([1, 7, 1000])
    const bits = this.#model.readBits(handle).filter(([time]) => time >= from && time < until)
    assert.deepEqual(await this.#readBits(handle, { from, until, limit }), bits.slice(0, limit))
    const inside = expected.filter(([time]) => time >= from && time < until)
    assert.deepEqual(await read(store, handle, { from, until, limit }), inside.slice(0, limit))
    const latestFirst = await read(store, handle, { from, until, limit, order: 'latest_first' })
    assert.deepEqual(latestFirst, inside.reverse().slice(0, limit))
    const width = random.pick([97, 1000, 60_000, 3_600_000])
    const edges = Float64Array.from({ length: 30 }, (_, index) => from + index * width)
    this.#model.checkFold(handle, edges, await store.fold(stream(handle), edges))
    this.#model.checkOutline(handle, edges, await store.outline(stream(handle), edges))
    await this.#checkWindows(handle)
  }

  /** Windows of PromQL from summaries have the bits of those from samples. */
  async #checkWindows(handle: number): Promise<void> {
    const random = this.#random
    const bits = this.#model.readBits(handle)
    const texts = this.#model.read(handle).filter(([, value]) => typeof value === 'string')
    const inner = bits.length === 0 ? 0 : random.pick(bits)[0]
    // Many edges fall on the times of samples.
    const firstFrom = random.pick([inner, inner - 1, random.integer(-10, this.#clock), -1e13])
    const windowMs = random.pick([1, 3, 97, 1000, 60_000, 1e13])
    const windowCount = random.pick([1, 1, 2, 40])
    const asked = { firstFrom, windowMs, windowCount, handles: [stream(handle)] }
    await checkWindows(this.store, { bits, textTimes: texts.map(([time]) => time) }, asked)
  }

  async #readBits(
    handle: number,
    query = { from: EARLIEST_TIME as number, until: TIME_END as number, limit: Infinity },
  ): Promise<Array<[number, bigint]>> {
    const { count, times, values } = await readWithSpecials(this.store, stream(handle), query)
    const bits = new BigUint64Array(values.slice(0, count).buffer)
    return Array.from({ length: count }, (_, at) => [times[at], bits[at]])
  }
}

/** Only some streams have special values: those where append() makes no removals. */
function mayHaveSpecials(handle: number): boolean {
  return handle % 2 === 1
}
