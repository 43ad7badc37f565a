import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createLog, MemoryBudget } from '../../base/index.ts'
import type { Feed } from '../../feed/index.ts'
import type { PutCommand } from '../../feed/put/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { Exchange, Reply } from '../transport/exchange.ts'
import { FRONT_BODY_BYTES_MAX } from '../transport/front/body-memory.ts'
import { FeedBodyReader } from './feed-body-reader.ts'
import { FeedCalls } from './feed-calls.ts'
import { feedLane } from './feed-lane.ts'

const budget = new MemoryBudget(100_000_000)

/** Serves one put whose body is overwritten as soon as serve() returns; answers what was put. */
async function putBorrowed(text: string, isKnown: boolean): Promise<PutCommand['samples']> {
  const { promise, resolve, reject } = Promise.withResolvers<PutCommand['samples']>()
  const put = async (_principal: unknown, { samples }: PutCommand) => {
    resolve(samples)
    return []
  }
  const index = { generation: 1, resolve: () => 0 }
  const calls = new FeedCalls(
    { catalog: { index }, now: () => 0, put, requirePutter: () => {} } as unknown as Feed,
    new MemoryBudget(1e9),
  )
  const caller = { principal: { orgUid: 'org' } }
  const gate = {
    admitNow: () => (isKnown ? caller : undefined),
    admit: () => new Promise((done) => setImmediate(() => done(caller))),
    follow: () => ({ renew: async () => caller }),
  } as unknown as Gate
  const lane = feedLane({
    calls,
    gate,
    log: createLog({ level: 'silent' }),
    bodies: new FeedBodyReader(1_000_000, budget),
    exports: { note: () => {} },
  })
  const body = Buffer.from(text)
  const reply: Reply = {
    isOver: false,
    status: 0,
    onceOver: () => {},
    tellProcessing: () => {},
    send: (status, _headers, answer) => {
      if (status !== 200) reject(new Error(String(answer)))
    },
  }
  const exchange: Exchange = {
    id: '1',
    address: '',
    isSecure: false,
    reason: undefined,
    code: undefined,
    startedAtMs: 0,
    route: '',
    limit: undefined,
    held: undefined,
    incoming: body,
    reply,
    warnings: [],
    req: {
      method: 'PUT',
      url: '/api/feed',
      headers: {},
      headersDistinct: {},
      socket: new Socket(),
    },
  }
  lane('PUT', '/api/feed')?.(exchange)
  body.fill('9')
  return promise
}

test('serve() reads a body before it returns, or keeps a copy: its memory is used again', async () => {
  const sample = '{"compId":"c","streamId":"s","time":1,"data":12.5}'
  const long = `[${sample},${sample}]`.padEnd(FRONT_BODY_BYTES_MAX, ' ')
  const unusual = `[{"time":1,"data":12.5,"streamId":"s","compId":"c","more":[1]}]`
  const batch =
    '{"feed":{"component":[{"componentId":"c","stream":[{"streamId":"s","data":["12.5"]}]}]}}'
  for (const text of [`[${sample}]`, long, unusual, batch]) {
    for (const isKnown of [true, false]) {
      const samples = await putBorrowed(text, isKnown)
      const value = samples.texts?.[0] ?? String(samples.numbers[0])
      assert.equal(value, '12.5', `${text.slice(0, 100)} known: ${isKnown}`)
      assert.equal(samples.open[0].compId, 'c')
    }
  }
  const open = `${`[${sample}`.padEnd(FRONT_BODY_BYTES_MAX - 1, ' ')},`
  await assert.rejects(putBorrowed(open, true), new RegExp(`position ${FRONT_BODY_BYTES_MAX}`))
  assert.equal(budget.figures.usedBytes, 0)
})

test('serve() keeps a copy of a body that has to wait for memory', async () => {
  assert.equal(budget.addSmall(budget.smallBytesMax), true)
  const waiting = putBorrowed('[{"compId":"c","streamId":"s","time":1,"data":12.5}]', true)
  assert.equal(budget.figures.waiting, 1)
  budget.endSmall(budget.smallBytesMax)
  assert.equal((await waiting).numbers[0], 12.5)
})
