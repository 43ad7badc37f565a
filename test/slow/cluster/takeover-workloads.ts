/** Workloads of two processes on a cluster while one is killed, and the results that must hold at the end. */
import assert from 'node:assert/strict'
import type { CatalogStore, JsonObject } from '../../../src/store/index.ts'
import type { Call } from '../../support/caller.ts'
import type { ImportHome } from '../../support/import-home.ts'
import { eventually } from '../../support/settle.ts'

const T = 1_700_000_000_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
/**
 * The work of a process that was killed goes on after its lease, which is a minute, and jobs may run once a minute. Tests
 * wait for longer than both: on a busy machine each step takes several times as long.
 */
export const TAKEN_OVER_MS_MAX = 400_000

type Times = (readonly [number, number])[]

/** Times and values of a stream, the oldest first. */
async function samplesOf(call: Call, comp: string, stream: string): Promise<Times> {
  const read = await call('GET', `/api/comp/${comp}/stream/${stream}/feed?limit=1000`)
  if (read.status === 404) return []
  assert.equal(read.status, 200, read.text)
  const samples: { readonly time: number; readonly data: number }[] = read.body
  return samples.map(({ time, data }) => [time, data] as const).reverse()
}

async function fine(answering: ReturnType<Call>) {
  const { status, text, body } = await answering
  assert.equal(status, 200, text)
  return body
}

/** A component whose stream y is derived from its stream x in the background. */
export class DerivedWorkload {
  readonly #comp: string
  readonly #path: string
  readonly #acknowledged: number[] = []
  #count = 0

  private constructor(comp: string, path: string) {
    this.#comp = comp
    this.#path = path
  }

  /** Makes it; what was put before is not derived. */
  static async make(owner: Call, comp: string): Promise<DerivedWorkload> {
    await fine(owner('PUT', `/api/feed?compId=${comp}&x=0&time=${T}`))
    const { component } = await fine(owner('GET', `/api/component?id=${comp}`))
    const path = `/api/component/${component[0].uid}/stream`
    const derivation = { expression: '2 * x + 1', variables: [{ name: 'x', streamId: 'x' }] }
    const stream = { id: 'y', streamDerivationType: 'FROM_EXPRESSION', derivation }
    const made = await fine(owner('PUT', path, { stream }))
    return new DerivedWorkload(comp, `${path}/${made.stream.uid}`)
  }

  /** Puts `count` samples one by one, by each caller in turn, or fewer when `isOver` ends it. */
  async put(callers: readonly Call[], count: number, isOver = () => false): Promise<void> {
    const end = this.#count + count
    while (this.#count < end && !isOver()) {
      this.#count += 1
      const at = this.#count
      const call = callers[at % callers.length]
      const path = `/api/feed?compId=${this.#comp}&x=${at}&time=${T + at}`
      try {
        // A device repeats the same request after a 503.
        let answer = await call('PUT', path)
        while (answer.status === 503) answer = await call('PUT', path)
        assert.equal(answer.status, 200, answer.text)
        this.#acknowledged.push(T + at)
      } catch (error) {
        // What a killed process has not answered may be there or not.
        if (!isOver()) throw error
      }
    }
  }

