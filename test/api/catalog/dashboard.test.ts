import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)
let shown: { componentUid: string; streamUid: string }

before(async () => {
  shown = await makeStream(owner, 'boiler', 'temp')
})

async function makeStream(call: Call, id: string, streamId: string) {
  const stream = [{ id: streamId, valueType: 'DOUBLE' }]
  const made = await call('PUT', '/api/component', { component: { id, stream } })
  assert.equal(made.status, 200, made.text)
  const { component } = made.body
  return { componentUid: component.uid, streamUid: component.stream[0].uid }
}

const place = { x: 0, y: 0, width: 6, height: 4 }
const chart = () => ({ kind: 'chart', title: 'Boiler', ...place, streams: [shown] })

async function save(record: object, call = owner) {
  const made = await call('PUT', '/api/dashboard', { dashboard: record })
  assert.equal(made.status, 200, made.text)
  return made.body.dashboard
}

async function refused(call: ReturnType<Call>, status: number, message: RegExp): Promise<void> {
  const answer = await call
  assert.equal(answer.status, status, answer.text)
  assert.match(answer.body.message, message)
}

/** A further organization of the same owner, with the calls made in it. */
async function otherOrganization(): Promise<Call> {
  const made = await owner('PUT', '/api/organization', { organization: { name: 'Other' } })
  assert.equal(made.status, 200, made.text)
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  return caller(service, `${session}; org=${made.body.organization.uid}`)
}

test('panels are kept as they were laid out, with defaults for what was left out', async () => {
  const text = { kind: 'text', x: 6, y: 0, width: 6, height: 2, text: 'Ölkessel 锅炉' }
  const dashboard = await save({ id: 'b1', name: 'Cellar', panels: [chart(), text] })
  const options = { min: null, max: null, cycleId: '', stat: '', rows: 20, timeZoneId: '' }
  const blank = { title: '', streams: [], range: '', text: '', options }
  assert.deepEqual(dashboard, {
    uid: dashboard.uid,
    id: 'b1',
    name: 'Cellar',
    description: '',
    range: 'last-24h',
    panels: [
      { ...blank, ...chart() },
      { ...blank, ...text },
    ],
    panelCount: 2,
    revision: 1,
  })
  const path = `/api/dashboard/${dashboard.uid}`
  assert.deepEqual((await owner('GET', path)).body.dashboard, dashboard)
  const renamed = await owner('POST', path, { dashboard: { name: 'x'.repeat(512), revision: 1 } })
  assert.deepEqual(renamed.body.dashboard, { ...dashboard, name: 'x'.repeat(512), revision: 2 })
  const stale = owner('POST', path, { dashboard: { name: 'y', revision: 1 } })
  await refused(stale, 409, /changed since revision 1/)
  await service.restart()
  assert.equal((await owner('GET', path)).body.dashboard.panels.length, 2)
})

