/** NaN, the infinities, and the stale marker of remote write: stored exactly, and shown to query protocols alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamHandle } from '../../../src/store/index.ts'
import { openLiveClient } from '../../support/live-client.ts'
import {
  packSnappy,
  REMOTE_WRITE_TYPES,
  type WrittenSeries,
  writeRequest1,
} from '../../support/remote-write.ts'
import { startWorld, type World } from '../../support/world.ts'

const NOW = 1_700_000_000_000
const STALE = 0x7ff0000000000002n
const NAN = 0x7ff8000000000001n
const INFINITE = 0x7ff0000000000000n
const MINUS_INFINITE = 0xfff0000000000000n
const UIDS = /[0-9a-f]{8}-[0-9a-f-]{27}/g
const LABELS = { __name__: 'up', instance: 'host', job: 'node' }

type Sample = WrittenSeries['samples'][number]

function send({ service }: World, samples: readonly Sample[], labels = LABELS, key = '') {
  return fetch(`${service.url}/api/v1/write`, {
    method: 'POST',
    body: packSnappy(writeRequest1([{ labels, samples }])),
    headers: {
      'X-Api-Key': key === '' ? service.feedKey : key,
      'Content-Encoding': 'snappy',
      'Content-Type': REMOTE_WRITE_TYPES[1],
    },
  })
}

async function write(world: World, samples: readonly Sample[], labels = LABELS) {
  const answer = await send(world, samples, labels)
  assert.equal(answer.status, 204, await answer.text())
}

function handleOf({ service }: World, compId = 'host', streamId = 'up'): StreamHandle {
  const { index } = service.app.catalog
  const handle = index.resolve(service.orgUid, compId, streamId)
  assert.ok(handle !== 0)
  return handle
}

/** The samples with their bits, as a query protocol reads them. */
async function bitsOf(world: World, handle: StreamHandle): Promise<[number, bigint][]> {
  const all = { from: 0, until: 2 * NOW, limit: 1_000 }
  const { count, times, values } = await world.service.app.feed.readWithSpecials(handle, all)
  const bits = new BigUint64Array(values.slice(0, count).buffer)
  return Array.from({ length: count }, (_, at) => [times[at], bits[at]])
}

function bits(value: number): bigint {
  return new BigUint64Array(Float64Array.of(value).buffer)[0]
}

test('remote write keeps special values bit for bit, over seals and restarts', async (t) => {
  const world = await startWorld(t)
  await write(world, [
    [1, NOW],
    [NAN, NOW + 1],
    [INFINITE, NOW + 2],
    [MINUS_INFINITE, NOW + 3],
    [2, NOW + 4],
    [STALE, NOW + 5],
  ])
  const expected = [
    [NOW, bits(1)],
    [NOW + 1, NAN],
    [NOW + 2, INFINITE],
    [NOW + 3, MINUS_INFINITE],
    [NOW + 4, bits(2)],
    [NOW + 5, STALE],
  ]
  const handle = handleOf(world)
  assert.deepEqual(await bitsOf(world, handle), expected)
  await world.service.restart()
  assert.deepEqual(await bitsOf(world, handle), expected)
  await world.service.sealAndRestart()
  assert.deepEqual(await bitsOf(world, handle), expected)
})

test('special values are invisible to feed, last values, statistics, GS SQL, and plots', async (t) => {
  const world = await startWorld(t)
  const numbers: Sample[] = [
    [1, NOW],
    [3, NOW + 7_000_000],
  ]
  const specials: Sample[] = [
    [NAN, NOW - 90_000_000],
    [INFINITE, NOW + 1],
    [NAN, NOW + 3_600_000],
    [STALE, NOW + 90_000_000],
  ]
  await write(world, [...numbers, ...specials], { ...LABELS, instance: 'with' })
  await write(world, numbers, { ...LABELS, instance: 'without' })
  const range = `sd=${NOW - 10 ** 9}&ed=${NOW + 10 ** 9}`
  const statistics = [
    'nongapcount',
    'gapcount',
    'max',
    'avg',
    'first',
    'last',
    'sum',
    'milliseccount',
  ].flatMap((stat) => [
    `cycle/day/stat/${stat}/feed?${range}`,
    `cycle/hour/stat/${stat}/last_value?x`,
  ])
  const paths = [
    'feed?x',
    `feed?${range}&format=csv`,
    'last_value?x',
    `plot?${range}`,
    ...statistics,
  ]
  const checkAll = async () => {
    for (const path of paths) {
      const [shown, expected] = await Promise.all(
        ['with', 'without'].map(async (comp) => {
          const answer = await world.feed.call('GET', `/comp/${comp}/stream/up/${path}`)
          assert.equal(answer.status, 200, `${path}: ${answer.text}`)
          return answer.text.replaceAll(UIDS, '').replaceAll(`"${comp}"`, '')
        }),
      )
      assert.equal(shown, expected, path)
    }
    const sql = `SELECT cid, count(*), min(time), max(time) FROM SAMPLE(Range(sd = ${NOW - 10 ** 9}, ed = ${NOW + 10 ** 9}))
      WHERE id = 'up' GROUP BY cid ORDER BY cid`
    const { body, text } = await world.owner('POST', '/api/gql', { sql })
    const all = [2, NOW, NOW + 7_000_000]
    assert.deepEqual(
      body.rows,
      [
        ['with', ...all],
        ['without', ...all],
      ],
      text,
    )
  }
  await checkAll()
  await world.service.sealAndRestart()
  await checkAll()
})

