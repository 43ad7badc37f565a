/**
 * A steady load on several processes of one cluster, and what must be stored after it: puts of known values,
 * overwrites, deletes of ranges, reads. A call that fails is made again until it is acknowledged, or given up.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../support/caller.ts'
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
/** Between two calls of a workload. Leaves the machine room for other tests. */
const PACE_MS = 50
const RETRY_MS = 100
/** Longer than any call may take: nodes are given 12 s each. */
const CALL_MS_MAX = 100_000
/** For some calls that a fault delays, one after the other. */
export const LOAD_MS_MAX = 4 * CALL_MS_MAX
const DERIVED_MS_MAX = 300_000
/** Of the calls that fail, the share that is not made again. */
const GIVEN_UP = 0.1
/** Of the puts of one sample, the share that is a URL without a body. */
const BY_URL = 0.5
/** Streams of one call over many, and of all of these calls: one read returns them all. */
const BULK_MAX = 60
const CREATED_MAX = 900

/** What may be stored at a time; undefined stands for nothing. One element: it must be. */
type Possible = ReadonlySet<number | undefined>

/** What may be stored at each time, or in each stream. */
type Held<Key> = Map<Key, Possible>

const NOTHING: Possible = new Set([undefined])

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

/** A sample as it is answered. */
interface Row {
  readonly time: number
  readonly data: number
  readonly sdTime?: number
  readonly streamId?: string
}

interface LoadCall {
  readonly method: string
  readonly path: string
  readonly body?: string
}

/** One caller with a stream of its own, one call at a time. */
export class FaultWorkload {
  readonly #targets: readonly LoadTarget[]
  readonly #random: Random
  readonly #name: string
  readonly #held: Held<number> = new Map()
  /** Streams of another component, each with a sample at one time. */
  readonly #created: Held<string> = new Map()
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
  #bulks = 0
  #isDerived = false
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

  /** Waits until this number of further calls is acknowledged, or the load has failed. */
  async goesOn(calls: number): Promise<void> {
    const wanted = this.counts.acknowledged + calls
    await eventually(
      () => assert.ok(this.#failure !== undefined || this.counts.acknowledged >= wanted),
      LOAD_MS_MAX,
    )
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Holds what a process answers against what was acknowledged, and its statistics against the samples. */
  async check(target: LoadTarget): Promise<void> {
    for (let found = await this.#readAll(target); ; ) {
      try {
        return await this.#checkAll(target, found)
      } catch (error) {
        // A call that was given up may be made between two reads. What nothing has changed must be right.
        const later = await this.#readAll(target)
        if (isDeepStrictEqual(later, found)) throw error
        found = later
      }
    }
  }

  async #checkAll(target: LoadTarget, found: ReadonlyMap<number, number>): Promise<void> {
    this.#compare(found, this.#held)
    const isCreated = this.#created.values().some((possible) => !possible.has(undefined))
    if (isCreated) this.#compare(await this.#readCreated(target), this.#created)
    for (const stat of ['sum', 'max', 'nongapcount'] as const) {
      const reply = await this.#readPages(target, `${this.#path()}/cycle/hour/stat/${stat}`)
      assert.deepEqual(reply, hourly(found, stat), `${this.#name}: ${stat}`)
    }
  }

  #compare<Key>(found: ReadonlyMap<Key, number>, held: Held<Key>): void {
    const invented = [...found].filter(([key, data]) => !held.get(key)?.has(data))
    assert.deepEqual(
      invented,
      [],
      `${this.#name}: stored though never put, or overwritten or deleted`,
    )
    const lost = [...held].filter(([key, possible]) => !found.has(key) && !possible.has(undefined))
    assert.deepEqual(lost, [], `${this.#name}: acknowledged and lost`)
  }

