import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { methods } from '../../../src/access/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)
let client: Call

before(async () => {
  client = await keyWith([{ resource: '*', methods }])
})

async function keyWith(capabilities: object[]): Promise<Call> {
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'device', capabilities } })
  assert.equal(made.status, 200, made.text)
  return caller(service, `api_key=${made.body.api_key.secretKey}`)
}

/** A call that must succeed; answers its body. */
async function done(method: string, path: string, body?: object) {
  const answer = await client(method, path, body)
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
  if (answer.body !== undefined) assert.equal(answer.body.success, true)
  return answer.body
}

/** Reads all components page by page, as the client does. */
async function readComponents(): Promise<{ uid: string; name: string }[]> {
  const all: { uid: string; name: string }[] = []
  for (let start = 0; ; start += 10) {
    const page = await done('GET', `/api/component?start=${start}&limit=10`)
    all.push(...page.component)
    if (all.length >= page.totalCount) return all
  }
}

/** Makes a component and streams of it in the way of the client; answers its UIDs. */
async function signOn(name: string, streamIds: readonly string[]) {
  const users = (await done('GET', '/api/org_user')).org_user
  const first = users.find((user: { isOwner: boolean }) => user.isOwner)
  assert.equal(first.fullName, service.ownerEmail)
  const known = await readComponents()
  const unknown = known.every((component) => component.name !== name)
  assert.ok(unknown, 'the client makes only what is not there')
  const { component } = await done('PUT', '/api/component', {
    component: {
      name,
      id: name,
      disposition: 'active',
      ownerUser: { uid: first.uid },
      location: { latitude: 47.1, longitude: 8.5, altitude: 400 },
    },
  })
  const query = `contentType=component&parentFolderUid=&text=${encodeURIComponent(name)}`
  await done('PUT', `/api/component_folder/${component.uid}?${query}`)
  const stream: object[] = []
  for (const id of streamIds) {
    const path = `/api/component/${component.uid}/stream/new?type=rdm_stream`
    const { stream: fresh } = await done('GET', path)
    assert.match(fresh.uid, /^[0-9a-f-]{36}$/)
    const fields = { id, name: `Stream ${id}`, valueType: 'DOUBLE', rollupMethod: 'AVG' }
    stream.push({ ...fresh, ...fields, delete_profile: { uid: '' }, displayColor: '#fff' })
  }
  const saved = await done('POST', '/api/component', {
    component: { ...component, disposition: 'active', stream, unheardOf: [1] },
  })
  return { component, stream: stream as { uid: string }[], saved: saved.component }
}

test('a client in the field connects and puts, call by call', async () => {
  const before = (await readComponents()).length
  for (let at = 0; at < 12; at += 1) {
    await owner('PUT', '/api/component', { component: { name: `other ${at}` } })
  }
  assert.equal((await readComponents()).length, before + 12)
  const { component, stream, saved } = await signOn('logger 1', ['temperature', 'humidity'])
  assert.deepEqual(saved.location, { latitude: 47.1, longitude: 8.5, altitude: 400 })
  assert.equal(saved.folder, '/Components')
  assert.deepEqual(
    saved.stream.map(({ uid, id, rollupMethod, delete_profile }: Record<string, unknown>) => [
      uid,
      id,
      rollupMethod,
      delete_profile,
    ]),
    [
      [stream[0].uid, 'temperature', 'avg', null],
      [stream[1].uid, 'humidity', 'avg', null],
    ],
  )
  const listed = await done('GET', `/api/component/${component.uid}/stream`)
  assert.equal(listed.totalCount, 2)
  const units = (await done('GET', '/api/unit')).unit
  const celsius = units.find(({ id }: { id: string }) => id === 'celsius')
  assert.equal(celsius.symbol, '°C')
  const lumen = (await done('PUT', '/api/unit', { unit: { id: 'lumen', symbol: 'lm' } })).unit
  await done('POST', '/api/component', {
    component: {
      uid: component.uid,
      stream: [
        { ...listed.stream[0], unit: { uid: celsius.uid } },
        { ...listed.stream[1], unit: { uid: lumen.uid }, rollupMethod: 'Max' },
      ],
    },
  })
  const batch = [
    { streamUid: stream[0].uid, time: [1_700_000_000_000, 1_700_000_060_000], data: [20.5, 21] },
    { streamUid: stream[1].uid, time: [1_700_000_000_000], data: [40] },
  ]
  const put = await client('PUT', '/api/feed', {
    feed: { component: [{ componentUid: component.uid, stream: batch }] },
  })
  assert.deepEqual([put.status, put.text], [200, ''])
  const path = '/api/comp/logger%201/last_value?retStreamId&retFData&retUnit'
  assert.deepEqual((await client('GET', path)).body, [
    {
      streamId: 'temperature',
      time: 1_700_000_060_000,
      data: 21,
      fData: '21°C',
      unit: '°C',
    },
    { streamId: 'humidity', time: 1_700_000_000_000, data: 40, fData: '40lm', unit: 'lm' },
  ])
})

