import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type Service, startService } from '../../support/service.ts'

let service: Service
let owner: Call

before(async () => {
  service = await startService()
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
})
after(() => service.close())

async function put(compId: string, streamId: string, times: readonly number[]): Promise<void> {
  const samples = times.map((time) => ({ compId, streamId, time, data: time % 7 }))
  const answer = await owner('PUT', '/api/feed', samples)
  assert.equal(answer.status, 200, answer.text)
}

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
    extent: { streamCount: 2, sampleCount: 521, isWhole: true },
    ...{ totalCount: 1, success: true },
  })
  const one = await owner('GET', `${path}/stream/${streams[1]}/extent`)
  assert.deepEqual(one.body.extent, { streamCount: 1, sampleCount: 20, isWhole: true })
})

test('a component without streams has an extent of nothing', async () => {
  const made = await owner('PUT', '/api/component', { component: { name: 'bare' } })
  const { body } = await owner('GET', `/api/component/${made.body.component.uid}/extent`)
  assert.deepEqual(body.extent, { streamCount: 0, sampleCount: 0, isWhole: true })
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
