import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AlertHome, HOUR, MINUTE, openAlertHome } from '../../support/alert-home.ts'
import { caller, signIn } from '../../support/caller.ts'

let home: AlertHome
let streamUid: string
let componentUid: string

before(async () => {
  home = await openAlertHome()
  const component = await home.component('boiler', ['temp', 'other'])
  componentUid = component.uid
  streamUid = component.streams.temp
})
after(() => home.close())

const watching = () => ({ streams: [{ componentUid, streamUid }], condition: 'value > 30' })
const mine = () => ({ runningUser: { uid: home.ownerUid } })

async function refused(record: object, message: RegExp, status = 400): Promise<void> {
  const before = (await home.owner('GET', '/api/alert')).body.totalCount
  const answer = await home.owner('PUT', '/api/alert', { alert: { ...mine(), ...record } })
  assert.equal(answer.status, status, answer.text)
  assert.match(answer.body.message, message)
  assert.equal((await home.owner('GET', '/api/alert')).body.totalCount, before)
}

test('an alert is kept as it was saved, with its stream by UID or ID, and changed field by field', async () => {
  const byId = { streams: [{ componentId: 'boiler', streamId: 'temp' }], condition: 'value > 1' }
  const { uid } = await home.alert({ id: 'hot', name: 'Hot', ...byId, forMs: 5 })
  const { alert } = (await home.owner('GET', `/api/alert/${uid}`)).body
  const shown = { componentUid, streamUid, componentId: 'boiler', streamId: 'temp' }
  assert.deepEqual(alert.streams, [shown])
  assert.equal(alert.forMs, 5)
  assert.equal(alert.startedMs, home.clock.now())
  assert.deepEqual([alert.state, alert.mute, alert.severity], ['OK', null, 'warning'])
  const labels = { labels: { site: 'north' } }
  const changed = await home.owner('POST', `/api/alert/${uid}`, { alert: labels })
  assert.deepEqual(changed.body.alert.streams, [])
  assert.deepEqual(changed.body.alert.labels, labels.labels)
  assert.equal(changed.body.alert.condition, 'value > 1')
  await home.owner('DELETE', `/api/alert/${uid}`)
  assert.equal((await home.owner('GET', `/api/alert/${uid}`)).status, 404)
})

test('bad input names the field, says what to change, and saves nothing', async () => {
  const some = watching()
  const of = (record: object, message: RegExp) => refused({ ...some, ...record }, message)
  await of({ condition: 'value >' }, /^alert\.condition has an error in line 1, column 8/)
  await of({ condition: 'valu > 1' }, /Unknown name "valu": did you mean "value"\?/)
  await of({ condition: "stat('day')" }, /stat\(\) cannot take 1 arguments/)
  await of({ condition: "stat('none', 'max') > 1" }, /"none", which is not the ID of a cycle/)
  await of(
    { condition: "stat('day', 'most') > 1" },
    /Argument 2 of stat\(\) must be one of 'first'/,
  )
  await of({ condition: 'previous(0) > 1' }, /Argument 1 of previous\(\) must be a number from 1/)
  await of({ condition: "recent(0, 'max') > 1" }, /must be a number of minutes from 1/)
  await of({ condition: "'a'" }, /Expected a condition, got a text/)
  await of({ condition: "value = 'on'" }, /is a number, but it is compared with a text/)
  await of({ condition: '' }, /^alert\.condition is missing/)
  await of({ condition: '', silentForMs: 5 }, /^alert\.silentForMs must be 0, or at least 1000/)
  await of({ repeatMs: 5 }, /^alert\.repeatMs must be 0, or at least 60000/)
  await of({ forMs: -1 }, /^alert\.forMs must be/)
  await of({ runningUser: null }, /^alert\.runningUser is missing/)
  await of({ runningUser: { uid: 'none' } }, /^alert\.runningUser is not a user of this/)
  await of({ channels: [{ uid: 'none' }] }, /^alert\.channels\[0\]\.uid "none" is not a channel/)
  await of({ cycle: { uid: 'none' } }, /^alert\.cycle "none" is not a cycle/)
  await of({ labels: { a: 'b' } }, /has more than one of streams, template, and labels/)
  await of({ streams: [] }, /^alert\.streams is empty/)
  await of({ streams: [{ componentId: 'boiler', streamId: 'none' }] }, /"none" is not a stream/)
  await of(
    { streams: [...some.streams, ...some.streams] },
    /^alert\.streams\[1\] repeats the stream/,
  )
  await refused(
    { template: { uid: 'none' }, condition: 'value > 1' },
    /^alert\.streamId is missing/,
  )
  await refused(
    { template: { uid: 'none' }, streamId: 's', condition: 'value > 1' },
    /^alert\.template "none" is not a template/,
  )
})