test('org_user has the owner of the organization and the names of people', async () => {
  const made = await owner('PUT', '/api/org_user', {
    org_user: {
      email: 'ann@example.com',
      firstName: 'Ann',
      lastName: 'Field',
      role: 'MEMBER',
      password: 'a long enough password',
    },
  })
  assert.equal(made.status, 200, made.text)
  const users = (await done('GET', '/api/org_user')).org_user
  const reply = users.map(({ email, fullName, isOwner }: Record<string, unknown>) => [
    email,
    fullName,
    isOwner,
  ])
  reply.sort()
  assert.deepEqual(reply, [
    ['ann@example.com', 'Ann Field', false],
    [service.ownerEmail, service.ownerEmail, true],
  ])
})

test('a component is put into a folder by its UID; what is unknown is refused', async () => {
  const folder = (
    await done('PUT', '/api/component_folder', { component_folder: { path: '/Components/Hall 1' } })
  ).component_folder
  const { component } = await done('PUT', '/api/component', { component: { name: 'filed' } })
  const file = (query: string, uid = component.uid) =>
    client('PUT', `/api/component_folder/${uid}?${query}`)
  const filed = await file(`contentType=component&parentFolderUid=${folder.uid}&text=filed`)
  assert.deepEqual(filed.body.component_folder, {
    uid: component.uid,
    contentType: 'component',
    parentFolderUid: folder.uid,
    path: '/Components/Hall 1',
    name: 'filed',
  })
  const folderOf = async () =>
    (await done('GET', `/api/component/${component.uid}`)).component.folder
  assert.equal(await folderOf(), '/Components/Hall 1')
  for (const [query, status, message] of [
    ['contentType=dashboard&parentFolderUid=', 400, /contentType/],
    ['contentType=component', 400, /parentFolderUid is missing/],
    [`contentType=component&parentFolderUid=${randomUUID()}`, 404, /component_folder/],
  ] as const) {
    const answer = await file(query)
    assert.equal(answer.status, status, query)
    assert.match(answer.body.message, message)
  }
  const lost = await file('contentType=component&parentFolderUid=', randomUUID())
  assert.equal(lost.status, 404)
  assert.equal(await folderOf(), '/Components/Hall 1')
  assert.equal((await file('contentType=component&parentFolderUid=')).status, 200)
  assert.equal(await folderOf(), '/Components')
  const foldersOnly = await keyWith([{ resource: 'component_folder', methods }])
  const path = `/api/component_folder/${component.uid}?contentType=component&parentFolderUid=`
  assert.equal((await foldersOnly('PUT', path)).status, 403)
})

test('a UID that any stream has cannot be given to another one', async () => {
  const { component } = await done('PUT', '/api/component', {
    component: { stream: [{ id: 'taken' }] },
  })
  const other = await done('PUT', '/api/component', { component: { name: 'other' } })
  const foreign = await owner('PUT', '/api/organization', { organization: { name: 'Second' } })
  const inSecond = caller(
    service,
    `${await signIn(service, service.ownerEmail, service.ownerPassword)};org=${foreign.body.organization.uid}`,
  )
  const abroad = (await inSecond('PUT', '/api/component', { component: { name: 'abroad' } })).body
  const takenUid = component.stream[0].uid
  const give = (call: Call, uid: string, streamUid: string) =>
    call('POST', '/api/component', { component: { uid, stream: [{ uid: streamUid }] } })
  for (const answer of [
    await give(client, other.component.uid, takenUid),
    await give(inSecond, abroad.component.uid, takenUid),
    await give(client, other.component.uid, 'no-uuid'),
    await give(client, other.component.uid, randomUUID().toUpperCase()),
  ]) {
    assert.equal(answer.status, 400, answer.text)
    assert.match(
      answer.body.message,
      /component.stream\[0\].uid .* is not a stream of this component/,
    )
  }
  const uid = randomUUID()
  const [a, b] = await Promise.all([
    give(client, other.component.uid, uid),
    give(inSecond, abroad.component.uid, uid),
  ])
  assert.deepEqual([a.status, b.status].sort(), [200, 400], 'one of two at a time')
})

