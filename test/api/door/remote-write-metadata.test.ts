import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { MetricMetadata } from '../../../src/catalog/index.ts'
import { type CatalogStore, withCommit } from '../../../src/store/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import {
  packSnappy,
  REMOTE_WRITE_TYPES,
  writeMetadata1,
  writeRequest1,
  writeRequest2,
} from '../../support/remote-write.ts'
import { type Service, startService } from '../../support/service.ts'

const NOW = 1_700_000_000_000
const LOAD: MetricMetadata = { name: 'load', type: 'gauge', help: 'Load “now”', unit: '' }
const BYTES: MetricMetadata = { name: 'bytes_total', type: 'counter', help: 'Sent', unit: 'bytes' }

interface World {
  readonly service: Service
  readonly owner: Call
  /** How often metadata was written. */
  readonly commits: { count: number }
}

async function start(t: TestContext): Promise<World> {
  const commits = { count: 0 }
  const wrapCatalog = (store: CatalogStore) =>
    withCommit(store, async (writes, ...more) => {
      if (writes.some(({ kind }) => kind === 'metric_metadata')) commits.count += 1
      return await store.commit(writes, ...more)
    })
  const service = await startService({ wrapCatalog })
  t.after(() => service.close())
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  return { service, owner: caller(service, session), commits }
}

function send({ service }: World, body: Buffer, version: 1 | 2, key = '') {
  return fetch(`${service.url}/api/v1/write`, {
    method: 'POST',
    body: packSnappy(body),
    headers: {
      'X-Api-Key': key === '' ? service.feedKey : key,
      'Content-Encoding': 'snappy',
      'Content-Type': REMOTE_WRITE_TYPES[version],
    },
  })
}

function kept({ service }: World) {
  return service.app.catalog.metricMetadata.list(service.orgUid)
}

test('remote write 1.0 keeps metadata of requests without samples, over a restart', async (t) => {
  const world = await start(t)
  const answer = await send(world, writeMetadata1([LOAD, BYTES]), 1)
  assert.equal(answer.status, 204, await answer.text())
  assert.deepEqual(await kept(world), [BYTES, LOAD])
  await world.service.restart()
  assert.deepEqual(await kept(world), [BYTES, LOAD])
})

test('remote write 2.0 keeps the metadata of series by the name of their family', async (t) => {
  const world = await start(t)
  const samples = [[1, NOW]] as const
  const histogram = { type: 'histogram', help: 'Times', unit: 'seconds' }
  const body = writeRequest2([
    { labels: { __name__: 'time_bucket', le: '1' }, samples, metadata: histogram },
    { labels: { __name__: 'time_count' }, samples, metadata: histogram },
    { labels: { __name__: 'load' }, samples, metadata: LOAD },
    { labels: { __name__: 'only_said' }, samples: [], metadata: LOAD },
    { labels: { __name__: 'silent' }, samples },
  ])
  const answer = await send(world, body, 2)
  assert.equal(answer.status, 204, await answer.text())
  assert.deepEqual(await kept(world), [
    LOAD,
    { ...LOAD, name: 'only_said' },
    { name: 'time', ...histogram },
  ])
})

test('metadata that differs by sender is kept side by side, and repeated metadata writes nothing', async (t) => {
  const world = await start(t)
  const variants = Array.from({ length: 6 }, (_, at) => ({ ...LOAD, help: `help ${at}` }))
  for (let round = 0; round < 3; round++) {
    assert.equal((await send(world, writeMetadata1(variants), 1)).status, 204)
  }
  assert.deepEqual(await kept(world), variants.slice(0, 4))
  assert.equal(world.commits.count, 1)
  await world.service.restart()
  assert.equal((await send(world, writeMetadata1(variants), 1)).status, 204)
  assert.equal(world.commits.count, 1)
  assert.equal((await send(world, writeMetadata1([BYTES]), 1)).status, 204)
  assert.equal(world.commits.count, 2)
})

test('metadata of senders at the same time is all kept', async (t) => {
  const world = await start(t)
  const all = Array.from({ length: 400 }, (_, at) => ({ ...LOAD, name: `m${1000 + at}` }))
  const parts = Array.from({ length: 8 }, (_, part) => all.filter((_, at) => at % 8 === part))
  const answers = await Promise.all(parts.map((some) => send(world, writeMetadata1(some), 1)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204]))
  assert.deepEqual(await kept(world), all)
})

test('metadata of 20,000 names is kept, and of callers who may put everywhere alone', async (t) => {
  const world = await start(t)
  const key = { name: 'part', capabilities: [{ resource: 'component/x/feed', methods: ['PUT'] }] }
  const made = await world.owner('PUT', '/api/api_key', {
    api_key: key,
    currentPassword: world.service.ownerPassword,
  })
  const secret = made.body.api_key?.secretKey ?? made.body.api_key?.secret
  assert.equal((await send(world, writeMetadata1([LOAD]), 1, secret)).status, 204)
  assert.deepEqual(await kept(world), [])
  const named = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...LOAD, name: `m${from + at}` }))
  assert.equal((await send(world, writeMetadata1(named(0, 20_000)), 1)).status, 204)
  assert.equal((await send(world, writeMetadata1(named(20_000, 10)), 1)).status, 204)
  assert.equal((await kept(world)).length, 20_000)
})

test('texts of metadata are cut, and a body whose metadata is no message is refused', async (t) => {
  const world = await start(t)
  const long = { ...LOAD, help: 'h'.repeat(5_000) }
  assert.equal((await send(world, writeMetadata1([long, { ...LOAD, name: '' }]), 1)).status, 204)
  assert.deepEqual(await kept(world), [{ ...LOAD, help: 'h'.repeat(1_000) }])
  const cut = Buffer.from([0x1a, 0x03, 0x12, 0x7f, 0x61])
  assert.equal((await send(world, cut, 1)).status, 400)
  const missing = Buffer.concat([
    writeRequest2([{ labels: { __name__: 'x' }, samples: [[1, NOW]] }]),
    Buffer.from([0x2a, 0x08, 0x0a, 0x02, 0x01, 0x02, 0x2a, 0x02, 0x18, 0x63]),
  ])
  assert.equal((await send(world, missing, 2)).status, 400)
  assert.equal((await send(world, writeRequest1([]), 1)).status, 204)
})
