import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)

async function put(compId: string, streamId: string, times: readonly number[]): Promise<void> {
  const samples = times.map((time) => ({ compId, streamId, time, data: time % 7 }))
  const answer = await owner('PUT', '/api/feed', samples)
  assert.equal(answer.status, 200, answer.text)
}

const noneDerived = { derivedCount: 0, derived: [] }

async function uidsOf(compId: string) {
  const { component } = (await owner('GET', '/api/component')).body
  const { uid } = component.find((one: { id: string }) => one.id === compId)
  const { stream } = (await owner('GET', `/api/component/${uid}/stream`)).body
  return { uid, streams: stream.map((one: { uid: string }) => one.uid) as string[] }
}

test('the extent of a component and of a stream counts what is in memory and what is sealed', async () => {
  const times = Array.from({ length: 500 }, (_, at) => 1_700_000_000_000 + at * 60_000)
  await put('c1', 'a', times)
  await put('c1', 'b', times.slice(0, 20))
  await service.sealAndRestart()
  await put('c1', 'a', [1_800_000_000_000])
  const { uid, streams } = await uidsOf('c1')
  const path = `/api/component/${uid}`
  const whole = await owner('GET', `${path}/extent`)
  assert.deepEqual(whole.body, {
    message: '',
    extent: { streamCount: 2, sampleCount: 521, isWhole: true, ...noneDerived },
    totalCount: 1,
    success: true,
  })
  const one = await owner('GET', `${path}/stream/${streams[1]}/extent`)
  assert.deepEqual(one.body.extent, {
    streamCount: 1,
    sampleCount: 20,
    isWhole: true,
    ...noneDerived,
  })
})

test('a component without streams has an extent of nothing', async () => {
  const made = await owner('PUT', '/api/component', { component: { name: 'bare' } })
  const { body } = await owner('GET', `/api/component/${made.body.component.uid}/extent`)
  assert.deepEqual(body.extent, { streamCount: 0, sampleCount: 0, isWhole: true, ...noneDerived })
})

test('what is of another component or organization is not found, and rights are asked first', async () => {
  await put('c2', 'a', [1])
  await put('c3', 'a', [1])
  const [two, three] = [await uidsOf('c2'), await uidsOf('c3')]
  const crossed = `/api/component/${two.uid}/stream/${three.streams[0]}/extent`
  assert.equal((await owner('GET', crossed)).status, 404)
  assert.equal((await owner('GET', '/api/component/none/extent')).status, 404)
  const made = await owner('PUT', '/api/organization', { organization: { name: 'Other' } })
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const other = caller(service, `${session}; org=${made.body.organization.uid}`)
  assert.equal((await other('GET', `/api/component/${two.uid}/extent`)).status, 404)
  const capabilities = [{ resource: `component/${two.uid}/feed`, methods: ['GET'] }]
  const key = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  const narrow = caller(service, `api_key=${key.body.api_key.secretKey}`)
  assert.equal((await narrow('GET', `/api/component/${two.uid}/extent`)).status, 200)
  assert.equal((await narrow('GET', `/api/component/${three.uid}/extent`)).status, 403)
  assert.equal((await narrow('GET', '/api/component/none/extent')).status, 403)
})

test('the extent names the streams that get nothing more, also by way of others, as far as they may be seen', async () => {
  const derived = (componentId: string, streamId: string) => ({
    derivation: { expression: 'x * 2', variables: [{ name: 'x', componentId, streamId }] },
  })
  const make = async (component: object) =>
    (await owner('PUT', '/api/component', { component })).body.component
  const stream = [
    { id: 'raw', valueType: 'DOUBLE' },
    { id: 'own', ...derived('', 'raw') },
    { id: 'spare', valueType: 'DOUBLE' },
  ]
  const source = await make({ id: 'source', stream })
  const twice = { id: 'twice', name: 'Twice', ...derived('source', 'raw') }
  const near = await make({ id: 'near', name: 'Near', stream: [twice] })
  const far = await make({
    id: '',
    name: 'Far',
    stream: [{ name: 'Again', ...derived('near', 'twice') }],
  })
  const [raw, own, spare] = source.stream.map(({ uid }: { uid: string }) => uid)
  const path = `/api/component/${source.uid}`
  const reply = {
    twice: {
      componentUid: near.uid,
      componentId: 'near',
      componentName: 'Near',
      streamUid: near.stream[0].uid,
      streamId: 'twice',
      streamName: 'Twice',
    },
    again: {
      componentUid: far.uid,
      componentId: '',
      componentName: 'Far',
      streamUid: far.stream[0].uid,
      streamId: '',
      streamName: 'Again',
    },
  }
  const whole = (await owner('GET', `${path}/extent`)).body.extent
  assert.deepEqual(whole, {
    streamCount: 3,
    sampleCount: 0,
    isWhole: true,
    derivedCount: 2,
    derived: [reply.twice, reply.again],
  })
  const one = (await owner('GET', `${path}/stream/${raw}/extent`)).body.extent
  const names = one.derived.map((use: { streamUid: string }) => use.streamUid)
  assert.equal(one.derivedCount, 3)
  assert.deepEqual(names.toSorted(), [own, near.stream[0].uid, far.stream[0].uid].toSorted())
  assert.equal(names.at(-1), far.stream[0].uid)
  for (const uid of [own, spare]) {
    assert.equal((await owner('GET', `${path}/stream/${uid}/extent`)).body.extent.derivedCount, 0)
  }
  const capabilities = [{ resource: `component/${source.uid}`, methods: ['GET'] }]
  const key = await owner('PUT', '/api/api_key', { api_key: { name: 'near', capabilities } })
  const narrow = caller(service, `api_key=${key.body.api_key.secretKey}`)
  const seen = (await narrow('GET', `${path}/extent`)).body.extent
  assert.deepEqual([seen.derivedCount, seen.derived], [2, []])
  assert.equal((await owner('DELETE', `${path}/stream/${raw}`)).status, 200)
  assert.equal((await owner('GET', `${path}/extent`)).body.extent.derivedCount, 0)
})

test('an ID in place of a UID is reported as such, by every call below a record', async () => {
  await put('named', 'temperature', [1_700_000_000_000])
  const { uid } = await uidsOf('named')
  const calls: readonly [method: string, path: string, noun: string, body?: object][] = [
    ['GET', 'component/named/extent', 'component "named"'],
    ['GET', `component/${uid}/stream/temperature/extent`, 'stream "temperature"'],
    ['GET', `component/${uid}/stream/temperature/graph`, 'stream "temperature"'],
    ['POST', `component/${uid}/stream/temperature/derive`, 'stream "temperature"', {}],
    ['GET', 'connector/my-sink/payload', 'connector "my-sink"'],
    ['POST', 'connection/my-database/test', 'connection "my-database"', {}],
  ]
  for (const [method, path, noun, body] of calls) {
    const answer = await owner(method, `/api/${path}`, body)
    assert.equal(answer.status, 404, `${path}: ${answer.text}`)
    const expected = `Cannot find ${noun}: it is looked for by its UID, not by its ID`
    assert.equal(answer.body.message, expected, path)
  }
})
