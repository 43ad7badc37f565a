/** Two services on one keyspace give the same answers: what one has done the other knows when it must. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type Answer, caller, signIn } from '../../support/caller.ts'
import { ImportHome, LOCAL } from '../../support/import-home.ts'
import { type LiveClient, openLiveClient } from '../../support/live-client.ts'
import { eventually, settlesTo } from '../../support/settle.ts'
import { clusterSkip } from '../../support/test-cluster.ts'
import { openTwoApps, type Peer, type TwoApps } from './two-apps.ts'

const skip = clusterSkip()
const T = Date.UTC(2026, 0, 1)

let apps: TwoApps
let one: Peer
let other: Peer
const listeners: LiveClient[] = []

interface Row {
  readonly time: number
  readonly data: unknown
}

async function fine(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, text, body } = await answer
  assert.ok(status >= 200 && status < 300, `${status} ${text}`)
  return body
}

const put = (peer: Peer, query: string) => fine(peer.device('PUT', `/api/feed?${query}`))

async function read(peer: Peer, comp: string, stream: string): Promise<[number, unknown][]> {
  const rows: Row[] = await fine(
    peer.device('GET', `/api/comp/${comp}/stream/${stream}/feed?c=1000`),
  )
  return rows.map(({ time, data }): [number, unknown] => [time, data]).reverse()
}

/** A key with capabilities, and calls with it through a service. */
async function makeKey(through: Peer, resource: string) {
  const api_key = { name: 'k', capabilities: [{ resource, methods: ['GET', 'PUT'] }] }
  const made = await fine(through.owner('PUT', '/api/api_key', { api_key }))
  const { uid, secretKey } = made.api_key
  const call = (peer: Peer) => caller(peer, '', { 'X-Api-Key': secretKey })
  return { uid: uid as string, call }
}

async function listen(peer: Peer, query: string, headers?: Record<string, string>) {
  const client = await openLiveClient(peer, query, headers)
  listeners.push(client)
  return client
}

