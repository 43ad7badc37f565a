import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { methods } from '../../../src/access/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { type LiveClient, openLiveClient } from '../../support/live-client.ts'
import { type Service, startService } from '../../support/service.ts'

let service: Service
let feed: FeedClient
let owner: Call
const uids: Record<string, string> = {}
const open: LiveClient[] = []
before(async () => {
  service = await startService({ settings: { WEIR_LIVE: 'perSecond=50' } })
  feed = new FeedClient(service)
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  for (const id of ['own', 'other']) {
    const stream = [{ id: 's1' }, { id: 's2' }]
    const made = await owner('PUT', '/api/component', { component: { id, stream } })
    uids[id] = made.body.component.uid
    for (const one of made.body.component.stream) uids[`${id}/${one.id}`] = one.uid
  }
})
after(async () => {
  for (const client of open) client.close()
  await service.close()
})

interface Entry {
  readonly resource: string
  readonly methods: readonly string[]
}

async function makeKey(capabilities: readonly Entry[]): Promise<{ uid: string; secret: string }> {
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  assert.equal(made.status, 200, made.text)
  return { uid: made.body.api_key.uid, secret: made.body.api_key.secretKey }
}

async function connect(query: string, headers: Record<string, string>): Promise<LiveClient> {
  const client = await openLiveClient(service, query, headers)
  open.push(client)
  return client
}

const byKey = (secret: string) => ({ 'X-Api-Key': secret })

async function put(compId: string, streamId: string, time: number, data: number): Promise<void> {
  const { status, text } = await feed.putJson([{ compId, streamId, time, data }])
  assert.equal(status, 200, text)
}

test('GET /api/live lets each credential follow what it may read, and nothing else', async () => {
  const get = ['GET']
  const matrix: [Entry[], Record<string, number>][] = [
    [[{ resource: '*', methods: get }], { own: 200, 'own/s1': 200, other: 200, catalog: 200 }],
    [
      [{ resource: 'component/*/feed', methods: get }],
      { own: 200, 'own/s2': 200, other: 200, catalog: 403 },
    ],
    [
      [{ resource: `component/${uids.own}/feed`, methods: get }],
      { own: 200, 'own/s1': 200, other: 403, 'other/s1': 403, catalog: 403 },
    ],
    [
      [{ resource: `component/${uids.own}/stream/${uids['own/s1']}/feed`, methods: get }],
      { own: 200, 'own/s1': 200, 'own/s2': 403, other: 403 },
    ],
    [
      [
        { resource: 'component/*/feed', methods: get },
        { resource: `component/${uids.other}/feed`, methods: [] },
      ],
      { own: 200, other: 403, 'other/s1': 403 },
    ],
    [[{ resource: 'component/*/feed', methods: ['PUT'] }], { own: 403, nowhere: 403 }],
    [[{ resource: 'unit', methods }], { own: 403, catalog: 403 }],
  ]
  for (const [capabilities, expected] of matrix) {
    const { secret } = await makeKey(capabilities)
    for (const [asked, status] of Object.entries(expected)) {
      const [compId, streamId] = asked.split('/')
      const stream = streamId === undefined ? '' : `&stream=${streamId}`
      const query = asked === 'catalog' ? 'catalog' : `comp=${compId}${stream}`
      const client = await connect(query, byKey(secret))
      const shown = `${JSON.stringify(capabilities)} ${asked}`
      assert.equal(client.status, status, shown)
      if (status === 200) continue
      const text = await client.ended()
      for (const uid of Object.values(uids)) assert.ok(!text.includes(uid), text)
    }
  }
})

test('GET /api/live of a component sends only the streams that the caller may read', async () => {
  const resource = `component/${uids.own}/stream/${uids['own/s2']}/feed`
  const { secret } = await makeKey([{ resource, methods: ['GET'] }])
  const client = await connect('comp=own', byKey(secret))
  await client.ready()
  await put('own', 's1', 10, 1)
  await put('own', 's2', 10, 2)
  const { data } = await client.next('sample')
  assert.equal(data.streamId, 's2')
})