test('a live connection hears of numbers alone, and of a number that a special value replaces', async (t) => {
  const world = await startWorld(t)
  await write(world, [[1, NOW]])
  const live = await openLiveClient(world.service, 'comp=host', {
    'X-Api-Key': world.service.feedKey,
  })
  t.after(() => live.close())
  await live.ready()
  await write(world, [[NAN, NOW + 1]])
  await write(world, [[2, NOW + 2]])
  const event = await live.until(({ event, data }) => event !== 'ready' && data.time !== NOW)
  assert.deepEqual([event.event, event.data.time, event.data.data], ['sample', NOW + 2, 2])
})

test('a later sample at the time of a special value replaces it, and the other way round', async (t) => {
  const world = await startWorld(t)
  await write(world, [
    [1, NOW],
    [NAN, NOW + 1],
  ])
  const handle = handleOf(world)
  await write(world, [
    [STALE, NOW],
    [5, NOW + 1],
  ])
  const expected = [
    [NOW, STALE],
    [NOW + 1, bits(5)],
  ]
  assert.deepEqual(await bitsOf(world, handle), expected)
  assert.deepEqual(await world.feed.get('host', 'up'), [[NOW + 1, 5]])
  await world.service.sealAndRestart()
  assert.deepEqual(await bitsOf(world, handle), expected)
  // Within one body the last of several points at one time counts as well.
  await write(world, [
    [7, NOW],
    [STALE, NOW],
    [NAN, NOW + 1],
    [8, NOW + 1],
  ])
  assert.deepEqual(await bitsOf(world, handle), [
    [NOW, STALE],
    [NOW + 1, bits(8)],
  ])
})

test('deleting a range takes special values out, and deleting the stream all of them', async (t) => {
  const world = await startWorld(t)
  const { feed, owner } = world
  await write(world, [
    [NAN, NOW],
    [1, NOW + 1],
    [STALE, NOW + 2],
  ])
  const handle = handleOf(world)
  const { body } = await owner('GET', '/api/component?limit=10')
  const [{ uid }] = body.component
  const streams = await owner('GET', `/api/component/${uid}/stream`)
  const [stream] = streams.body.stream
  const path = `/api/component/${uid}/stream/${stream.uid}`
  const deleted = await owner('DELETE', `${path}/feed?sd=${NOW}&ed=${NOW + 2}`)
  assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
  assert.deepEqual(await bitsOf(world, handle), [[NOW + 2, STALE]])
  assert.deepEqual(await feed.get('host', 'up'), [])
  assert.equal((await owner('DELETE', path)).status, 200)
  await write(world, [[2, NOW + 5]])
  const again = handleOf(world)
  assert.notEqual(again, handle)
  assert.deepEqual(await bitsOf(world, again), [[NOW + 5, bits(2)]])
  assert.deepEqual(await bitsOf(world, handle), [])
})

test('a series whose first points are special gets a stream of doubles', async (t) => {
  const world = await startWorld(t)
  await write(world, [[NAN, NOW]])
  await write(world, [[1.5, NOW + 1]])
  assert.deepEqual(await bitsOf(world, handleOf(world)), [
    [NOW, NAN],
    [NOW + 1, bits(1.5)],
  ])
  assert.deepEqual(await world.feed.get('host', 'up'), [[NOW + 1, 1.5]])
})

test('special values are refused where the stream of the address holds texts', async (t) => {
  const world = await startWorld(t)
  await world.feed.putJson([{ compId: 'host', streamId: 'up', data: 'on' }])
  await write(world, [[1, NOW]])
  const { body } = await world.owner('GET', '/api/component?limit=10')
  const streams = await world.owner('GET', `/api/component/${body.component[0].uid}/stream`)
  const ids = streams.body.stream.map(({ id, valueType }: { id: string; valueType: string }) => [
    id.slice(0, 3),
    valueType,
  ])
  assert.deepEqual(ids, [
    ['up', 'STRING'],
    ['up~', 'DOUBLE'],
  ])
})

test('special values of a caller without the right are refused', async (t) => {
  const world = await startWorld(t)
  await write(world, [[1, NOW]])
  const key = { name: 'other', capabilities: [{ resource: 'component/x/feed', methods: ['PUT'] }] }
  const made = await world.owner('PUT', '/api/api_key', {
    api_key: key,
    currentPassword: world.service.ownerPassword,
  })
  const secret = made.body.api_key?.secretKey ?? made.body.api_key?.secret
  const answer = await send(world, [[NAN, NOW + 1]], LABELS, secret)
  assert.equal(answer.status, 403, `${await answer.text()} ${made.text}`)
  assert.deepEqual(await bitsOf(world, handleOf(world)), [[NOW, bits(1)]])
})