function catalogCases(): void {
  test('what one has made the other finds at once, by every way', async () => {
    await put(one, `compId=made&s=1&time=${T}`)
    assert.deepEqual(await read(other, 'made', 's'), [[T, 1]])
    await put(other, `compId=made2&s=2&time=${T}`)
    const listed = await fine(one.owner('GET', '/api/component?id=made2'))
    assert.equal(listed.component.length, 1)
    const { uid } = listed.component[0]
    const whole = await fine(one.owner('GET', `/api/component/${uid}`))
    assert.equal(whole.component.stream.length, 1)
    const added = await fine(
      other.owner('PUT', `/api/component/${uid}/stream`, { stream: { id: 'more' } }),
    )
    const streamUid = added.stream.uid
    await fine(one.owner('GET', `/api/component/${uid}/stream/${streamUid}/plot?points=100`))
    // A key that may not create puts to what it does not know yet.
    const { call } = await makeKey(other, `component/${uid}/feed`)
    await put(one, `compId=made2&third=1&time=${T}`)
    await fine(call(other)('PUT', `/api/feed?compId=made2&third=3&time=${T + 1}`))
    assert.deepEqual(await read(one, 'made2', 'third'), [
      [T, 1],
      [T + 1, 3],
    ])
    const gone = await other.device('GET', '/api/comp/nobody/feed')
    assert.equal(gone.status, 404)
  })

  test('components that both make at once are one, with the samples of both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const comp = `race${round}`
      await Promise.all([
        put(one, `compId=${comp}&s=1&left=1&time=${T}`),
        put(other, `compId=${comp}&s=2&right=2&time=${T + 1}`),
      ])
      for (const peer of [one, other]) {
        assert.deepEqual(await read(peer, comp, 's'), [
          [T, 1],
          [T + 1, 2],
        ])
        assert.equal((await read(peer, comp, 'left')).length, 1)
        assert.equal((await read(peer, comp, 'right')).length, 1)
        const { component } = await fine(peer.owner('GET', `/api/component?id=${comp}`))
        assert.equal(component[0].streamCount, 3)
      }
    }
  })

  test('records that one has changed the next call through the other shows', async () => {
    const board = { dashboard: { id: 'b', name: 'first', widgets: [] } }
    const made = await fine(one.owner('PUT', '/api/dashboard', board))
    const path = `/api/dashboard/${made.dashboard.uid}`
    assert.equal((await fine(other.owner('GET', path))).dashboard.name, 'first')
    for (const [at, peer] of [one, other, one].entries()) {
      const elsewhere = peer === one ? other : one
      const { revision } = (await fine(peer.owner('GET', path))).dashboard
      await fine(peer.owner('POST', path, { dashboard: { name: `name ${at}`, revision } }))
      assert.equal((await fine(elsewhere.owner('GET', path))).dashboard.name, `name ${at}`)
    }
    const query = { query: { id: 'q', name: 'q', sql: 'SELECT 1 AS one' } }
    const saved = await fine(other.owner('PUT', '/api/query', query))
    await fine(one.owner('GET', `/api/query/${saved.query.uid}`))
    await fine(one.owner('DELETE', `/api/query/${saved.query.uid}`))
    const over = await other.owner('GET', `/api/query/${saved.query.uid}`)
    assert.equal(over.status, 404)
    const log = await fine(other.owner('GET', '/api/audit?limit=50'))
    const acts = log.audit.map(({ act }: { act: string }) => act)
    assert.ok(acts.includes('sign_in') && acts.includes('organization_created'), acts.join())
  })

  test('the device list of each shows contacts and values of devices that send to the other', async () => {
    await put(one, `compId=device-a&v=1&time=${T}`)
    await put(other, `compId=device-b&v=2&time=${T}`)
    const list = async (peer: Peer, query: string) => {
      const { device, totalCount } = await fine(
        peer.owner('GET', `/api/device?text=device-&${query}`),
      )
      assert.equal(totalCount, device.length)
      return device
    }
    // A process reads contacts with the other ones every ten seconds.
    for (const peer of [one, other]) {
      const rows = await eventually(async () => {
        const found = await list(peer, 'sort=id')
        const silent = found.map(({ id, silent }: { id: string; silent: boolean }) => [id, silent])
        assert.deepEqual(silent, [
          ['device-a', false],
          ['device-b', false],
        ])
        return found
      })
      const values = rows.map(({ mainValue }: { mainValue: object }) => mainValue)
      assert.deepEqual(
        values.map(({ streamId, time, data }: Record<string, unknown>) => [streamId, time, data]),
        [
          ['v', T, 1],
          ['v', T, 2],
        ],
      )
    }
    const byContact = 'sort=lastContact&order=desc'
    await settlesTo(() => list(one, byContact), await list(other, byContact))
    // What changes later shows at once, but for the contact.
    await put(one, `compId=device-b&v=3&time=${T + 1}`)
    const { component } = await fine(other.owner('GET', '/api/component?id=device-a'))
    await fine(other.owner('DELETE', `/api/component/${component[0].uid}`))
    for (const peer of [one, other]) {
      const [device, ...others] = await list(peer, 'sort=id')
      assert.deepEqual([device.id, device.mainValue.data, others], ['device-b', 3, []])
    }
  })

  test('a type that one has given a stream the other’s puts go by', async () => {
    await put(one, `compId=typed&s=1&time=${T}`)
    await read(other, 'typed', 's')
    const { component } = await fine(one.owner('GET', '/api/component?id=typed'))
    const { uid } = component[0]
    const text = { id: 'text', valueType: 'STRING' }
    await fine(one.owner('PUT', `/api/component/${uid}/stream`, { stream: text }))
    await put(other, `compId=typed&text=7&time=${T}`)
    assert.deepEqual(await read(one, 'typed', 'text'), [[T, '7']])
    const unit = await fine(one.owner('PUT', '/api/unit', { unit: { id: 'x', symbol: 'xx' } }))
    const streams = await fine(one.owner('GET', `/api/component/${uid}/stream`))
    const path = `/api/component/${uid}/stream/${streams.stream[0].uid}`
    await fine(one.owner('POST', path, { stream: { unit: { uid: unit.unit.uid } } }))
    const shown = async () => {
      const rows = await fine(other.device('GET', '/api/comp/typed/stream/s/feed?retUnit'))
      return rows[0].unit
    }
    await settlesTo(shown, 'xx')
  })
}