test('no client gets a UID that a component counts up to for its own streams', async () => {
  const put = async (compId: string, streamId: string) => {
    const answer = await client('PUT', '/api/feed', [{ compId, streamId, time: 1, data: 1 }])
    assert.equal(answer.status, 200, answer.text)
  }
  const recordOf = async (compId: string) => {
    const { component } = (await client('GET', '/api/component?limit=1000')).body
    const { uid } = component.find((one: { id: string }) => one.id === compId)
    const { stream } = (await client('GET', `/api/component/${uid}/stream`)).body
    return { uid, stream: stream as { uid: string; id: string }[] }
  }
  await put('counting', 'first')
  const { uid, stream } = await recordOf('counting')
  const nth = (ordinal: number) => uid.slice(0, 30) + ordinal.toString(16).padStart(6, '0')
  assert.equal(stream[0].uid, nth(1))
  const second = await owner('PUT', '/api/organization', { organization: { name: 'Taking' } })
  const signedIn = await signIn(service, service.ownerEmail, service.ownerPassword)
  const thief = caller(service, `${signedIn};org=${second.body.organization.uid}`)
  const abroad = (await thief('PUT', '/api/component', { component: { name: 'thief' } })).body
  const beside = await done('PUT', '/api/component', { component: { name: 'beside' } })
  const give = (call: Call, componentUid: string, streams: object[]) =>
    call('POST', '/api/component', { component: { uid: componentUid, stream: streams } })
  for (const ordinal of [0, 2, 3, 2 ** 24 - 1]) {
    const streams = [{ uid: nth(ordinal), id: 'taken' }]
    for (const answer of [
      await give(thief, abroad.component.uid, streams),
      await give(client, beside.component.uid, streams),
      // Nor itself, whose next stream would have the same.
      await give(client, uid, [...streams, { id: 'beside it' }]),
    ]) {
      assert.equal(answer.status, 400, answer.text)
      assert.match(
        answer.body.message,
        /component.stream\[0\].uid .* is not a stream of this component/,
      )
    }
  }
  await put('counting', 'second')
  assert.deepEqual((await recordOf('counting')).stream.map((one) => one.uid).sort(), [
    nth(1),
    nth(2),
  ])
  // One that is gone may come back to its own component, as from a list that a client has kept.
  await done('DELETE', `/api/component/${uid}/stream/${nth(1)}`)
  assert.equal((await give(thief, abroad.component.uid, [{ uid: nth(1) }])).status, 400)
  assert.equal((await give(client, uid, [{ uid: nth(1), id: 'again' }])).status, 200)
  await put('counting', 'third')
  assert.deepEqual((await recordOf('counting')).stream.map((one) => one.uid).sort(), [
    nth(1),
    nth(2),
    nth(3),
  ])
})

test('POST /api/component needs a UID, and rights on that component', async () => {
  const missing = await client('POST', '/api/component', { component: { name: 'x' } })
  assert.equal(missing.status, 400)
  assert.match(missing.body.message, /component.uid/)
  const unknown = await client('POST', '/api/component', { component: { uid: randomUUID() } })
  assert.equal(unknown.status, 404)
  const { component } = await done('PUT', '/api/component', { component: { name: 'one' } })
  const two = await done('PUT', '/api/component', { component: { name: 'two' } })
  const oneOnly = await keyWith([{ resource: `component/${component.uid}`, methods: ['POST'] }])
  const rename = (uid: string) =>
    oneOnly('POST', '/api/component', { component: { uid, name: 'renamed' } })
  assert.equal((await rename(component.uid)).status, 200)
  assert.equal((await rename(two.component.uid)).status, 403)
})