  /** Every sample of x is one of y, and those that were acknowledged are all there. */
  async isDerived(call: Call): Promise<number> {
    return await eventually(async () => {
      const x = (await samplesOf(call, this.#comp, 'x')).slice(1)
      const times = new Set(x.map(([time]) => time))
      assert.ok(this.#acknowledged.every((time) => times.has(time)))
      const oracle = x.map(([time, value]) => [time, 2 * value + 1])
      assert.deepEqual(await samplesOf(call, this.#comp, 'y'), oracle)
      return oracle.length
    }, TAKEN_OVER_MS_MAX)
  }

  /** How many samples formulas have given it, as its record says. */
  async countReported(call: Call): Promise<number> {
    return (await fine(call('GET', this.#path))).stream.derivationStatus.sampleCount
  }
}

/** How many samples a process has derived since its start. */
export async function derivedBy(service: { readonly url: string }): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^weir_derived_samples_total (\d+)$/m.exec(text)?.[1])
}

/** Imports that run by schedules, which the test brings forward: each time that one is due has one run. */
export class DueWorkload {
  readonly #catalog: CatalogStore
  readonly #asked: Map<string, number>
  readonly #ids = new Map<string, string>()

  private constructor(catalog: CatalogStore, uids: ReadonlyMap<string, string>) {
    this.#catalog = catalog
    this.#ids = new Map(uids)
    this.#asked = new Map([...uids.keys()].map((uid) => [uid, 0]))
  }

  static async make(catalog: CatalogStore, imports: ImportHome): Promise<DueWorkload> {
    const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE)
      SELECT device, 'n', n FROM CSV_TABLE(@JDBC_RESULT) WITH (1 device STRING, 2 n LONG);`
    const uids = new Map<string, string>()
    for (const id of ['due0', 'due1']) {
      const uid = await imports.insert({
        id,
        schedule: { everyMinutes: 1_440 },
        skipUnchangedRows: false,
        externalSql: `SELECT '${id}', 7`,
        procs: [{ timeZoneId: 'UTC', sql }],
      })
      uids.set(uid, id)
    }
    return new DueWorkload(catalog, uids)
  }

  /** Lets each be due again and again, whenever the previous run is over, until stopped; `imports` lists the running ones. */
  async press(imports: ImportHome, isOver: () => boolean): Promise<void> {
    const workload = async (uid: string): Promise<void> => {
      await this.#bringForward(imports, uid, () => false)
      while (!isOver()) await this.#bringForward(imports, uid, isOver)
    }
    await Promise.all([...this.#asked.keys()].map(workload))
  }

  /** Every time that one was due has one run, which went through, and its sample. */
  async isOnce(imports: ImportHome): Promise<void> {
    for (const [uid] of this.#asked) {
      await this.#rested(imports, uid)
      await this.#bringForward(imports, uid, () => false)
      await this.#rested(imports, uid)
      const runs = await imports.runsOf(uid)
      const reply = runs.map(({ status, samples, message }) => ({ status, samples, message }))
      const asked = this.#asked.get(uid) ?? 0
      assert.ok(asked > 1, 'it was due before the kill, and behind it')
      const done = { status: 'DONE', samples: 1, message: '' }
      assert.deepEqual(reply, new Array(asked).fill(done))
      const stored = await samplesOf(imports.owner, this.#ids.get(uid) ?? '', 'n')
      assert.equal(stored.length, asked)
    }
  }

  async #bringForward(imports: ImportHome, uid: string, isOver: () => boolean): Promise<void> {
    await eventually(async () => {
      if (isOver()) return
      const { revision, body, key } = await this.#rest(imports, uid)
      const nextMs = Date.now()
      const listKey = String(nextMs).padStart(16, '0')
      const put = { op: 'put', ...key, listKey, expectedRevision: revision } as const
      await this.#catalog.commit([{ ...put, body: { ...body, nextMs } }])
      this.#asked.set(uid, (this.#asked.get(uid) ?? 0) + 1)
    }, TAKEN_OVER_MS_MAX)
  }

  async #rested(imports: ImportHome, uid: string): Promise<void> {
    await eventually(() => this.#rest(imports, uid), TAKEN_OVER_MS_MAX)
  }

  /** What is noted of an import that is not due, which nobody is about to begin and which does not run. */
  async #rest(imports: ImportHome, uid: string) {
    const key = { orgUid: '', kind: 'import_due', uid }
    const noted = await this.#catalog.get(key)
    assert.ok(noted !== undefined, 'it is scheduled')
    const body: JsonObject = noted.body
    const isFar = Number(body.nextMs) > Date.now() + HOUR && body.claimedMs === undefined
    assert.ok(isFar, `it is due: ${JSON.stringify(body)}`)
    const runs = await imports.runsOf(uid)
    assert.ok(
      runs.every(({ status }) => status !== 'RUNNING'),
      'it runs',
    )
    return { key, body, revision: noted.revision }
  }
}

/** A stream that keeps an hour and has older samples. */
export class AgedWorkload {
  readonly #young: number

  private constructor(young: number) {
    this.#young = young
  }

  static async make(owner: Call): Promise<AgedWorkload> {
    const hour = { id: 'hour', name: 'hour', sizeType: 'HOUR', count: 1 }
    const { delete_profile: profile } = await fine(
      owner('PUT', '/api/delete_profile', { delete_profile: hour }),
    )
    const delete_profile = { uid: profile.uid }
    const stream = [{ id: 's', name: 's', valueType: 'DOUBLE', delete_profile }]
    await fine(owner('PUT', '/api/component', { component: { id: 'aged', name: 'aged', stream } }))
    const now = Date.now()
    const ages = [5, 70, 80, 90, 100, 110].map((minutes) => minutes * MINUTE)
    const rows = ages.map((age) => ({ compId: 'aged', streamId: 's', time: now - age, data: 1 }))
    await fine(owner('PUT', '/api/feed', rows))
    return new AgedWorkload(now - ages[0])
  }

  /** What is too old has gone, and what is not has stayed. */
  async isExpired(call: Call): Promise<void> {
    await eventually(async () => {
      assert.deepEqual(await samplesOf(call, 'aged', 's'), [[this.#young, 1]])
    }, TAKEN_OVER_MS_MAX)
  }
}

/** A stream that an alert watches: each value is on the other side of the limit than the one before. */
export class AlertWorkload {
  readonly #uid: string
  #time = Date.now()
  #changes = 0

  private constructor(uid: string) {
    this.#uid = uid
  }

  /** Makes it, and waits until the alert fires. */
  static async make(owner: Call): Promise<AlertWorkload> {
    const stream = [{ id: 'v', valueType: 'DOUBLE' }]
    const made = await fine(
      owner('PUT', '/api/component', { component: { id: 'alerted', stream } }),
    )
    const { component } = made
    const { runningUser } = (await fine(owner('GET', '/api/alert/new'))).alert
    const watched = { componentUid: component.uid, streamUid: component.stream[0].uid }
    const about = { name: 'alerted', runningUser: { uid: runningUser.uid } }
    const alert = { ...about, streams: [watched], condition: 'value > 5' }
    const saved = await fine(owner('PUT', '/api/alert', { alert }))
    const workload = new AlertWorkload(saved.alert.uid)
    // Samples that are put before the alert is watched may change nothing.
    await eventually(async () => {
      await workload.#put([owner], 10)
      assert.deepEqual(await workload.#states(owner), ['FIRING'])
    })
    workload.#changes = 1
    return workload
  }

  /** Puts up to `count` values, by each caller in turn, or fewer when `isOver` ends it. */
  async put(callers: readonly Call[], count: number, isOver = () => false): Promise<void> {
    const end = this.#changes + count
    while (this.#changes < end && !isOver()) {
      await this.#put(callers, this.#changes % 2 === 0 ? 10 : 0)
      this.#changes += 1
    }
  }

  /** Each value has changed the state once. */
  async isOnce(call: Call): Promise<void> {
    const expected = Array.from({ length: this.#changes }, (_, at) =>
      at % 2 === 0 ? 'FIRING' : 'OK',
    )
    await eventually(async () => {
      assert.deepEqual(await this.#states(call), expected)
    }, TAKEN_OVER_MS_MAX)
  }

  /** Puts a value until one of the callers acknowledges it; repeated, it is the same sample. */
  async #put(callers: readonly Call[], value: number): Promise<void> {
    this.#time += 1
    for (let tries = this.#changes; ; tries += 1) {
      const call = callers[tries % callers.length]
      const path = `/api/feed?compId=alerted&v=${value}&time=${this.#time}`
      const answer = await call('PUT', path).catch(() => undefined)
      if (answer?.status === 200) return
      // A process that was killed answers nothing.
      if (answer !== undefined) assert.equal(answer.status, 503, answer.text)
    }
  }

  async #states(call: Call): Promise<string[]> {
    const { event } = await fine(call('GET', `/api/alert/${this.#uid}/event?limit=1000`))
    return event.toReversed().map(({ state }: { readonly state: string }) => state)
  }
}