test('bad input names the field and saves nothing', async () => {
  const count = async () => (await owner('GET', '/api/dashboard')).body.totalCount
  const before = await count()
  const bad = (panel: object, message: RegExp) =>
    refused(
      owner('PUT', '/api/dashboard', { dashboard: { panels: [chart(), panel] } }),
      400,
      message,
    )
  await bad(
    { ...chart(), kind: 'pie' },
    /^dashboard\.panels\[1\]\.kind must be one of chart, gauge/,
  )
  await bad({ ...chart(), x: 12 }, /^dashboard\.panels\[1\]\.x must be/)
  await bad({ ...chart(), x: 1.5 }, /^dashboard\.panels\[1\]\.x must be an integer/)
  await bad({ ...chart(), x: 8, width: 6 }, /^dashboard\.panels\[1\]\.width 6 is too wide/)
  await bad({ ...chart(), height: 0 }, /^dashboard\.panels\[1\]\.height/)
  await bad({ ...chart(), range: 'soon' }, /^dashboard\.panels\[1\]\.range "soon" is not a range/)
  await bad({ ...chart(), title: 'x'.repeat(513) }, /^dashboard\.panels\[1\]\.title has 513/)
  await bad({ ...chart(), text: '\ud800' }, /^dashboard\.panels\[1\]\.text .*surrogate/)
  const options = { min: 5, max: 5 }
  await bad({ ...chart(), options }, /^dashboard\.panels\[1\]\.options\.max 5 must be greater/)
  const zone = { timeZoneId: 'Mars/Base' }
  await bad({ ...chart(), options: zone }, /^dashboard\.panels\[1\]\.options\.timeZoneId "Mars/)
  const streams = [shown, { componentUid: shown.componentUid, streamUid: 'none' }]
  await bad({ ...chart(), streams }, /^dashboard\.panels\[1\]\.streams\[1\] .* is not a stream/)
  const many = Array.from({ length: 21 }, () => shown)
  await bad({ ...chart(), streams: many }, /^dashboard\.panels\[1\]\.streams must not have more/)
  await bad({ ...chart(), streams: [{ streamUid: 'x' }] }, /^dashboard\.panels\[1\]\.streams\[0\]/)
  const whole = (dashboard: object, message: RegExp) =>
    refused(owner('PUT', '/api/dashboard', { dashboard }), 400, message)
  const panels = Array.from({ length: 101 }, chart)
  await whole({ panels }, /^dashboard\.panels must not have more than 100 items/)
  await whole({ name: 'x'.repeat(513) }, /^dashboard\.name has 513 characters/)
  await whole({ range: 'last-0h' }, /^dashboard\.range/)
  for (const range of ['5..1', '5..5']) {
    await whole({ range }, /^dashboard\.range "5\.\.\d" must begin before it ends/)
    await bad({ ...chart(), range }, /^dashboard\.panels\[1\]\.range "5\.\.\d" must begin before/)
  }
  const long = { kind: 'text', ...place, text: 'x'.repeat(10_000) }
  const heavy = Array.from({ length: 11 }, () => long)
  await whole({ panels: heavy }, /^dashboard has \d+ bytes as JSON: at most 100000/)
  assert.equal(await count(), before)
})

test('a board keeps a stream that was deleted, and takes no unknown one', async () => {
  const gone = await makeStream(owner, 'brief', 'temp')
  const dashboard = await save({ name: 'Gone', panels: [{ ...chart(), streams: [gone] }] })
  assert.equal((await owner('DELETE', `/api/component/${gone.componentUid}`)).status, 200)
  const path = `/api/dashboard/${dashboard.uid}`
  const moved = [{ ...chart(), x: 3, streams: [gone] }]
  const kept = await owner('POST', path, { dashboard: { panels: moved } })
  assert.equal(kept.status, 200, kept.text)
  assert.deepEqual(kept.body.dashboard.panels[0].streams, [gone], 'without a label there is none')
  // What its author called it stays known, also to callers who do not know of labels.
  const labelled = [{ ...chart(), streams: [{ ...gone, label: 'Kettle · heat' }] }]
  for (const panels of [labelled, moved]) {
    const { body } = await owner('POST', path, { dashboard: { panels } })
    assert.deepEqual(body.dashboard.panels[0].streams, labelled[0].streams)
  }
  const wordy = [{ ...chart(), streams: [{ ...gone, label: 'x'.repeat(201) }] }]
  const long = owner('POST', path, { dashboard: { panels: wordy } })
  await refused(long, 400, /^dashboard\.panels\[0\]\.streams\[0\]\.label has 201 characters/)
  const { body } = await owner('GET', `${path}/export`)
  assert.ok(!('label' in body.dashboard.panels[0].streams[0]))
  const fresh = owner('PUT', '/api/dashboard', { dashboard: { panels: moved } })
  await refused(fresh, 400, /is not a stream of this organization/)
})

test('guests read, members write, and who deletes one is in the audit log', async () => {
  const people: Record<string, Call> = {}
  for (const role of ['MEMBER', 'GUEST']) {
    const [email, password] = [`${role}@example.com`.toLowerCase(), 'a long enough password']
    const org_user = { email, password, firstName: role, lastName: 'X', role }
    const added = await owner('PUT', '/api/org_user', { org_user })
    assert.equal(added.status, 200, added.text)
    people[role] = caller(service, await signIn(service, email, password))
  }
  const { uid } = await save({ name: 'By a member', panels: [chart()] }, people.MEMBER)
  const path = `/api/dashboard/${uid}`
  assert.equal((await people.GUEST('GET', path)).status, 200)
  assert.equal((await people.GUEST('GET', `${path}/export`)).status, 200)
  for (const [method, at] of [
    ['PUT', '/api/dashboard'],
    ['PUT', '/api/dashboard/import'],
    ['POST', path],
    ['DELETE', path],
  ]) {
    const body = method === 'DELETE' ? undefined : { dashboard: { name: 'z' } }
    assert.equal((await people.GUEST(method, at, body)).status, 403, `${method} ${at}`)
  }
  assert.equal((await people.MEMBER('DELETE', path)).status, 200)
  const [{ act, target, detail }] = (await owner('GET', '/api/audit?limit=1')).body.audit
  assert.deepEqual([act, target, detail], ['dashboard_deleted', uid, 'By a member'])
})

test('another organization neither sees, changes nor uses what is here', async () => {
  const other = await otherOrganization()
  const { uid } = await save({ id: 'same', name: 'Here', panels: [chart()] })
  const path = `/api/dashboard/${uid}`
  for (const [method, at] of [
    ['GET', path],
    ['GET', `${path}/export`],
    ['POST', path],
    ['DELETE', path],
  ]) {
    const body = method === 'POST' ? { dashboard: { name: 'taken' } } : undefined
    assert.equal((await other(method, at, body)).status, 404, `${method} ${at}`)
  }
  assert.equal((await other('GET', '/api/dashboard')).body.totalCount, 0)
  const foreign = other('PUT', '/api/dashboard', { dashboard: { panels: [chart()] } })
  await refused(foreign, 400, /is not a stream of this organization/)
  await save({ id: 'same', name: 'There' }, other)
})

test('an export is imported in another organization by IDs, and missing streams are listed', async () => {
  const second = await makeStream(owner, 'pump/1', 'state [0]')
  const panels = [
    { ...chart(), streams: [shown, second] },
    { ...chart(), streams: [second] },
  ]
  const { uid } = await save({ id: 'moved', name: 'Moved', range: 'last-7d', panels })
  const exported = await owner('GET', `/api/dashboard/${uid}/export`)
  const { dashboard } = exported.body
  assert.deepEqual(dashboard.panels[0].streams, [
    { ...shown, componentId: 'boiler', streamId: 'temp' },
    { ...second, componentId: 'pump/1', streamId: 'state [0]' },
  ])
  const other = await otherOrganization()
  const there = await makeStream(other, 'boiler', 'temp')
  const trial = await other('PUT', '/api/dashboard/import', { dashboard, isTrial: true })
  assert.equal(trial.status, 200, trial.text)
  const missing = [{ ...second, componentId: 'pump/1', streamId: 'state [0]' }]
  assert.deepEqual(trial.body.missing, missing)
  assert.equal(trial.body.dashboard.uid, '')
  assert.equal((await other('GET', '/api/dashboard')).body.totalCount, 0)
  const made = await other('PUT', '/api/dashboard/import', exported.body)
  assert.deepEqual(made.body.missing, missing)
  const streamsOf = (board: { panels: { streams: object[] }[] }) =>
    board.panels.map(({ streams }) => streams)
  assert.deepEqual(streamsOf(made.body.dashboard), [[there], []])
  assert.equal(made.body.dashboard.range, 'last-7d')
  const taken = other('PUT', '/api/dashboard/import', exported.body)
  await refused(taken, 409, /dashboard.id "moved" is taken/)
  const instead = await makeStream(other, 'pump 2', 'state')
  const map = [{ componentId: 'pump/1', streamId: 'state [0]', ...instead }]
  const again = { dashboard: { ...dashboard, id: '' }, map }
  const mapped = await other('PUT', '/api/dashboard/import', again)
  assert.deepEqual(mapped.body.missing, [])
  assert.deepEqual(streamsOf(mapped.body.dashboard), [[there, instead], [instead]])
  const foreign = { ...again, map: [{ ...map[0], ...shown }] }
  const kept = await other('PUT', '/api/dashboard/import', foreign)
  assert.deepEqual(kept.body.missing, missing, 'a stream of another organization is not found')
})

test('a file that is none, of a later version or with wrong fields is refused', async () => {
  const count = async () => (await owner('GET', '/api/dashboard')).body.totalCount
  const before = await count()
  const file = { format: 'weir-dashboard', version: 1, name: 'F', panels: [] as object[] }
  const bad = (body: object, message: RegExp) =>
    refused(owner('PUT', '/api/dashboard/import', body), 400, message)
  await bad({}, /^dashboard\.format must be "weir-dashboard"/)
  await bad([], /^dashboard\.format must be "weir-dashboard"/)
  await bad({ dashboard: { ...file, format: 'grafana' } }, /^dashboard\.format/)
  await bad({ dashboard: { ...file, version: 2 } }, /^dashboard\.version 2 is later/)
  await bad({ dashboard: { ...file, panels: 5 } }, /^dashboard\.panels must be an array/)
  const wrong = [{ ...chart(), kind: 'pie' }]
  await bad({ dashboard: { ...file, panels: wrong } }, /^dashboard\.panels\[0\]\.kind must be one/)
  await bad({ dashboard: file, map: [{}] }, /^import\.map\[0\]/)
  await bad({ dashboard: file, isTrial: 'yes' }, /^import\.isTrial must be a boolean/)
  assert.equal(await count(), before)
})

test('an export contains no IDs that the caller may not see, and an import finds none by them', async () => {
  const { uid } = await save({ name: 'Hidden', panels: [chart()] })
  const all = ['GET', 'PUT']
  const api_key = { name: 'boards', capabilities: [{ resource: 'dashboard', methods: all }] }
  const made = await owner('PUT', '/api/api_key', { api_key })
  const key = caller(service, `api_key=${made.body.api_key.secretKey}`)
  const exported = await key('GET', `/api/dashboard/${uid}/export`)
  const [stream] = exported.body.dashboard.panels[0].streams
  assert.deepEqual(stream, { ...shown, componentId: '', streamId: '' })
  const asked = { componentId: 'boiler', streamId: 'temp' }
  const panels = [{ ...chart(), streams: [asked] }]
  const file = { format: 'weir-dashboard', version: 1, name: 'F', panels }
  const found = await key('PUT', '/api/dashboard/import', { dashboard: file, isTrial: true })
  assert.deepEqual(found.body.missing, [{ componentUid: '', streamUid: '', ...asked }])
})

test('a stream that the caller may not see is refused as one that is not there; one of the board stays', async () => {
  const { uid } = await save({ name: 'Seen', panels: [chart()] })
  const methods = ['GET', 'PUT', 'POST']
  const api_key = { name: 'narrow', capabilities: [{ resource: 'dashboard', methods }] }
  const made = await owner('PUT', '/api/api_key', { api_key })
  const key = caller(service, `api_key=${made.body.api_key.secretKey}`)
  const panels = [chart()]
  const none = /panels\[0\]\.streams\[0\] .* is not a stream of this organization/
  await refused(key('PUT', '/api/dashboard', { dashboard: { panels } }), 400, none)
  const { uid: empty } = await save({ name: 'Empty' })
  await refused(key('POST', `/api/dashboard/${empty}`, { dashboard: { panels } }), 400, none)
  const kept = await key('POST', `/api/dashboard/${uid}`, { dashboard: { name: 'Kept', panels } })
  assert.equal(kept.status, 200, kept.text)
  const reader = { name: 'reader', capabilities: [{ resource: 'dashboard', methods: ['GET'] }] }
  const read = await owner('PUT', '/api/api_key', { api_key: reader })
  const only = caller(service, `api_key=${read.body.api_key.secretKey}`)
  assert.equal((await only('PUT', '/api/dashboard', { dashboard: { panels } })).status, 403)
})

test('dashboards count in the quota of bytes', async () => {
  const usage = async () => {
    const { body } = await owner('GET', `/api/organization/${service.orgUid}`)
    return body.organization.usage.catalogBytes
  }
  const before = await usage()
  await save({ name: 'Counted', description: 'x'.repeat(5_000) })
  assert.ok((await usage()) >= before + 5_000)
})

test('a query panel keeps its query, through export and import too; one without is refused', async () => {
  const query = { uid: '0192f3a1-7c1e-4b7a-9d55-0a1b2c3d4e5f', view: 'chart' }
  const panel = { kind: 'query', ...place, query }
  const { uid, panels } = await save({ name: 'Rows', panels: [panel] })
  assert.deepEqual(panels[0].query, query)
  const { dashboard } = (await owner('GET', `/api/dashboard/${uid}/export`)).body
  assert.deepEqual(dashboard.panels[0].query, query)
  const made = await owner('PUT', '/api/dashboard/import', { dashboard })
  assert.equal(made.status, 200, made.text)
  assert.deepEqual(made.body.dashboard.panels[0].query, query)
  const plain = await save({ panels: [{ ...panel, query: { uid: query.uid } }] })
  assert.equal(plain.panels[0].query.view, 'table')
  for (const wrong of [undefined, { uid: '' }]) {
    const dashboardOf = { panels: [{ ...panel, query: wrong }] }
    await refused(
      owner('PUT', '/api/dashboard', { dashboard: dashboardOf }),
      400,
      /panels\[0\]\.query\.uid.*is missing/,
    )
  }
})

test('a board keeps its variable, through export and import too, and takes no component it does not show', async () => {
  const variable = { componentUid: shown.componentUid, template: 'boiler', label: 'site=north' }
  const whole = { ...variable, folder: '' }
  const made = await save({ name: 'Any boiler', panels: [chart()], variable })
  assert.deepEqual(made.variable, whole)
  const path = `/api/dashboard/${made.uid}`
  const kept = await owner('POST', path, { dashboard: { name: 'Each boiler' } })
  assert.deepEqual(kept.body.dashboard.variable, whole)
  const { dashboard: file } = (await owner('GET', `${path}/export`)).body
  const other = await otherOrganization()
  const theirs = await makeStream(other, 'boiler', 'temp')
  const imported = await other('PUT', '/api/dashboard/import', { dashboard: file })
  assert.deepEqual(imported.body.dashboard.variable, {
    ...whole,
    componentUid: theirs.componentUid,
  })
  const wrong = { variable: { componentUid: theirs.componentUid } }
  await refused(owner('POST', path, { dashboard: wrong }), 400, /not a component of this board/)
  for (const [filter, message] of [
    [{ folder: 'B' }, /^dashboard\.variable\.folder "B" must start with \/Components/],
    [{ folder: '/components' }, /^dashboard\.variable\.folder "\/components" must start with/],
    [{ label: 'nolabel' }, /^dashboard\.variable\.label must have the form name=value/],
    [{ label: '=x' }, /^dashboard\.variable\.label must have the form name=value/],
  ] as const) {
    const bad = { variable: { ...variable, ...filter } }
    await refused(owner('POST', path, { dashboard: bad }), 400, message)
  }
  const removed = await owner('POST', path, { dashboard: { variable: null } })
  assert.equal('variable' in removed.body.dashboard, false)
})