test('rollupMethod is read in any case, and refused when it is none', async () => {
  const bad = await client('PUT', '/api/component', {
    component: { stream: [{ id: 'a' }, { id: 'b', rollupMethod: 'MEDIAN' }] },
  })
  assert.equal(bad.status, 400)
  assert.match(bad.body.message, /^component.stream\[1\].rollupMethod must be one of avg, sum/)
  const { component } = await done('PUT', '/api/component', {
    component: {
      stream: [{ rollupMethod: 'Sum', unit: { uid: '' }, baseCycle: { uid: '', id: '' } }],
    },
  })
  assert.equal(component.stream[0].rollupMethod, 'sum')
  assert.equal(component.stream[0].unit, null)
})

test('the units of a new organization are its own: they can be changed and deleted', async () => {
  const { unit, totalCount } = await done('GET', '/api/unit?limit=1000')
  assert.ok(totalCount >= 21)
  const ids = new Set(unit.map(({ id }: { id: string }) => id))
  const wanted = ['celsius', 'fahrenheit', 'kelvin', 'percent', 'volt', 'ampere', 'watt']
  const more = ['kilowatt_hour', 'pascal', 'hectopascal', 'bar', 'meter', 'millimeter', 'lux']
  const rest = ['kilometer_per_hour', 'ppm', 'gram', 'kilogram', 'liter', 'second', 'on_off']
  for (const id of [...wanted, ...more, ...rest]) assert.ok(ids.has(id), id)
  const bar = unit.find(({ id }: { id: string }) => id === 'bar')
  const changed = await done('POST', `/api/unit/${bar.uid}`, { unit: { symbol: ' bar' } })
  assert.equal(changed.unit.symbol, ' bar')
  await done('DELETE', `/api/unit/${bar.uid}`)
  assert.equal((await client('GET', `/api/unit/${bar.uid}`)).status, 404)
})

test('what streams or templates refer to is not deleted, and they are named', async () => {
  const made = async (noun: string, record: object) =>
    (await done('PUT', `/api/${noun}`, { [noun]: record }))[noun]
  const unit = await made('unit', { id: 'used unit' })
  const profile = await made('delete_profile', { id: 'used profile' })
  const cycle = await made('cycle', { id: 'used cycle', sizeType: 'HOUR', count: 2 })
  const fields = { unit: { uid: unit.uid }, delete_profile: { uid: profile.uid } }
  const interval = { streamType: 'intvl_stream', baseCycle: { uid: cycle.uid } }
  const component = await made('component', {
    id: 'user',
    stream: [{ id: 'other' }, { id: 'uses', ...fields, ...interval }],
  })
  const template = await made('component_template', {
    id: 'tmpl',
    stream: [{ id: 's', ...fields }],
  })
  const paths = { unit, delete_profile: profile, cycle }
  const refused = async (call: Call, noun: string, uid: string, used: string) => {
    const answer = await call('DELETE', `/api/${noun}/${uid}`)
    assert.equal(answer.status, 409, answer.text)
    assert.equal(answer.body.code, 'conflict')
    assert.equal(answer.body.message, `Cannot delete this ${noun}: it is used by ${used}`)
  }
  const stream = 'stream "uses" of component "user"'
  await refused(client, 'unit', unit.uid, `template "tmpl", ${stream}`)
  await refused(client, 'delete_profile', profile.uid, `template "tmpl", ${stream}`)
  await refused(client, 'cycle', cycle.uid, stream)
  const blind = await keyWith([{ resource: 'unit', methods: ['DELETE'] }])
  const hidden = 'a template that you cannot access, a stream that you cannot access'
  await refused(blind, 'unit', unit.uid, hidden)
  await done('DELETE', `/api/component_template/${template.uid}`)
  for (const id of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) {
    await done('PUT', `/api/component/${component.uid}/stream`, {
      stream: { id, unit: fields.unit },
    })
  }
  const many = await client('DELETE', `/api/unit/${unit.uid}`)
  assert.match(many.body.message, /stream "uses".*stream "e" of component "user", others$/)
  await done('DELETE', `/api/component/${component.uid}`)
  for (const [noun, { uid }] of Object.entries(paths)) await done('DELETE', `/api/${noun}/${uid}`)
})
