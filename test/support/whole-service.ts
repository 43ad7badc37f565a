/** A service with something of every kind, and what it answers: for tests that bring all of it elsewhere. */
import assert from 'node:assert/strict'
import { DemoClient } from '../../src/demo/demo-client.ts'
import { seedGreenhouse } from '../../src/demo/seed-greenhouse.ts'
import { caller, signIn } from './caller.ts'
import { callSink, VALUES_SQL, valuesBody } from './connector-home.ts'
import { FeedClient } from './feed-client.ts'
import { putFile } from './file-client.ts'
import type { Service } from './service.ts'
import { eventually } from './settle.ts'

const PASSWORD = 'correct horse battery'
const NOW_MS = Date.UTC(2026, 0, 15, 12)

/** Fills a service: records of all kinds, samples of all types, files, payloads, and some that are deleted again. */
export async function fillService(service: Service): Promise<void> {
  const { url, ownerEmail: email, ownerPassword: password, orgUid } = service
  const client = await DemoClient.signIn({ url, email, password })
  await seedGreenhouse(client, { nowMs: NOW_MS, days: 1 })
  const owner = caller(service, await signIn(service, email, password))
  await putSamples(service, owner)
  const put = async (path: string, body: object) => {
    const answer = await owner('PUT', path, body)
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    return answer.body
  }
  await put('/api/org_user', {
    org_user: {
      email: 'member@weir.example',
      password: PASSWORD,
      role: 'MEMBER',
      firstName: 'Ümit',
    },
  })
  await put('/api/organization', { organization: { name: 'Another' } })
  await put('/api/api_key', {
    api_key: { name: 'k', capabilities: [{ resource: 'unit', methods: ['GET'] }] },
  })
  await put('/api/delete_profile', {
    delete_profile: { id: 'years', name: 'Years', sizeType: 'YEAR', count: 50 },
  })
  await put('/api/cycle', { cycle: { id: 'shift', name: 'Shift', sizeType: 'HOUR', count: 8 } })
  await put('/api/oauth_client', {
    oauth_client: { name: 'App', redirectUris: ['https://app.example/back'], type: 'confidential' },
  })
  const { org_user: users } = (await owner('GET', '/api/org_user')).body
  const { uid } = users.find((user: { email: string }) => user.email === email)
  await put('/api/connector', {
    connector: {
      id: 'hook',
      name: 'hook',
      connType: 'HTTP',
      runningUser: { uid },
      procs: [{ timeZoneId: 'UTC', sql: VALUES_SQL }],
    },
  })
  for (const value of [1, 2, 3]) {
    const body = valuesBody('sunk', { s: 'x', x: value })
    await callSink(service, { orgUid, id: 'hook' }, { body, key: service.feedKey })
  }
  await callSink(service, { orgUid, id: 'hook' }, { body: 'no JSON', key: service.feedKey })
  await raiseAlert(service, owner, uid)
  const { component: gone } = await put('/api/component', {
    component: { id: 'gone', stream: [{ id: 's' }] },
  })
  await new FeedClient(service).putJson([{ compId: 'gone', streamId: 's', time: 1, data: 5 }])
  assert.equal((await owner('DELETE', `/api/component/${gone.uid}`)).status, 200)
  await jobsEnd(owner)
}

/** Makes alerts and a channel: one alert fires and is acknowledged, one is muted. */
async function raiseAlert(
  service: Service,
  owner: ReturnType<typeof caller>,
  userUid: string,
): Promise<void> {
  const call = async (method: string, path: string, body: object) => {
    const answer = await owner(method, path, body)
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    return answer.body
  }
  const secrets = {
    url: 'https://hooks.example/path',
    token: 'a-token',
    secret: 'a-signing-secret',
  }
  const { channel } = await call('PUT', '/api/channel', { channel: { name: 'Ops', ...secrets } })
  const stream = [{ id: 'temp', valueType: 'DOUBLE', labels: { site: 'north' } }]
  await call('PUT', '/api/component', { component: { id: 'watched', stream } })
  const common = { condition: 'value > 30', runningUser: { uid: userUid } }
  const muted = {
    ...common,
    name: 'Muted',
    labels: { site: 'north' },
    channels: [{ uid: channel.uid }],
  }
  const { alert: quiet } = await call('PUT', '/api/alert', { alert: muted })
  await call('POST', `/api/alert/${quiet.uid}/mute`, { mute: { untilMs: null } })
  const streams = [{ componentId: 'watched', streamId: 'temp' }]
  const { alert } = await call('PUT', '/api/alert', { alert: { ...common, name: 'Hot', streams } })
  await service.app.alertWorker.settle()
  await new FeedClient(service).put('compId=watched&temp=31')
  await service.app.alertWorker.settle()
  for (const { uid } of [quiet, alert]) {
    assert.equal((await owner('GET', `/api/alert/${uid}`)).body.alert.state, 'FIRING')
  }
  const acknowledge = { comment: 'On my way' }
  await call('POST', `/api/alert/${alert.uid}/acknowledge`, { acknowledge })
}