function deletionCases(): void {
  test('nothing is acknowledged into a stream whose deletion was answered', async () => {
    for (let round = 0; round < 3; round += 1) {
      const comp = `gone${round}`
      await put(one, `compId=${comp}&s=0&time=${T}`)
      await read(other, comp, 's')
      const { component } = await fine(one.owner('GET', `/api/component?id=${comp}`))
      let isAnswered = false
      const later: number[] = []
      const deleting = one.owner('DELETE', `/api/component/${component[0].uid}`).then((answer) => {
        isAnswered = true
        return answer
      })
      for (let at = 1; later.length < 5; at += 1) {
        const isAfter = isAnswered
        const answer = await other.device('PUT', `/api/feed?compId=${comp}&s=${at}&time=${T + at}`)
        if (answer.status === 200 && isAfter) later.push(T + at)
        else if (answer.status !== 200) assert.equal(answer.status, 409, answer.text)
      }
      assert.equal((await deleting).status, 200)
      for (const peer of [one, other]) {
        const times = (await read(peer, comp, 's')).map(([time]) => time)
        assert.deepEqual(
          later.filter((time) => !times.includes(time)),
          [],
        )
        // What was there before went with the stream.
        assert.ok(!times.includes(T))
      }
    }
  })

  test('puts through one go by the IDs, the order and the zone that were given through the other', async () => {
    const uidOf = async (id: string) =>
      (await fine(one.owner('GET', `/api/component?id=${id}`))).component[0].uid as string
    await put(one, `compId=named&a=1&b=2&time=${T}`)
    assert.deepEqual(await read(other, 'named', 'a'), [[T, 1]])
    const uid = await uidOf('named')
    const { component } = await fine(one.owner('GET', `/api/component/${uid}`))
    const [first, second] = component.stream as { uid: string }[]
    // Reordered: a value without a name goes to the stream that is first.
    const stream = [{ uid: second.uid }, { uid: first.uid }]
    await fine(one.owner('POST', `/api/component/${uid}`, { component: { stream } }))
    await put(other, `compId=named&data=7&time=${T + 1}`)
    assert.deepEqual(await read(one, 'named', 'b'), [
      [T, 2],
      [T + 1, 7],
    ])
    const path = `/api/component/${uid}/stream/${first.uid}`
    await fine(one.owner('POST', path, { stream: { id: 'c' } }))
    await put(other, `compId=named&a=3&time=${T + 2}`)
    assert.deepEqual(await read(one, 'named', 'c'), [[T, 1]])
    assert.deepEqual(await read(one, 'named', 'a'), [[T + 2, 3]])
    await fine(one.owner('POST', `/api/component/${uid}`, { component: { id: 'renamed' } }))
    await put(other, `compId=named&a=4&time=${T + 3}`)
    assert.deepEqual(await read(one, 'named', 'a'), [[T + 3, 4]])
    assert.deepEqual(await read(one, 'renamed', 'a'), [[T + 2, 3]])
    const timeZoneId = 'Asia/Tokyo'
    await fine(one.owner('POST', `/api/component/${uid}`, { component: { timeZoneId } }))
    const day = '/api/comp/renamed/stream/a/cycle/day/stat/sum/feed'
    const [{ time }] = await fine(other.device('GET', day))
    assert.deepEqual(await fine(one.device('GET', day)), [{ time, data: 3 }])
    assert.equal(new Date(time).getUTCHours(), 15)
  })

  test('who is made or moved through one is known to the other when that is answered', async () => {
    const made = await fine(one.owner('PUT', '/api/organization', { organization: { name: 'O' } }))
    const { uid } = made.organization
    await fine(other.owner('GET', `/api/component?limit=1&org=${uid}`))
    const self = (await fine(one.owner('GET', '/api/org_user'))).org_user[0]
    const org_user = { timeZoneId: 'America/Lima' }
    await fine(one.owner('POST', `/api/org_user/${self.uid}`, { org_user }))
    await put(other, `compId=of-lima&s=1&time=${T}`)
    const { component } = await fine(one.owner('GET', '/api/component?id=of-lima'))
    assert.equal(component[0].timeZoneId, 'America/Lima')
    const back = { timeZoneId: self.timeZoneId }
    await fine(one.owner('POST', `/api/org_user/${self.uid}`, { org_user: back }))
  })

  test('a page of a list that needs none of its own records is answered', async () => {
    const own = { id: 'own', sizeType: 'DAY', count: 2 }
    await fine(one.owner('PUT', '/api/cycle', { cycle: own }))
    const { cycle, totalCount } = await fine(other.owner('GET', '/api/cycle?limit=1'))
    assert.equal(cycle.length, 1)
    assert.ok(totalCount >= 11)
  })

  test('a deleted component is gone through both, and its ID is free', async () => {
    await put(one, `compId=free&s=1&time=${T}`)
    await read(other, 'free', 's')
    const { component } = await fine(other.owner('GET', '/api/component?id=free'))
    // The process that deletes does not know this stream yet. It is deleted too.
    await put(one, `compId=free&late=1&time=${T}`)
    await fine(other.owner('DELETE', `/api/component/${component[0].uid}`))
    for (const peer of [one, other]) {
      assert.equal((await peer.owner('GET', `/api/component/${component[0].uid}`)).status, 404)
    }
    await put(one, `compId=free&s=2&time=${T + 1}`)
    assert.deepEqual(await read(other, 'free', 's'), [[T + 1, 2]])
    assert.equal((await other.device('GET', '/api/comp/free/stream/late/feed')).status, 404)
  })
}