  /** Derives a stream from the samples of this one from here on; `owner` calls any process. */
  async derive(owner: Call): Promise<void> {
    const [compId, streamId] = ['faults', this.#name]
    // Ahead of all times that are read: a formula follows a stream that is there.
    const put = await owner('PUT', `/api/feed?compId=${compId}&${streamId}=0&time=${T0 - HOUR_MS}`)
    assert.equal(put.status, 200, put.text)
    const { component } = (await owner('GET', `/api/component?id=${compId}`)).body
    const derivation = {
      expression: '2 * x + 1',
      variables: [{ name: 'x', streamId }],
      followsCorrections: true,
    }
    const stream = { id: this.#derived, streamDerivationType: 'FROM_EXPRESSION', derivation }
    const made = await owner('PUT', `/api/component/${component[0].uid}/stream`, { stream })
    assert.equal(made.status, 200, made.text)
    this.#isDerived = true
  }

  /** Waits until every sample of a stream that is derived from has its result, and nothing else has. Another process takes over within two minutes. */
  async checkDerived(target: LoadTarget): Promise<void> {
    if (!this.#isDerived) return
    await eventually(async () => {
      const sources = await this.#readPages(target, this.#path())
      const expected = sources.map(([time, data]) => [time, 2 * data + 1])
      const results = await this.#readPages(target, `/api/comp/faults/stream/${this.#derived}`)
      assert.deepEqual(results, expected, `${this.#derived}: the results of ${this.#name}`)
    }, DERIVED_MS_MAX)
  }

  get #derived(): string {
    return `${this.#name}-doubled`
  }

  async #work(): Promise<void> {
    while (!this.#isEnding) {
      const dice = this.#random.next()
      if (this.#next === 0 || dice < 0.3) await this.#append(this.#random.integer(1, 40))
      else if (dice < 0.5) await this.#append(1)
      else if (dice < 0.6) await this.#putBulk()
      else if (dice < 0.75) await this.#overwrite()
      else if (dice < 0.87) await this.#remove()
      else await this.#look()
      await pause(PACE_MS)
    }
  }

  async #append(count: number): Promise<void> {
    const from = this.#next
    this.#next += count
    await this.#put(range(from, this.#next))
  }

  /**
   * One call over many streams: new ones and some that are there. A stream that got the handle of another would show the
   * samples of both.
   */
  async #putBulk(): Promise<void> {
    const known = this.#created.size
    const end = Math.min(CREATED_MAX, known + this.#random.integer(1, BULK_MAX))
    const from = Math.max(0, known - this.#random.integer(1, BULK_MAX))
    this.#bulks += 1
    const made = new Map(range(from, end).map((at) => [`s${at}`, at + this.#bulks / 1_024]))
    const compId = this.#creating
    const samples = [...made].map(([streamId, data]) => ({ compId, streamId, time: T0, data }))
    const call = { method: 'PUT', path: '/api/feed', body: JSON.stringify(samples) }
    await this.#change(call, this.#created, made)
    this.counts.samples += made.size
  }

  get #creating(): string {
    return `faults-${this.#name}`
  }

  async #overwrite(): Promise<void> {
    const from = this.#random.integer(0, this.#next)
    await this.#put(range(from, Math.min(this.#next, from + this.#random.integer(1, 10))))
  }

  async #put(places: readonly number[]): Promise<void> {
    const made = new Map(places.map((at) => [timeOf(at), this.#random.integer(-1_000, 1_000)]))
    const [compId, streamId] = ['faults', this.#name]
    const samples = [...made].map(([time, data]) => ({ compId, streamId, time, data }))
    const [{ time, data }] = samples
    const isByUrl = samples.length === 1 && this.#random.next() < BY_URL
    const call = isByUrl
      ? { method: 'PUT', path: `/api/feed?compId=${compId}&${streamId}=${data}&time=${time}` }
      : { method: 'PUT', path: '/api/feed', body: JSON.stringify(samples) }
    await this.#change(call, this.#held, made)
    this.counts.samples += made.size
  }

  async #remove(): Promise<void> {
    const from = this.#random.integer(0, this.#next)
    const until = from + this.#random.integer(1, 30)
    const path = `${this.#path()}/feed?sd=${timeOf(from)}&ed=${timeOf(until)}`
    const gone = range(from, Math.min(until, this.#next)).map((at) => timeOf(at))
    const made = new Map(gone.map((time) => [time, undefined]))
    await this.#change({ method: 'DELETE', path }, this.#held, made)
    this.counts.deletes += 1
  }

  /** Checks a read during the load. Each workload has its own stream, so the expected answer is known. */
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
      const possible = this.#held.get(time) ?? NOTHING
      assert.ok(possible.has(data), `${this.#name}: ${data} at ${time}, not ${[...possible]}`)
    }
  }

  /** Makes a change until it is acknowledged; one that is given up may have been made or not. */
  async #change<Key>(
    call: LoadCall,
    held: Held<Key>,
    made: ReadonlyMap<Key, number | undefined>,
  ): Promise<void> {
    for (const [key, data] of made) held.set(key, new Set([...(held.get(key) ?? NOTHING), data]))
    for (let tries = 0; ; tries++) {
      const target = this.#targets[(tries + this.#random.integer(0, 2)) % this.#targets.length]
      if ((await this.#ask(target, call)) !== undefined) break
      if (this.#isEnding || this.#random.next() < GIVEN_UP) {
        this.counts.givenUp += 1
        return
      }
      await pause(RETRY_MS)
    }
    for (const [key, data] of made) held.set(key, new Set([data]))
    this.counts.acknowledged += 1
  }

  /** The answer of a call; undefined when the cluster is away or the process is gone. */
  async #ask(
    { url, cookie }: LoadTarget,
    { method, path, body }: LoadCall,
  ): Promise<readonly Row[] | undefined> {
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
    return new Map(
      (await this.#readPages(target, this.#path())).map(([time, data]) => [time, data]),
    )
  }

  /** The samples of the streams that were created; two of one stream would be another's. */
  async #readCreated(target: LoadTarget): Promise<Map<string, number>> {
    const path = `/api/comp/${this.#creating}/feed?limit=1000&retStreamId`
    const rows = await eventually(async () => {
      const answer = await this.#ask(target, { method: 'GET', path })
      assert.ok(answer !== undefined)
      return answer
    })
    const found = new Map(rows.map(({ streamId = '', data }) => [streamId, data]))
    assert.equal(found.size, rows.length, `${this.#name}: a stream has the samples of another`)
    return found
  }

  async #readPages(target: LoadTarget, feed: string): Promise<[number, number][]> {
    const found: [number, number][] = []
    for (let until = timeOf(this.#next) + HOUR_MS; ; ) {
      const path = `${feed}/feed?sd=${T0}&ed=${until}&limit=1000&retIntvlSd`
      const page = await eventually(async () => {
        const answer = await this.#ask(target, { method: 'GET', path })
        assert.ok(answer !== undefined)
        return answer
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