/** Waits until nothing is derived over history any more. */
async function jobsEnd(owner: ReturnType<typeof caller>): Promise<void> {
  await eventually(async () => {
    const { job } = (await owner('GET', '/api/job?limit=1000')).body as Listed
    assert.ok(job.every(({ status }) => status !== 'RUNNING'))
  })
}

/** Values at the ends of what streams take, in order and out of it, overwritten and deleted. */
async function putSamples(service: Service, owner: ReturnType<typeof caller>): Promise<void> {
  const feed = new FeedClient(service)
  const sample = (sid: string, time: number, data: unknown) => ({
    compId: 'odd',
    streamId: sid,
    time,
    data,
  })
  const doubles = [0.1, -0, 5e-324, 1.7976931348623157e308, -1 / 3, 1e21]
  const times = [-2_208_988_800_000, 4_102_444_799_999, 0, -1, 1_700_000_000_000]
  const samples = [
    ...doubles.map((value, at) => sample('doubles', 1_000 + at, value)),
    ...times.map((time, at) => sample('times', time, at + 0.5)),
    ...['', 'ü 😀 "quoted"', 'x'.repeat(70_000), '5'].map((text, at) => sample('texts', at, text)),
    ...[true, false, true].map((value, at) => sample('flags', at, value)),
    ...Array.from({ length: 9_000 }, (_, at) => sample('many', at * 1_000, at % 7)),
  ]
  const { status, text } = await feed.putJson(samples)
  assert.equal(status, 200, text)
  for (const some of [
    [sample('many', 5_000, 99)],
    [sample('late', 9, 1)],
    [sample('late', 3, 2)],
  ]) {
    assert.equal((await feed.putJson(some)).status, 200)
  }
  const deleted = await owner('DELETE', '/api/comp/odd/stream/many/feed?sd=7000&ed=20000')
  assert.equal(deleted.status, 200, deleted.text)
  await putFile(
    service,
    '/comp/odd/stream/files/feed/file/small.txt?time=5',
    'a small file',
    'text/plain',
  )
  const large = new Uint8Array(1_300_000).map((_, at) => (at * 7919) >> 3)
  await putFile(service, '/comp/odd/stream/files/feed/file/large.bin?time=6', large)
  await putFile(service, '/comp/odd/stream/files/feed/file/empty.bin?time=7', '')
}

/** Lists of records whose fields are compared as they are. */
const LISTS = [
  'component',
  'component_template',
  'component_folder',
  'cycle',
  'unit',
  'delete_profile',

  'alert',
  'dashboard',
  'query',
  'connector',
  'channel',
  'org_user',
  'api_key',
  'oauth_client',
  'oauth_grant',
  'job',
]

/** Everything that a service answers of what it holds, by what was asked. */
export async function askEverything(
  service: Pick<Service, 'url'>,
  session: string,
): Promise<Record<string, string>> {
  const owner = caller(service, session)
  const output: Record<string, string> = {}
  const ask = async (path: string) => {
    const { status, text, body } = await owner('GET', path)
    output[path] = `${status} ${masked(text)}`
    return body
  }
  const lists: Listed = {}
  for (const kind of LISTS) lists[kind] = (await ask(`/api/${kind}?limit=1000`))[kind]
  await ask('/api/organization')
  await ask('/api/audit?limit=1000')
  for (const { uid } of lists.alert) {
    await ask(`/api/alert/${uid}/state`)
    await ask(`/api/alert/${uid}/event`)
  }
  for (const { uid } of lists.dashboard) await ask(`/api/dashboard/${uid}`)
  for (const { uid } of lists.connector) {
    const { payload: payloads = [] } = (await ask(`/api/connector/${uid}/payload`)) ?? {}
    for (const one of payloads) await ask(`/api/connector/${uid}/payload/${one.uid}`)
    await ask(`/api/connector/${uid}/run`)
  }
  for (const component of lists.component) await askComponent(ask, owner, component, output)
  return output
}

/** Without the service's own facts: its port, and the time of the last derivation. */
function masked(text: string): string {
  return text.replace(/127\.0\.0\.1:\d+/g, 'service').replace(/"lastRun":\d+/g, '"lastRun":0')
}

type Listed = Record<string, { uid: string; id: string; valueType?: string; status?: string }[]>

async function askComponent(
  ask: (path: string) => Promise<Listed>,
  owner: ReturnType<typeof caller>,
  component: { uid: string; id: string },
  output: Record<string, string>,
): Promise<void> {
  const { uid } = component
  const { stream: streams } = await ask(`/api/component/${uid}/stream?limit=1000`)
  await ask(`/api/comp/${component.id}/last_value`)
  for (const stream of streams) {
    const path = `/api/component/${uid}/stream/${stream.uid}`
    const samples = (await ask(`${path}/feed?limit=10000`)) as unknown as { data: string }[]
    const byId = `/api/comp/${component.id}/stream/${encodeURIComponent(stream.id)}`
    await ask(`${byId}/cycle/day/stat/avg/feed?limit=1000`)
    if (stream.valueType !== 'FILE') continue
    for (const { data } of samples) {
      const { status, headers } = await owner('GET', data)
      output[data] = `${status} ${headers.get('etag')}`
    }
  }
}
