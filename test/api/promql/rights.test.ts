/** Which series a caller sees in queries of PromQL. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { promClient } from '../../support/promql-client.ts'
import { type Service, startService } from '../../support/service.ts'

const NOW = 1_700_000_000_000

async function withOwner(check: (service: Service, owner: Call) => Promise<void>): Promise<void> {
  const service = await startService({ clock: new ManualClock(NOW) })
  try {
    await check(
      service,
      caller(service, await signIn(service, service.ownerEmail, service.ownerPassword)),
    )
  } finally {
    await service.close()
  }
}

async function keyFor(owner: Call, resource: string): Promise<string> {
  const capabilities = [{ resource, methods: ['GET'] }]
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  assert.equal(made.status, 200, made.text)
  return made.body.api_key.secretKey
}

async function putComponent(owner: Call, id: string): Promise<{ uid: string; streams: string[] }> {
  const stream = ['temp', 'load'].map((one) => ({ id: one, valueType: 'DOUBLE' }))
  const made = await owner('PUT', '/api/component', { component: { id, stream } })
  assert.equal(made.status, 200, made.text)
  const samples = ['temp', 'load'].map((streamId, at) => ({
    compId: id,
    streamId,
    data: at + 1,
    time: NOW - 1_000,
  }))
  assert.equal((await owner('PUT', '/api/feed', samples)).status, 200)
  const { uid, stream: streams } = made.body.component
  return { uid, streams: streams.map((one: { uid: string }) => one.uid) }
}

interface Shown {
  readonly metric: Readonly<Record<string, string>>
}

test('a key sees the series that it may GET, in values, labels, and series', () =>
  withOwner(async (service, owner) => {
    const one = await putComponent(owner, 'one')
    await putComponent(owner, 'two')
    const ofComponent = promClient(service, await keyFor(owner, `component/${one.uid}/feed`))
    const stream = `component/${one.uid}/stream/${one.streams[1]}/feed`
    const ofStream = promClient(service, await keyFor(owner, stream))
    const all = promClient(service, await keyFor(owner, 'component/*/feed'))
    const names = async (client: typeof all) => {
      const data = await client.data('/api/v1/query', { query: '{__name__=~".+"}' })
      return data.result.map(({ metric }: Shown) => `${metric.component} ${metric.__name__}`)
    }
    assert.deepEqual(await names(ofStream), ['one load'])
    assert.deepEqual(await names(ofComponent), ['one load', 'one temp'])
    assert.deepEqual(await names(all), ['one load', 'two load', 'one temp', 'two temp'])
    assert.deepEqual(await ofStream.data('/api/v1/label/__name__/values'), ['load'])
    assert.deepEqual(await ofComponent.data('/api/v1/label/component/values'), ['one'])
    assert.deepEqual(await all.data('/api/v1/label/component/values'), ['one', 'two'])
    const series = { 'match[]': ['temp', '{component=~"t.*"}'] }
    assert.deepEqual(await ofComponent.data('/api/v1/series', series), [
      { __name__: 'temp', component: 'one' },
    ])
    assert.equal((await all.data('/api/v1/series', series)).length, 3)
    const counted = await ofComponent.data('/api/v1/query', { query: 'count({__name__!=""})' })
    assert.equal(counted.result[0].value[1], '2')
  }))

test('another organization sees nothing', () =>
  withOwner(async (_service, owner) => {
    await putComponent(owner, 'one')
    const made = await owner('PUT', '/api/organization', { organization: { name: 'Second' } })
    assert.equal(made.status, 200, made.text)
    const org = `org=${made.body.organization.uid}`
    for (const [path, data] of [
      ['query?query=temp', { resultType: 'vector', result: [] }],
      ['query?query={component="one"}', { resultType: 'vector', result: [] }],
      ['labels?x', []],
      ['label/component/values?x', []],
      ['series?match[]=temp', []],
    ] as const) {
      const { body } = await owner('GET', `/api/v1/${path}&${org}`)
      assert.deepEqual(body.data, data, path)
    }
    const own = await owner('GET', '/api/v1/query?query=temp')
    assert.equal(own.body.data.result.length, 1)
  }))

test('a call without a credential, with a wrong one, or without a right is refused in the envelope', () =>
  withOwner(async (service, owner) => {
    for (const path of ['/api/v1/query?query=1', '/prom/api/v1/labels', '/api/v1/rules']) {
      const answer = await fetch(`${service.url}${path}`)
      assert.equal(answer.status, 401, path)
      assert.ok(!/basic/i.test(answer.headers.get('www-authenticate') ?? ''))
      const { status, errorType } = (await answer.json()) as Record<string, string>
      assert.deepEqual([status, errorType], ['error', 'unauthorized'])
    }
    const wrong = await promClient(service, 'nothing').get('/api/v1/query', { query: '1' })
    assert.deepEqual([wrong.status, wrong.body.errorType], [401, 'unauthorized'])
    const narrow = promClient(service, await keyFor(owner, 'unit'))
    for (const path of ['query?query=1', 'labels', 'metadata', 'rules', 'status/buildinfo']) {
      const { status, body } = await narrow.get(`/api/v1/${path}`)
      assert.deepEqual([status, body.status, body.errorType], [403, 'error', 'forbidden'], path)
    }
  }))

test('an API key works as the password or user of Basic, and as Token', () =>
  withOwner(async (service, owner) => {
    const key = await keyFor(owner, 'component/*/feed')
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    for (const authorization of [basic(`any:${key}`), basic(`${key}:`), `Token ${key}`]) {
      const answer = await fetch(`${service.url}/api/v1/query?query=1`, {
        headers: { Authorization: authorization },
      })
      assert.equal(answer.status, 200, authorization.split(' ')[0])
    }
  }))