test('GET /api/live knows nothing of other organizations', async () => {
  const made = await owner('PUT', '/api/organization', { organization: { name: 'Elsewhere' } })
  assert.equal(made.status, 200, made.text)
  const elsewhere = made.body.organization.uid
  const cookie = await signIn(service, service.ownerEmail, service.ownerPassword)
  const there = caller(service, `${cookie}; org=${elsewhere}`)
  const key = await there('PUT', '/api/api_key', {
    api_key: { name: 'k', capabilities: [{ resource: '*', methods }] },
  })
  assert.equal(key.status, 200, key.text)
  const secret = key.body.api_key.secretKey
  const client = await connect(
    `comp=own&compUid=${uids.own}&streamUid=${uids['own/s1']}&catalog`,
    byKey(secret),
  )
  assert.deepEqual((await client.next('missing')).data, { compId: 'own' })
  assert.deepEqual((await client.next('missing')).data, { compUid: uids.own })
  await put('own', 's1', 20, 1)
  await owner('PUT', '/api/component', { component: { id: 'unheard' } })
  const put2 = await fetch(`${service.url}/api/feed?compId=own&s1=42`, {
    method: 'PUT',
    headers: byKey(secret),
  })
  assert.equal(put2.status, 200)
  const seen = [await client.until(() => true), await client.until(() => true)]
  const names = seen.map(({ event }) => event).sort()
  assert.deepEqual(names, ['catalog', 'sample'])
  for (const { event, data } of seen) {
    if (event === 'sample') assert.equal(data.data, 42)
    else assert.equal(data.components.length, 1)
  }
})

test('GET /api/live ends when its key is deleted, disabled or narrowed', async () => {
  const all = [{ resource: 'component/*/feed', methods: ['GET'] }]
  const elsewhere = [{ resource: `component/${uids.other}/feed`, methods: ['GET'] }]
  const endings: ((uid: string) => Promise<{ status: number }>)[] = [
    (uid) => owner('DELETE', `/api/api_key/${uid}`),
    (uid) => owner('POST', `/api/api_key/${uid}`, { api_key: { capabilities: [] } }),
    (uid) => owner('POST', `/api/api_key/${uid}`, { api_key: { capabilities: elsewhere } }),
    (uid) => owner('POST', `/api/api_key/${uid}`, { api_key: { ipAddresses: ['192.0.2.1'] } }),
  ]
  for (const [at, end] of endings.entries()) {
    const { uid, secret } = await makeKey(all)
    const client = await (await connect('comp=own&stream=s1', byKey(secret))).ready()
    assert.equal((await end(uid)).status, 200)
    await put('own', 's1', 1_000 + at, at)
    const { event, data } = await client.until(
      ({ event, data: { time } }) => event === 'end' || time === 1_000 + at,
    )
    assert.equal(event, 'end', JSON.stringify(data))
    assert.equal(data.code, at === 0 ? 'unauthorized' : 'forbidden')
    await client.ended()
  }
})

test('GET /api/live ends when its session ends, its user is demoted or removed', async () => {
  const email = 'guest@example.com'
  const password = 'a long enough sentence'
  const made = await owner('PUT', '/api/org_user', { org_user: { email, password, role: 'GUEST' } })
  assert.equal(made.status, 200, made.text)
  const cookie = await signIn(service, email, password)
  const first = await (await connect('comp=own', { Cookie: cookie })).ready()
  const out = await caller(service, cookie)('DELETE', '/api/login')
  assert.equal(out.status, 200, out.text)
  assert.equal((await first.next('end')).data.code, 'unauthorized')
  const again = await signIn(service, email, password)
  const second = await (await connect('comp=own', { Cookie: again })).ready()
  const uid = made.body.org_user.uid
  assert.equal((await owner('DELETE', `/api/org_user/${uid}`)).status, 200)
  const { data } = await second.next('end')
  assert.ok(['forbidden', 'unauthorized'].includes(data.code), data.code)
})

test('GET /api/live goes on when rights change that are not its own', async () => {
  const { secret } = await makeKey([{ resource: 'component/*/feed', methods: ['GET'] }])
  const client = await (await connect('comp=own&stream=s2', byKey(secret))).ready()
  const { uid } = await makeKey([{ resource: 'unit', methods: ['GET'] }])
  await owner('DELETE', `/api/api_key/${uid}`)
  await put('own', 's2', 5_000, 5)
  const { data } = await client.until(
    ({ event, data: { time } }) => event === 'sample' && time > 10,
  )
  assert.equal(data.data, 5)
})
