/**
 * A steady load on several processes of one cluster, and what must be stored after it: puts of known values,
 * overwrites, deletes of ranges, reads. A call that fails is made again until it is acknowledged, or given up.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../support/random.ts'
import { eventually } from '../../support/settle.ts'

/** Where the calls go; a process that was killed and started again has another address. */
export interface LoadTarget {
  url: string
  /** The cookie of a session, which holds in all processes. */
  cookie: string
}

const T0 = 1_767_225_600_000
/** Inside each minute, so that no sample lies on the border of two periods. */
const STEP_MS = 60_000
const OFFSET_MS = 30_000
const HOUR_MS = 3_600_000
/** Between two calls of a lane: a load beside which the machine has room for other tests. */
const PACE_MS = 50
const RETRY_MS = 100
/** Longer than any call may take: nodes are given 12 s each. */
const CALL_MS_MAX = 100_000
/** Of the calls that fail, the share that is not made again. */
const GIVEN_UP = 0.1

/** What may be stored at a time; undefined stands for nothing. One element: it must be. */
type Possible = ReadonlySet<number | undefined>

/** What was seen of the calls. */
export interface LoadCounts {
  acknowledged: number
  refused: number
  broken: number
  givenUp: number
  samples: number
  deletes: number
  reads: number
}

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: string
}

/** One caller with a stream of its own, one call at a time. */
export class FaultWorkload {
  readonly #targets: readonly LoadTarget[]
  readonly #random: Random
  readonly #name: string
  readonly #held = new Map<number, Possible>()
  readonly counts: LoadCounts = {
    acknowledged: 0,
    refused: 0,
    broken: 0,
    givenUp: 0,
    samples: 0,
    deletes: 0,
    reads: 0,
  }
  #next = 0
  #isEnding = false
  #running: Promise<void> | undefined
  #failure: unknown

  constructor(name: string, targets: readonly LoadTarget[], random: Random) {
    this.#name = name
    this.#targets = targets
    this.#random = random
  }

