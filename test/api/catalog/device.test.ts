import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { deviceOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const HOUR = 3_600_000
const clock = new ManualClock(Date.UTC(2026, 0, 15))
const service = serviceOfFile({ clock })
let owner: Call
const device = deviceOfFile(service)
before(async () => {
  await signInAgain()
})

async function signInAgain(): Promise<void> {
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
}

interface Row {
  readonly uid: string
  readonly id: string
  readonly lastContact: number | null
  readonly silent: boolean
  readonly mainValue: null | {
    readonly streamId: string
    readonly data: unknown
    readonly fData: string
    readonly time: number | null
    readonly unit: string
  }
  readonly spark?: readonly (number | null)[]
}

async function list(query = '', call: Call = owner) {
  const { status, text, body } = await call('GET', `/api/device?${query}`)
  assert.equal(status, 200, `${query}: ${text}`)
  return { rows: body.device as Row[], totalCount: body.totalCount as number }
}

const idsOf = async (query = '', call: Call = owner) =>
  (await list(query, call)).rows.map(({ id }) => id).join()

async function make(component: object): Promise<string> {
  const made = await owner('PUT', '/api/component', { component })
  assert.equal(made.status, 200, made.text)
  return made.body.component.uid
}

async function put(path: string): Promise<void> {
  const { status, text } = await device('PUT', `/api/feed?${path}`)
  assert.equal(status, 200, text)
}

const uids: Record<string, string> = {}

test('GET /api/device shows contact, state, and main value of each component', async () => {
  const unit = { id: 'celsius2', name: 'Celsius', symbol: '°C', numberFormat: '0.0' }
  const made = await owner('PUT', '/api/unit', { unit })
  assert.equal(made.status, 200, made.text)
  uids.boiler = await make({
    id: 'boiler',
    name: 'Zulu boiler',
    folder: '/Components/Hall 1',
    stream: [
      { id: 'flow', labels: { site: 'north' }, valueType: 'DOUBLE' },
      { id: 'temp', unit: { uid: made.body.unit.uid } },
    ],
  })
  uids.pump = await make({ id: 'pump', name: 'Alpha pump', folder: '/Components/Hall 1/Low' })
  uids.valve = await make({ id: 'valve', name: 'Mike valve' })
  const start = clock.now()
  await put('compId=boiler&flow=1&temp=20.25')
  clock.advance(2 * HOUR)
  // A sample of the past is a contact of the present.
  await put(`compId=pump&on=x&time=${start - 40 * HOUR}`)
  const { rows, totalCount } = await list()
  assert.equal(totalCount, 3)
  assert.deepEqual(
    rows.map(({ id, lastContact, silent }) => ({ id, lastContact, silent })),
    [
      { id: 'pump', lastContact: start + 2 * HOUR, silent: false },
      { id: 'valve', lastContact: null, silent: true },
      { id: 'boiler', lastContact: start, silent: true },
    ],
  )
  assert.deepEqual(rows[1], {
    uid: uids.valve,
    id: 'valve',
    name: 'Mike valve',
    folder: '/Components',
    template: '',
    lastContact: null,
    silent: true,
    firingAlerts: {},
    mainValue: null,
  })
  const { mainValue } = rows[2]
  assert.deepEqual([mainValue?.streamId, mainValue?.data, mainValue?.time], ['flow', 1, start])
  assert.deepEqual([rows[0].mainValue?.data, rows[0].mainValue?.fData], ['x', 'x'])
})

test('GET /api/overview counts devices, streams, and samples', async () => {
  const { body, text } = await owner('GET', '/api/overview')
  assert.deepEqual(
    body.overview,
    {
      componentCount: 3,
      streamCount: 3,
      samplesPerMinute: 0,
      silentCount: 2,
      lastContact: clock.now(),
      firingAlerts: {},
      // The service of a test listens for its own machine.
      addresses: [],
    },
    text,
  )
  const long = await owner('GET', `/api/overview?silentForMs=${3 * HOUR}`)
  assert.equal(long.body.overview.silentCount, 1)
  assert.equal((await owner('GET', '/api/overview?silentForMs=x')).status, 400)
  clock.advance(30_000)
  const soon = await owner('GET', '/api/overview')
  assert.equal(soon.body.overview.samplesPerMinute, 1)
})

test('GET /api/device sorts, pages, and filters', async () => {
  assert.equal(await idsOf('sort=name&order=desc'), 'boiler,valve,pump')
  assert.equal(await idsOf('sort=id'), 'boiler,pump,valve')
  assert.equal(await idsOf('sort=folder'), 'valve,boiler,pump')
  assert.equal(await idsOf('sort=lastContact'), 'valve,boiler,pump')
  assert.equal(await idsOf('sort=lastContact&order=desc&limit=1'), 'pump')
  assert.equal(await idsOf('sort=id&start=1&limit=1'), 'pump')
  assert.equal((await list('sort=id&start=5')).totalCount, 3)
  assert.equal(await idsOf('silent=true'), 'valve,boiler')
  assert.equal(await idsOf('silent=false'), 'pump')
  assert.equal(await idsOf(`silent=true&silentForMs=${3 * HOUR}`), 'valve')
  assert.equal(await idsOf('folder=/Components/Hall 1'), 'pump,boiler')
  assert.equal(await idsOf('text=HALL boi'), 'boiler')
  assert.equal(await idsOf('label=SITE=no*'), 'boiler')
  assert.equal(await idsOf('label=site=south'), '')
  assert.equal(await idsOf('template='), 'pump,valve,boiler')
  assert.equal(await idsOf('template=none'), '')
  const bad = [
    'sort=x',
    'order=up',
    'start=-1',
    'limit=0',
    'silentForMs=0',
    'silent=maybe',
    'label=site',
    'folder=Hall',
    `text=${'x'.repeat(1_001)}`,
  ]
  for (const query of bad) {
    const { status, body } = await owner('GET', `/api/device?${query}`)
    assert.equal(status, 400, query)
    assert.match(body.message, new RegExp(query.slice(0, query.indexOf('='))), query)
  }
})

test('the stream that the component or its template marks is the main value', async () => {
  const edit = (component: object) => owner('POST', `/api/component/${uids.boiler}`, { component })
  assert.equal((await edit({ mainStream: 'temp' })).body.component.mainStream, 'temp')
  const mainOf = async (id: string) =>
    (await list(`text=${id}`)).rows.find((row) => row.id === id)?.mainValue
  assert.deepEqual(
    [(await mainOf('boiler'))?.fData, (await mainOf('boiler'))?.unit],
    ['20.3°C', '°C'],
  )
  await edit({ mainStream: 'gone' })
  assert.equal((await mainOf('boiler'))?.streamId, 'flow')
  const { body } = await owner('GET', `/api/component/${uids.boiler}`)
  await edit({ mainStream: body.component.stream[1].uid })
  assert.equal((await mainOf('boiler'))?.streamId, 'temp')
  const long = await edit({ mainStream: 'x'.repeat(600) })
  assert.deepEqual([long.status, long.body.field], [400, 'component.mainStream'])
  const component_template = {
    id: 'meter',
    name: 'Meter',
    mainStream: 'energy',
    stream: [{ id: 'power' }, { id: 'energy' }],
  }
  const made = await owner('PUT', '/api/component_template', { component_template })
  assert.equal(made.body.component_template.mainStream, 'energy', made.text)
  await put('compId=m1&compTmplId=meter&power=5&energy=7')
  assert.equal((await mainOf('m1'))?.data, 7)
  assert.equal(await idsOf('template=meter'), 'm1')
  const { uid } = made.body.component_template
  await owner('POST', `/api/component_template/${uid}`, { component_template: { mainStream: '' } })
  assert.equal((await mainOf('m1'))?.data, 5)
})

test('sparklines have the asked number of points', async () => {
  const { rows } = await list('text=m1&sparkPoints=4')
  assert.deepEqual(rows[0].spark, undefined, 'a sample at the end of the range is not in it')
  clock.advance(1_000)
  const again = await list('text=m1&sparkPoints=4')
  assert.deepEqual(again.rows[0].spark, [null, null, null, 5])
  assert.equal((await list('text=m1')).rows[0].spark, undefined)
})

test('a caller sees only components and streams that it may GET', async () => {
  const keyWith = async (capabilities: object[]) => {
    const made = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
    assert.equal(made.status, 200, made.text)
    return caller(service, `api_key=${made.body.api_key.secretKey}`)
  }
  const GET = ['GET']
  const one = await keyWith([{ resource: `component/${uids.boiler}`, methods: GET }])
  assert.deepEqual((await list('', one)).totalCount, 1)
  assert.equal(await idsOf('', one), 'boiler')
  const others = await keyWith([
    { resource: 'component', methods: GET },
    { resource: `component/${uids.boiler}`, methods: ['POST'] },
  ])
  assert.equal(await idsOf('sort=id', others), 'm1,pump,valve')
  assert.equal(await idsOf('label=site=north', others), '')
  const bare = await keyWith([
    { resource: 'component', methods: GET },
    { resource: 'component/*/feed', methods: ['PUT'] },
  ])
  assert.deepEqual(
    new Set((await list('', bare)).rows.map((row) => row.mainValue)),
    new Set([null]),
  )
  const { body } = await owner('GET', `/api/component/${uids.boiler}`)
  const [flow, temp] = body.component.stream
  const narrow = await keyWith([
    { resource: 'component', methods: GET },
    { resource: `component/${uids.boiler}/stream/${temp.uid}`, methods: ['POST'] },
  ])
  const [row] = (await list('text=boiler', narrow)).rows
  assert.equal(row.mainValue?.streamId, 'flow', 'the marked stream is hidden')
  const hidden = await keyWith([
    { resource: 'component', methods: GET },
    { resource: `component/${uids.boiler}/stream/${flow.uid}`, methods: ['POST'] },
  ])
  assert.equal(await idsOf('label=site=north', hidden), '')
  assert.equal((await device('GET', '/api/device')).status, 403)
  assert.equal((await device('GET', '/api/overview')).status, 403)
  const seen = (await one('GET', '/api/overview')).body.overview
  assert.deepEqual([seen.componentCount, seen.streamCount], [1, 2])
  const organization = await owner('PUT', '/api/organization', { organization: { name: 'Second' } })
  const second = organization.body.organization.uid
  assert.equal((await list(`org=${second}`)).totalCount, 0)
})

test('last contacts survive restarts, deletes, and reused places', async () => {
  const before = await list('sort=id')
  await service.restart()
  await signInAgain()
  assert.deepEqual(await list('sort=id'), before)
  await owner('DELETE', `/api/component/${uids.pump}`)
  await make({ id: 'fresh' })
  const { rows } = await list('text=fresh')
  assert.equal(rows[0].lastContact, null)
  await service.restart()
  await signInAgain()
  assert.equal(await idsOf('sort=id'), 'boiler,fresh,m1,valve')
})

test('derived streams and deletes are no contact', async () => {
  const at = clock.now()
  const variables = [{ name: 'f', componentId: 'boiler', streamId: 'flow' }]
  await make({
    id: 'sum',
    stream: [{ id: 'twice', derivation: { expression: 'f * 2', variables } }],
  })
  clock.advance(HOUR)
  await put('compId=boiler&flow=3&derMaxS')
  const last = await owner('GET', '/api/comp/sum/last_value')
  assert.equal(last.body[0]?.data, 6, last.text)
  assert.equal((await list('text=sum')).rows[0].lastContact, null)
  clock.advance(HOUR)
  await owner('DELETE', '/api/comp/boiler/stream/flow/feed?sd=0&ed=5')
  assert.equal((await list('text=boiler')).rows[0].lastContact, at + HOUR)
})