function credentialCases(): void {
  test('keys, sessions and grants that one takes away the other refuses', async () => {
    const { uid, call } = await makeKey(one, 'component/*/feed')
    const status = async () => (await call(other)('GET', '/api/comp/made/feed')).status
    assert.equal(await status(), 200)
    const narrow = { capabilities: [{ resource: 'component/*/feed', methods: ['PUT'] }] }
    await fine(one.owner('POST', `/api/api_key/${uid}`, { api_key: narrow }))
    await settlesTo(status, 403)
    await fine(one.owner('DELETE', `/api/api_key/${uid}`))
    await settlesTo(status, 401)
    const session = await signIn(other, 'owner@example.org', 'correct horse battery')
    const [here, there] = [caller(one, session), caller(other, session)]
    assert.equal((await here('GET', '/api/session')).status, 200)
    assert.equal((await there('GET', '/api/session')).status, 200)
    await fine(there('DELETE', '/api/login'))
    await settlesTo(async () => (await here('GET', '/api/comp/made/feed')).status, 401)
  })

  test('an OAuth code is spent once over both, and a grant that one revokes the other refuses', async () => {
    const login = { email: 'owner@example.org', password: 'correct horse battery' }
    const asked = { client_id: 'c1', response_type: 'code', ...login }
    const codeOf = async (peer: Peer): Promise<string> =>
      (await fine(caller(peer, '')('POST', '/api/oauth_login', asked))).oauthCode
    const exchange = (peer: Peer, code: string) =>
      caller(peer, '')('POST', '/api/oauth_access_token', {
        grant_type: 'authorization_code',
        code,
        client_id: 'c1',
      })
    const raced = await codeOf(one)
    const answers = await Promise.all([exchange(one, raced), exchange(other, raced)])
    const won = answers.filter(({ status }) => status === 200)
    assert.equal(won.length, 1, answers.map(({ text }) => text).join())
    const { access_token: token } = (await exchange(one, await codeOf(other))).body
    const bearer = { Authorization: `Bearer ${token}` }
    const status = async () =>
      (await caller(other, '', bearer)('GET', '/api/comp/nobody/feed')).status
    // A 404 is an answer of the feed: the caller was let in.
    assert.equal(await status(), 404)
    const { oauth_grant: grants } = await fine(one.owner('GET', '/api/oauth_grant'))
    for (const { uid } of grants) await fine(one.owner('DELETE', `/api/oauth_grant/${uid}`))
    await settlesTo(status, 401)
  })
}