test('a condition on numbers is not saved for a stream or template of texts', async () => {
  const stream = [{ id: 'text', valueType: 'STRING' }]
  const made = await home.owner('PUT', '/api/component', { component: { id: 'words', stream } })
  const template = await home.owner('PUT', '/api/component_template', {
    component_template: { id: 'words', stream },
  })
  const { uid } = template.body.component_template
  const runningUser = { uid: home.ownerUid }
  for (const watched of [
    { streams: [{ streamUid: made.body.component.stream[0].uid }] },
    { template: { uid }, streamId: 'text' },
  ]) {
    const alert = { ...watched, condition: 'value > 80', runningUser }
    const { status, body, text } = await home.owner('PUT', '/api/alert', { alert })
    assert.deepEqual([status, body.field], [400, 'alert.condition'], text)
    assert.match(text, /is a text, but it is compared with a number/)
  }
})

test('a caller may watch only what it may GET, and learns of nothing else', async () => {
  const keyWith = async (resources: readonly (readonly [string, readonly string[]])[]) => {
    const capabilities = resources.map(([resource, methods]) => ({ resource, methods }))
    const api_key = { name: 'k', capabilities }
    const made = await home.owner('PUT', '/api/api_key', { api_key })
    assert.equal(made.status, 200, made.text)
    return caller(home.service, `api_key=${made.body.api_key.secretKey}`)
  }
  const all = ['GET', 'PUT', 'POST', 'DELETE']
  const blind = await keyWith([['alert', all]])
  const alert = { ...watching(), ...mine() }
  assert.equal((await blind('PUT', '/api/alert', { alert })).status, 403)
  const other = await keyWith([
    ['alert', all],
    ['component/none/feed', ['GET']],
  ])
  const hidden = await other('PUT', '/api/alert', { alert })
  const missing = { ...alert, streams: [{ componentUid, streamUid: 'none' }] }
  const unknown = await other('PUT', '/api/alert', { alert: missing })
  assert.equal(hidden.status, 400, hidden.text)
  assert.equal(hidden.body.message.replace(streamUid, 'none'), unknown.body.message)
  const labels = await other('PUT', '/api/alert', {
    alert: { ...mine(), labels: { a: 'b' }, condition: 'value > 1' },
  })
  assert.equal(labels.status, 403, labels.text)
  const weak = await keyWith([
    ['alert', all],
    ['component/*/feed', ['GET']],
  ])
  const asOwner = await weak('PUT', '/api/alert', { alert })
  assert.equal(asOwner.status, 403, asOwner.text)
  assert.match(asOwner.body.message, /alert\.runningUser does/)
  const { uid } = await home.alert({ ...watching(), message: 'secret {value}' })
  await home.put('boiler', 'temp', 77)
  await home.settle()
  const events = (await blind('GET', `/api/alert/${uid}/event`)).body.event
  assert.deepEqual(
    [events[0].value, events[0].message, events[0].componentId],
    [null, '', ''],
    'events hide what the caller may not read',
  )
  const states = (await blind('GET', `/api/alert/${uid}/state`)).body.state
  assert.deepEqual([states[0].value, states[0].streamId], [null, ''])
})