  /** Begins to call. */
  start(): void {
    this.#isEnding = false
    this.#running = this.#work().catch((error) => {
      this.#failure = error
    })
  }

  /** Ends after the call that is under way, which is made no second time; rejects when anything was wrong. */
  async stop(): Promise<void> {
    this.#isEnding = true
    await this.#running
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Waits until so many more calls were acknowledged, or something was wrong. */
  async goesOn(calls: number): Promise<void> {
    const wanted = this.counts.acknowledged + calls
    await eventually(() =>
      assert.ok(this.#failure !== undefined || this.counts.acknowledged >= wanted),
    )
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Holds what a process answers against what was acknowledged, and its statistics against the samples. */
  async check(target: LoadTarget): Promise<void> {
    const found = await this.#readAll(target)
    const invented = [...found].filter(([time, data]) => !this.#held.get(time)?.has(data))
    assert.deepEqual(
      invented,
      [],
      `${this.#name}: stored though never put, or overwritten or deleted`,
    )
    const lost = [...this.#held].filter(
      ([time, possible]) => !found.has(time) && !possible.has(undefined),
    )
    assert.deepEqual(lost, [], `${this.#name}: acknowledged and lost`)
    for (const stat of ['sum', 'max', 'nongapcount'] as const) {
      const reply = await this.#readPages(target, `/cycle/hour/stat/${stat}`)
      assert.deepEqual(reply, hourly(found, stat), `${this.#name}: ${stat}`)
    }
  }

  async #work(): Promise<void> {
    while (!this.#isEnding) {
      const dice = this.#random.next()
      if (this.#next === 0 || dice < 0.55) await this.#append()
      else if (dice < 0.75) await this.#overwrite()
      else if (dice < 0.87) await this.#remove()
      else await this.#look()
      await pause(PACE_MS)
    }
  }

  async #append(): Promise<void> {
    const from = this.#next
    this.#next += this.#random.integer(1, 40)
    await this.#put(range(from, this.#next))
  }

  async #overwrite(): Promise<void> {
    const from = this.#random.integer(0, this.#next)
    await this.#put(range(from, Math.min(this.#next, from + this.#random.integer(1, 10))))
  }

  async #put(places: readonly number[]): Promise<void> {
    const made = new Map(places.map((at) => [timeOf(at), this.#random.integer(-1_000, 1_000)]))
    const [compId, streamId] = ['faults', this.#name]
    const samples = [...made].map(([time, data]) => ({ compId, streamId, time, data }))
    const call = { method: 'PUT', path: '/api/feed', body: JSON.stringify(samples) }
    await this.#change(call, made)
    this.counts.samples += made.size
  }

  async #remove(): Promise<void> {
    const from = this.#random.integer(0, this.#next)
    const until = from + this.#random.integer(1, 30)
    const path = `${this.#path()}/feed?sd=${timeOf(from)}&ed=${timeOf(until)}`
    const gone = range(from, Math.min(until, this.#next)).map((at) => timeOf(at))
    await this.#change({ method: 'DELETE', path }, new Map(gone.map((time) => [time, undefined])))
    this.counts.deletes += 1
  }

  /** Reads amid the load must be answered as what is held, too: each lane has its stream to itself. */
  async #look(): Promise<void> {
    const target = this.#random.pick(this.#targets)
    const until = this.#random.integer(1, this.#next + 1)
    const from = Math.max(0, until - 60)
    const query = `sd=${timeOf(from)}&ed=${timeOf(until)}`
    const answer = await this.#ask(target, { method: 'GET', path: `${this.#path()}/feed?${query}` })
    if (answer === undefined) return
    this.counts.reads += 1
    const found = new Map(answer.map(({ time, data }) => [time, data]))
    for (const at of range(from, until)) {
      const [time, data] = [timeOf(at), found.get(timeOf(at))]
      const possible = this.#held.get(time) ?? new Set([undefined])
      assert.ok(possible.has(data), `${this.#name}: ${data} at ${time}, not ${[...possible]}`)
    }
  }

  /** Makes a change until it is acknowledged; one that is given up may have been made or not. */
  async #change(call: Call, made: ReadonlyMap<number, number | undefined>): Promise<void> {
    for (const [time, data] of made) {
      this.#held.set(time, new Set([...this.#possible(time), data]))
    }
    for (let tries = 0; ; tries++) {
      const target = this.#targets[(tries + this.#random.integer(0, 2)) % this.#targets.length]
      if ((await this.#ask(target, call)) !== undefined) break
      if (this.#isEnding || this.#random.next() < GIVEN_UP) {
        this.counts.givenUp += 1
        return
      }
      await pause(RETRY_MS)
    }
    for (const [time, data] of made) this.#held.set(time, new Set([data]))
    this.counts.acknowledged += 1
  }

  #possible(time: number): Possible {
    return this.#held.get(time) ?? new Set([undefined])
  }

  /** The answer of a call; undefined when the cluster is away or the process is gone. */
  async #ask(
    { url, cookie }: LoadTarget,
    { method, path, body }: Call,
  ): Promise<readonly { time: number; data: number }[] | undefined> {
    let status: number
    let text: string
    try {
      const headers = { Cookie: cookie, 'Content-Type': 'application/json' }
      const signal = AbortSignal.timeout(CALL_MS_MAX)
      const answer = await fetch(`${url}${path}`, { method, body, headers, signal })
      status = answer.status
      text = await answer.text()
      if (status === 503) assert.ok(answer.headers.has('retry-after'), `${path}: ${text}`)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      assert.notEqual((error as Error).name, 'TimeoutError', `${method} ${path} hangs`)
      this.counts.broken += 1
      return undefined
    }
    if (status === 503) {
      this.counts.refused += 1
      return undefined
    }
    assert.equal(status, 200, `${method} ${path}: ${text}`)
    return method === 'GET' ? JSON.parse(text) : []
  }

  async #readAll(target: LoadTarget): Promise<Map<number, number>> {
    return new Map((await this.#readPages(target, '')).map(([time, data]) => [time, data]))
  }

  async #readPages(target: LoadTarget, what: string): Promise<[number, number][]> {
    const found: [number, number][] = []
    for (let until = timeOf(this.#next) + HOUR_MS; ; ) {
      const path = `${this.#path()}${what}/feed?sd=${T0}&ed=${until}&limit=1000&retIntvlSd`
      const page = await eventually(async () => {
        const answer = await this.#ask(target, { method: 'GET', path })
        assert.ok(answer !== undefined)
        return answer as readonly { time: number; data: number; sdTime?: number }[]
      })
      found.push(...page.map(({ time, data }): [number, number] => [time, data]))
      if (page.length < 1_000) return found
      until = page[page.length - 1].sdTime ?? page[page.length - 1].time
    }
  }

  #path(): string {
    return `/api/comp/faults/stream/${this.#name}`
  }
}

/** What statistics by the hour must be, latest first; a period is identified by its end. */
function hourly(
  found: ReadonlyMap<number, number>,
  stat: 'sum' | 'max' | 'nongapcount',
): [number, number][] {
  const hours = new Map<number, number[]>()
  for (const [time, data] of found) {
    const end = (Math.floor(time / HOUR_MS) + 1) * HOUR_MS
    hours.set(end, [...(hours.get(end) ?? []), data])
  }
  const combine = {
    sum: (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0),
    max: (values: readonly number[]) => Math.max(...values),
    nongapcount: (values: readonly number[]) => values.length,
  }
  return [...hours]
    .sort(([a], [b]) => b - a)
    .map(([end, values]): [number, number] => [end, combine[stat](values)])
}

function timeOf(at: number): number {
  return T0 + at * STEP_MS + OFFSET_MS
}

function range(from: number, until: number): number[] {
  return Array.from({ length: Math.max(0, until - from) }, (_, at) => from + at)
}
