import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Call, caller } from '../../support/caller.ts'
import { Random, testSeeds } from '../../support/random.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const T0 = Date.parse('2026-03-01T00:00:00Z')
const MINUTE = 60_000
const STREAMS = ['temp', 'state', 'door', 'empty'] as const
const service = serviceOfFile()
const owner = ownerOfFile(service)
let hall: SeededComponent
let barn: SeededComponent

before(async () => {
  const streams = [
    { id: 'temp', valueType: 'DOUBLE', unit: 'celsius' },
    { id: 'state', valueType: 'STRING' },
    { id: 'door', valueType: 'BOOLEAN' },
    { id: 'empty', valueType: 'DOUBLE' },
  ]
  hall = await seedComponent(service, { id: 'hall', timeZoneId: 'Asia/Tokyo' }, streams)
  barn = await seedComponent(service, { id: 'barn' }, streams)
  for (const id of ['hall', 'barn']) {
    const samples = (function* () {
      for (let at = 0; at < 3_000; at++) {
        const time = T0 + at * MINUTE
        yield ['temp', time, (at * 7) % 31] as const
        yield ['state', time, `s${Math.floor(at / 50) % 4}`] as const
        yield ['door', time, at % 90 < 10] as const
      }
    })()
    await putSamples(service, id, samples)
  }
})

interface Asked {
  readonly componentUid: string
  readonly streamUid: string
  readonly from?: number
  readonly until?: number
  readonly points?: number
  readonly cycle?: string
  readonly stat?: string
}

async function single(call: Call, { componentUid, streamUid, ...query }: Asked) {
  const params = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
  )
  return await call('GET', `/api/component/${componentUid}/stream/${streamUid}/plot?${params}`)
}

function randomPlot(random: Random): Asked {
  const component = random.pick([hall, barn])
  const from = T0 + random.integer(-100, 3_000) * MINUTE
  const range = { from, until: from + random.integer(1, 4_000) * MINUTE }
  const id = random.pick(STREAMS)
  // Without samples, a plot without a range ends at the moment of the call.
  const isRanged = id === 'empty' || random.next() < 0.8
  return {
    componentUid: component.uid,
    streamUid: component.uidOf(id),
    ...(isRanged ? range : {}),
    ...(random.next() < 0.8 ? { points: random.integer(1, 900) } : {}),
    ...(random.next() < 0.3 ? { cycle: random.pick(['hour', 'day']), stat: 'last' } : {}),
  }
}

test('POST /api/plot answers each plot as a call for it alone does', async () => {
  const [seed] = testSeeds(1)
  const random = new Random(seed)
  const plot = Array.from({ length: 60 }, () => randomPlot(random))
  const { status, body, text } = await owner('POST', '/api/plot', { plot })
  assert.equal(status, 200, text)
  for (const [at, asked] of plot.entries()) {
    const alone = await single(owner, asked)
    const about = `seed ${seed}, ${JSON.stringify(asked)}`
    if (alone.status === 200) assert.deepEqual(body.answer[at], { plot: alone.body.plot }, about)
    else assert.equal(body.answer[at].error.status, alone.status, about)
  }
})

test('a stream that is not there, or that the caller may not read, takes no other along', async () => {
  const made = await owner('PUT', '/api/api_key', {
    api_key: {
      name: 'hall',
      capabilities: [{ resource: `component/${hall.uid}/feed`, methods: ['GET'] }],
    },
  })
  const key = caller(service, `api_key=${made.body.api_key.secretKey}`)
  const nowhere = '0192f3a1-7c1e-4b7a-9d55-0a1b2c3d4e5f'
  const temp = { componentUid: hall.uid, streamUid: hall.uidOf('temp') }
  const plot: Asked[] = [
    temp,
    { componentUid: barn.uid, streamUid: barn.uidOf('temp') },
    { componentUid: hall.uid, streamUid: nowhere },
    { componentUid: hall.uid, streamUid: barn.uidOf('temp') },
    { ...temp, cycle: 'fortnight', stat: 'avg' },
    { ...temp, cycle: 'day' },
    { ...temp, from: 5, until: 5 },
    { ...temp, points: 3 },
  ]
  const { status, body, text } = await key('POST', '/api/plot', { plot })
  assert.equal(status, 200, text)
  const statuses = body.answer.map((one: { error?: { status: number } }) => one.error?.status)
  assert.deepEqual(statuses, [undefined, 403, 404, 404, 404, 400, 400, undefined])
  assert.equal(body.answer[7].plot.form, 'spans')
  const others = body.answer.slice(1, 4).map((one: object) => JSON.stringify(one))
  assert.ok(others.every((one: string) => !one.includes('"temp"') && !one.includes('columns')))
})

test('a caller who may read nowhere, or asks for too much, is refused as a whole', async () => {
  const made = await owner('PUT', '/api/api_key', {
    api_key: { name: 'none', capabilities: [{ resource: 'unit', methods: ['GET'] }] },
  })
  const none = caller(service, `api_key=${made.body.api_key.secretKey}`)
  const one = { componentUid: hall.uid, streamUid: hall.uidOf('temp') }
  assert.equal((await none('POST', '/api/plot', { plot: [one] })).status, 403)
  assert.equal((await none('POST', '/api/plot', { plot: 'x' })).status, 403)
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{}, /plot/],
    [{ plot: 1 }, /plot/],
    [{ plot: [{ componentUid: hall.uid }] }, /streamUid/],
    [{ plot: [{ ...one, points: 0 }] }, /points/],
    [{ plot: [{ ...one, stat: 'median' }] }, /stat/],
    [{ plot: Array.from({ length: 201 }, () => one) }, /200/],
    [{ plot: Array.from({ length: 51 }, () => ({ ...one, points: 4_000 })) }, /200000/],
  ]
  for (const [body, message] of wrong) {
    const { status, text } = await owner('POST', '/api/plot', body)
    assert.equal(status, 400, text)
    assert.match(text, message)
  }
  const nothing = await owner('POST', '/api/plot', { plot: [] })
  assert.deepEqual([nothing.status, nothing.body.answer], [200, []])
})