test('alerts of another organization are not there', async () => {
  const { uid } = await home.alert(watching())
  const made = await home.owner('PUT', '/api/organization', { organization: { name: 'Other' } })
  const { service } = home
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const other = caller(service, `${session}; org=${made.body.organization.uid}`)
  assert.equal((await other('GET', `/api/alert/${uid}`)).status, 404)
  assert.equal((await other('GET', `/api/alert/${uid}/event`)).status, 404)
  assert.equal((await other('POST', `/api/alert/${uid}/mute`, { mute: null })).status, 404)
  const alert = { ...watching(), ...mine() }
  const stolen = await other('PUT', '/api/alert', { alert })
  assert.equal(stolen.status, 400)
  assert.match(stolen.body.message, /is not a stream of this organization/)
})

test('a muted alert changes states and tells nobody; acknowledged states are shown', async () => {
  const { uid } = await home.alert(watching())
  await home.owner('POST', `/api/alert/${uid}/mute`, { mute: { untilMs: home.clock.now() + HOUR } })
  const muted = (await home.owner('GET', `/api/alert/${uid}`)).body.alert.mute
  assert.deepEqual([muted.sinceMs, muted.untilMs], [home.clock.now(), home.clock.now() + HOUR])
  home.clock.advance(1_000)
  await home.put('boiler', 'temp', 50)
  await home.settle()
  assert.deepEqual(await home.states(uid), ['FIRING sample'])
  const acknowledge = { acknowledge: { comment: 'On my way' } }
  assert.equal((await home.owner('POST', `/api/alert/${uid}/acknowledge`, acknowledge)).status, 200)
  const { state } = (await home.owner('GET', `/api/alert/${uid}/state`)).body
  assert.equal(state[0].acknowledged.comment, 'On my way')
  await home.advance(HOUR)
  assert.equal((await home.owner('GET', `/api/alert/${uid}`)).body.alert.mute, null)
})

test('a preview shows when an unsaved alert would have fired, and saves nothing', async () => {
  await home.component('past', ['temp'])
  const begun = home.clock.now() - 24 * HOUR
  for (const [minute, value] of [20, 31, 32, 33, 20, 35].entries()) {
    await home.put('past', 'temp', value, begun + minute * MINUTE)
  }
  const streams = [{ componentId: 'past', streamId: 'temp' }]
  const alert = { ...mine(), streams, condition: 'value > 30', forMs: 2 * MINUTE }
  const { body, text } = await home.owner('POST', '/api/alert/preview', { alert })
  assert.ok(body.preview, text)
  const [stream] = body.preview.streams
  assert.equal(stream.sampleCount, 6)
  assert.deepEqual(stream.firings, [
    { from: begun + 3 * MINUTE, until: begun + 4 * MINUTE },
    { from: begun + 7 * MINUTE, until: null },
  ])
  const silent = { ...mine(), streams, silentForMs: 23 * HOUR }
  const quiet = (await home.owner('POST', '/api/alert/preview', { alert: silent })).body.preview
  assert.deepEqual(quiet.streams[0].firings.length, 2)
  assert.equal(
    (await home.owner('GET', '/api/alert?limit=1000')).body.alert.some(
      (one: { streams: { componentId: string }[] }) => one.streams[0]?.componentId === 'past',
    ),
    false,
  )
})

test('alerts count against the quota of records', async () => {
  const limited = await openAlertHome()
  try {
    await limited.service.restart({ WEIR_QUOTAS: 'catalogBytes=30KB' })
    await limited.signIn()
    const labels = { site: 'north' }
    const description = 'x'.repeat(9_000)
    const alert = {
      runningUser: { uid: limited.ownerUid },
      labels,
      condition: 'value > 1',
      description,
    }
    const answers = []
    for (let at = 0; at < 4; at += 1)
      answers.push(await limited.owner('PUT', '/api/alert', { alert }))
    assert.equal(answers[0].status, 200, answers[0].text)
    assert.equal(answers[3].body.code, 'quota_exceeded')
  } finally {
    await limited.close()
  }
})