function liveCases(): void {
  test('pages that are open at one hear of what is put through the other', async () => {
    await put(one, `compId=live&s=1&time=${T}`)
    const client = await listen(other, 'comp=live')
    assert.deepEqual(await client.sample(), [T, 1])
    for (let at = 1; at <= 3; at += 1) {
      await put(one, `compId=live&s=${at}&time=${T + at}`)
      assert.deepEqual(await client.sample(), [T + at, at])
    }
    // A stream that the other makes is followed too.
    await put(one, `compId=live&made=5&time=${T}`)
    await client.until(({ event, data }) => event === 'sample' && data.streamId === 'made')
    await put(other, `compId=live&s=9&time=${T + 9}`)
    assert.deepEqual(await client.sample(), [T + 9, 9])
    // A client that reconnects to the other one receives a gap and the current state.
    await client.ready()
    client.close()
    await put(other, `compId=live&s=10&time=${T + 10}`)
    const cursor = { 'X-Api-Key': one.feedKey, 'Last-Event-ID': client.lastEventId }
    const back = await listen(one, 'comp=live&stream=s', cursor)
    await back.until(({ event }) => event === 'gap')
    await put(other, `compId=live&s=11&time=${T + 11}`)
    await back.until(({ event, data }) => event === 'sample' && data.time === T + 11)
  })
}

function derivationCases(): void {
  test('a formula saved through one derives what is put through the other', async () => {
    await put(one, `compId=der&x=1&time=${T}`)
    await read(other, 'der', 'x')
    const { component } = await fine(one.owner('GET', '/api/component?id=der'))
    const derivation = { expression: 'x + 1', variables: [{ name: 'x', streamId: 'x' }] }
    const stream = { id: 'y', streamDerivationType: 'FROM_EXPRESSION', derivation }
    await fine(one.owner('PUT', `/api/component/${component[0].uid}/stream`, { stream }))
    await put(other, `compId=der&x=2&time=${T + 1}&derMaxS=5`)
    assert.deepEqual(await read(one, 'der', 'y'), [[T + 1, 3]])
    await put(other, `compId=der&x=3&time=${T + 2}`)
    const derived = [
      [T + 1, 3],
      [T + 2, 4],
    ] as [number, unknown][]
    await settlesTo(() => read(one, 'der', 'y'), derived)
    await put(one, `compId=der&x=4&time=${T + 3}`)
    await settlesTo(() => read(other, 'der', 'y'), [...derived, [T + 3, 5]])
    // Puts to what is derived are refused by both.
    const refused = await other.device('PUT', `/api/feed?compId=der&y=1&time=${T}`)
    assert.equal(refused.status, 400, refused.text)
  })
}

/** A database that lets a caller in and answers nothing else; called with the number of callers. */
async function startMuteDatabase(): Promise<{ port: number; count(): number; close(): void }> {
  const sockets = new Set<Socket>()
  // AuthenticationOk and ReadyForQuery of PostgreSQL.
  const letsIn = Buffer.from('520000000800000000' + '5a0000000549', 'hex')
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('data', () => socket.write(letsIn))
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, count: () => sockets.size, close }
}

function importCases(): void {
  test('a run is called off through any process, and ends with its connector through any', async (t) => {
    const database = await startMuteDatabase()
    t.after(() => database.close())
    const imports = await ImportHome.open(one, apps.account, 'POSTGRESQL', database)
    const [called, deleted] = [
      await imports.insert({ id: 'called' }),
      await imports.insert({ id: 'deleted' }),
    ]
    assert.equal((await other.owner('DELETE', `/api/connector/${called}/run`)).status, 404)
    const runUid = await imports.start(called)
    await imports.start(deleted)
    await eventually(() => assert.equal(database.count(), 2))
    await Promise.all([
      fine(other.owner('DELETE', `/api/connector/${called}/run`)),
      fine(other.owner('DELETE', `/api/connector/${deleted}`)),
    ])
    const [run] = await imports.runsOf(called)
    assert.deepEqual([run.uid, run.status, run.message], [runUid, 'FAILED', 'The run was canceled'])
    await eventually(() => assert.equal(database.count(), 0))
    // The next one runs: what was called off is that run.
    await imports.start(called)
    assert.equal((await one.owner('DELETE', `/api/connector/${called}/run`)).status, 200)
  })
}

describe('two services on a cluster, one with all organizations and one with those that it uses', {
  skip,
}, () => {
  before(async () => {
    apps = await openTwoApps(
      'same',
      { ...LOCAL, WEIR_LIVE: 'perSecond=20' },
      { settings: { WEIR_INDEX: 'used' } },
    )
    one = apps.one
    other = apps.other
  })
  after(async () => {
    for (const client of listeners) client.close()
    await apps?.close()
  })
  catalogCases()
  deletionCases()
  credentialCases()
  liveCases()
  derivationCases()
  importCases()
})
