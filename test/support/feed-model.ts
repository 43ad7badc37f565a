/** Random puts, deletes and restarts against a few maps; every stream must read the same. */
import assert from 'node:assert/strict'
import { Capabilities, keyPrincipal, type Method } from '../../src/access/index.ts'
import type { ManualClock } from '../../src/base/index.ts'
import { fc } from './fast-check.ts'
import { FeedClient } from './feed-client.ts'
import type { Service } from './service.ts'

/** When a service that follows the model begins. */
export const MODEL_NOW = 1_700_000_000_000
const HOUR = 3_600_000
const START = 1_699_200_000_000

type Kind = 'random' | 'interval' | 'point'
type Value = number | string | null
type Put = { at: number; value: Value }

/** What a stream must show, kept as plainly as can be. */
class StreamModel {
  readonly kind: Kind
  readonly samples = new Map<number, Value>()

  constructor(kind: Kind) {
    this.kind = kind
  }

  put(puts: readonly Put[], isAutofill: boolean, now: number): void {
    if (this.kind === 'random') {
      for (const { at, value } of puts) if (value !== null) this.samples.set(at, value)
    } else if (this.kind === 'point') {
      const last = puts.findLast(({ value }) => value !== null)
      if (last === undefined) return
      this.samples.clear()
      this.samples.set(now, last.value)
    } else {
      this.#putIntervals(puts, isAutofill)
    }
  }

  #putIntervals(puts: readonly Put[], isAutofill: boolean): void {
    const inOrder = [...puts].sort((a, b) => a.at - b.at)
    const ends = inOrder.map(({ at }) => Math.ceil(at / HOUR) * HOUR)
    if (isAutofill) this.#clear(ends[0], ends[ends.length - 1] + 1)
    for (const [index, { value }] of inOrder.entries()) {
      if (value === null) this.samples.delete(ends[index])
      else this.samples.set(ends[index], value)
    }
  }

  #clear(from: number, until: number): void {
    for (const time of this.samples.keys()) {
      if (time >= from && time < until) this.samples.delete(time)
    }
  }

  delete(from: number, until: number): void {
    for (const time of [...this.samples.keys()]) {
      if (this.#isIn(time, from, until)) this.samples.delete(time)
    }
  }

  #isIn(time: number, from: number, until: number): boolean {
    return this.kind === 'interval'
      ? time > from && time - HOUR < until
      : time >= from && time < until
  }

  show(from: number, until: number, limit: number): [number, Value][] {
    if (this.kind === 'point') return [...this.samples]
    const times = [...this.samples.keys()].sort((a, b) => a - b)
    if (times.length === 0) return []
    const shown: [number, Value][] = []
    const step = this.kind === 'interval' ? HOUR : 1
    const all =
      this.kind === 'interval'
        ? Array.from(
            { length: (times[times.length - 1] - times[0]) / step + 1 },
            (_, at) => times[0] + at * step,
          )
        : times
    for (const time of all) {
      if (this.#isIn(time, from, until)) shown.push([time, this.samples.get(time) ?? null])
    }
    return shown.reverse().slice(0, limit)
  }
}

const hourTenths = fc.integer({ min: 0, max: 120 })
const streams = fc.constantFrom<Kind>('random', 'interval', 'point')
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.integer({ min: -500, max: 500 }).map((value) => value / 10),
)
const value = fc.oneof({ weight: 6, arbitrary: number }, fc.constant(null))
const operation = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      op: fc.constant('put' as const),
      kind: streams,
      isAutofill: fc.boolean(),
      samples: fc.array(fc.tuple(hourTenths, value), { minLength: 1, maxLength: 8 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('delete' as const),
      kind: streams,
      a: hourTenths,
      b: hourTenths,
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('restart' as const) }) },
)

const timeOf = (tenths: number) => START + Math.round((tenths * HOUR) / 10)

function administrator(orgUid: string) {
  const methods: Method[] = ['GET', 'PUT', 'POST', 'DELETE']
  const capabilities = new Capabilities([{ resource: '*', methods }])
  return keyPrincipal({ orgUid, keyUid: 'k', capabilities })
}

async function createStreams(service: Service, compId: string): Promise<void> {
  const valueType = 'DOUBLE'
  await service.app.catalog.components.insert(administrator(service.orgUid), {
    id: compId,
    stream: [
      { id: 'random', valueType },
      { id: 'interval', valueType, streamType: 'intvl_stream', baseCycle: { id: 'hour' } },
      { id: 'point', valueType, streamType: 'point_stream' },
    ],
  })
}

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

async function apply(
  run: { service: Service; client: FeedClient; compId: string; clock: ManualClock },
  models: Readonly<Record<Kind, StreamModel>>,
  operation: Operation,
): Promise<void> {
  const { service, client, compId, clock } = run
  if (operation.op === 'restart') return service.restart()
  const model = models[operation.kind]
  if (operation.op === 'delete') {
    const from = timeOf(Math.min(operation.a, operation.b))
    const until = timeOf(Math.max(operation.a, operation.b))
    const path = { compId, streamId: operation.kind, from, until }
    await service.app.feed.delete(administrator(service.orgUid), path)
    if (from < until) model.delete(from, until)
    return
  }
  clock.advance(1)
  const puts = operation.samples.map(([at, value]) => ({ at: timeOf(at), value }))
  const samples = puts.map(({ at, value }) => ({
    compId,
    streamId: operation.kind,
    data: value,
    time: at,
  }))
  const query = operation.isAutofill ? '' : 'autofillGapsWithNulls=false'
  assert.equal((await client.putJson(samples, query)).status, 200)
  model.put(puts, operation.isAutofill, clock.now())
}

/** Random puts, deletes and restarts on a service whose clock is given; all streams must read as the model does. */
export async function followModel(
  service: Service,
  clock: ManualClock,
  numRuns: number,
): Promise<void> {
  const client = new FeedClient(service)
  let runs = 0
  const property = fc.asyncProperty(
    fc.array(operation, { minLength: 5, maxLength: 25 }),
    fc.tuple(hourTenths, hourTenths, fc.integer({ min: 1, max: 12 })),
    async (operations, [a, b, limit]) => {
      const compId = `run${runs++}`
      await createStreams(service, compId)
      const models = {
        random: new StreamModel('random'),
        interval: new StreamModel('interval'),
        point: new StreamModel('point'),
      }
      for (const one of operations) await apply({ service, client, compId, clock }, models, one)
      const from = timeOf(Math.min(a, b))
      const until = timeOf(Math.max(a, b)) + 1
      for (const [kind, model] of Object.entries(models)) {
        const everything = model.show(0, MODEL_NOW * 2, 1_000)
        assert.deepEqual(await client.get(compId, kind), everything, kind)
        const query = `sd=${from}&ed=${until}&limit=${limit}`
        assert.deepEqual(
          await client.get(compId, kind, query),
          model.show(from, until, limit),
          kind,
        )
      }
    },
  )
  await fc.assert(property, { numRuns, endOnFailure: true })
}
