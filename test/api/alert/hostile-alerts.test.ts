/** Alerts under what people, devices, and clocks do wrong, or do to them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AlertHome, HOUR, MINUTE, openAlertHome } from '../../support/alert-home.ts'
import { caller } from '../../support/caller.ts'

const DAY = 24 * HOUR

let home: AlertHome
before(async () => {
  home = await openAlertHome()
})
after(() => home.close())

let count = 0
async function watched(alert: object, streams = ['temp']) {
  count += 1
  const compId = `h${count}`
  const component = await home.component(compId, streams)
  const stream = { componentUid: component.uid, streamUid: component.streams[streams[0]] }
  const { uid } = await home.alert({ streams: [stream], ...alert })
  const put = async (value: number | string, time?: number) => {
    await home.put(compId, streams[0], value, time)
    await home.settle()
  }
  return { uid, compId, component, put, states: () => home.states(uid) }
}

test('silence is noticed in time after the clock was ahead for a while', async () => {
  const quiet = await watched({ silentForMs: HOUR })
  await quiet.put(1)
  home.clock.jump(DAY)
  await quiet.put(2)
  await home.settle()
  home.clock.jump(-DAY)
  await home.settle()
  const state = async () => (await home.owner('GET', `/api/alert/${quiet.uid}`)).body.alert.state
  await home.advance(HOUR - 1)
  assert.equal(await state(), 'OK')
  await home.advance(1)
  assert.equal(await state(), 'FIRING')
})

test('a sample from the future that was deleted no longer makes others late', async () => {
  const { put, states, compId } = await watched({ condition: 'value > 30' })
  await put(20)
  await put(31, home.clock.now() + DAY)
  assert.deepEqual(await states(), ['FIRING sample'])
  home.clock.advance(MINUTE)
  await put(20)
  assert.deepEqual(await states(), ['FIRING sample'])
  const [sd, ed] = [home.clock.now() + HOUR, home.clock.now() + 2 * DAY]
  const path = `/api/comp/${compId}/stream/temp/feed?sd=${sd}&ed=${ed}`
  assert.equal((await home.owner('DELETE', path)).status, 200)
  await home.settle()
  await home.service.restartKilled()
  await home.signIn()
  home.clock.advance(MINUTE)
  await put(20)
  assert.deepEqual(await states(), ['FIRING sample', 'OK sample'])
})

test('a condition that comes and goes leaves no timers behind', async () => {
  const { compId, uid } = await watched({ condition: 'value > 30', forMs: 300 * DAY })
  for (const round of [0, 1]) {
    home.clock.advance(HOUR)
    const from = home.clock.now() - MINUTE
    const samples = Array.from({ length: 30_000 }, (_, at) => ({
      compId,
      streamId: 'temp',
      time: from + at,
      data: at % 2 === 0 ? 31 : 20,
    }))
    const answer = await home.client.putJson(samples)
    assert.equal(answer.status, 200, `round ${round}: ${answer.text}`)
    await home.settle()
  }
  await home.settle()
  const { states } = home.service.app.alertWorker
  assert.ok(states.timerCount < 20_000, `${states.timerCount} timers`)
  const { totalCount } = (await home.owner('GET', `/api/alert/${uid}/event?limit=1`)).body
  assert.equal(totalCount, 60_000)
})

test('conditions that try to take all time or memory are refused', async () => {
  const component = await home.component('hostile', ['temp', 'text'])
  const streams = [{ componentUid: component.uid, streamUid: component.streams.temp }]
  const save = (condition: string) =>
    home.owner('PUT', '/api/alert', {
      alert: { runningUser: { uid: home.ownerUid }, streams, condition },
    })
  const refused = [
    `${'('.repeat(9_000)}value`,
    `${'NOT '.repeat(2_400)}value > 1`,
    Array.from({ length: 21 }, (_, at) => `previous(${at + 1}) > 1`).join(' OR '),
    'previous(101) > 1',
    "recent(10081, 'avg') > 1",
    "stat('day', 'max', -101) > 1",
    `value > ${'1'.repeat(10_000)}`,
    'value > 1; DROP TABLE x',
    'value > \u0000 1',
    "stream('') > 1",
  ]
  for (const condition of refused) {
    const { status, text } = await save(condition)
    assert.equal(status, 400, `${condition.slice(0, 40)}: ${text.slice(0, 200)}`)
  }
})

test('many alerts on one stream fire and end with one sample each, and a restart knows them all', async () => {
  const ALERTS = 400
  const component = await home.component('storm', ['temp'])
  const streams = [{ componentUid: component.uid, streamUid: component.streams.temp }]
  const runningUser = { uid: home.ownerUid }
  const uids: string[] = []
  for (let at = 0; at < ALERTS; at += 1) {
    const alert = { name: `storm ${at}`, runningUser, streams, condition: 'value > 30' }
    const made = await home.owner('PUT', '/api/alert', { alert })
    assert.equal(made.status, 200, made.text)
    uids.push(made.body.alert.uid)
  }
  await home.settle()
  await home.put('storm', 'temp', 31)
  await home.settle()
  const firing = async () => {
    const { body } = await home.owner('GET', '/api/alert?state=FIRING&limit=1')
    return body.totalCount
  }
  const before = await firing()
  assert.ok(before >= ALERTS)
  await home.service.restart()
  await home.signIn()
  await home.settle()
  assert.equal(await firing(), before)
  home.clock.advance(MINUTE)
  await home.put('storm', 'temp', 20)
  await home.settle()
  assert.equal(await firing(), before - ALERTS)
  for (const uid of [uids[0], uids[ALERTS - 1]]) {
    assert.deepEqual(await home.states(uid), ['FIRING sample', 'OK sample'])
  }
})

test('an alert follows its stream through renames, moves, and another type, and not to a new stream of its name', async () => {
  const { component, compId, put, states } = await watched({ condition: 'value > 30' })
  const path = `/api/component/${component.uid}`
  const change = async (at: string, record: object) => {
    const answer = await home.owner('POST', at, record)
    assert.equal(answer.status, 200, answer.text)
    await home.settle()
  }
  await put(31)
  const streamPath = `${path}/stream/${component.streams.temp}`
  await change(streamPath, { stream: { id: 'heat' } })
  await change(path, { component: { folder: '/Components/elsewhere', id: `${compId}-renamed` } })
  assert.deepEqual(await states(), ['FIRING sample'])
  home.clock.advance(1_000)
  await home.put(`${compId}-renamed`, 'heat', 20)
  await home.settle()
  assert.deepEqual(await states(), ['FIRING sample', 'OK sample'])
  home.clock.advance(1_000)
  await home.put(`${compId}-renamed`, 'heat', 31)
  await home.settle()
  assert.equal((await home.owner('DELETE', streamPath)).status, 200)
  await home.settle()
  home.clock.advance(1_000)
  await home.put(`${compId}-renamed`, 'heat', 99)
  await home.settle()
  assert.deepEqual((await states()).slice(2), ['FIRING sample', 'OK deleted'])
})

test('an alert on a template follows changes of the template and of its components', async () => {
  const stream = [{ id: 'temp', valueType: 'DOUBLE' }]
  const made = await home.owner('PUT', '/api/component_template', {
    component_template: { id: 'first', stream },
  })
  assert.equal(made.status, 200, made.text)
  const { uid: templateUid } = made.body.component_template
  const template = { uid: templateUid }
  const { uid } = await home.alert({ template, streamId: 'temp', condition: 'value > 30' })
  const put = await home.client.put(`compId=t1&compTmplId=first&temp=31&time=${home.clock.now()}`)
  assert.equal(put.status, 200, put.text)
  await home.settle()
  assert.deepEqual(await home.states(uid), ['FIRING sample'])
  const renamed = await home.owner('POST', `/api/component_template/${templateUid}`, {
    component_template: { id: 'second' },
  })
  assert.equal(renamed.status, 200, renamed.text)
  await home.settle()
  home.clock.advance(1_000)
  const later = `compId=t2&compTmplId=second&temp=31&time=${home.clock.now()}`
  assert.equal((await home.client.put(later)).status, 200)
  await home.settle()
  const { state } = (await home.owner('GET', `/api/alert/${uid}/state`)).body
  assert.ok(state.some(({ componentId }: { componentId: string }) => componentId === 't2'))
})

test('a deleted template ends the states of its alerts, which can still be renamed and disabled', async () => {
  const stream = [{ id: 'temp', valueType: 'DOUBLE' }]
  const component_template = { id: 'gone', stream }
  const made = await home.owner('PUT', '/api/component_template', { component_template })
  const template = { uid: made.body.component_template.uid }
  const { uid } = await home.alert({ template, streamId: 'temp', condition: 'value > 30' })
  const put = await home.client.put(`compId=g1&compTmplId=gone&temp=31&time=${home.clock.now()}`)
  assert.equal(put.status, 200, put.text)
  await home.settle()
  await home.owner('DELETE', `/api/component_template/${template.uid}`)
  await home.settle()
  assert.deepEqual(await home.states(uid), ['FIRING sample', 'OK disabled'])
  const path = `/api/alert/${uid}`
  assert.equal((await home.owner('GET', path)).body.alert.problem, 'The template was deleted')
  const changed = await home.owner('POST', path, { alert: { name: 'Old', enabled: false } })
  assert.equal(changed.status, 200, changed.text)
  const { name, enabled, problem } = changed.body.alert
  assert.deepEqual([name, enabled, problem], ['Old', false, 'The template was deleted'])
  const other = await home.owner('POST', path, { alert: { streamId: 'other' } })
  assert.equal(other.body.field, 'alert.template', other.text)
})

test('an alert whose cycles were deleted says so, and can still be renamed and disabled', async () => {
  const cycles = await Promise.all(
    ['shift', 'office'].map(async (id) => {
      const intervals = [{ from: '2020-01-01', until: '2090-01-01' }]
      const cycle = { id, sizeType: 'CUSTOM', intervals }
      const made = await home.owner('PUT', '/api/cycle', { cycle })
      assert.equal(made.status, 200, made.text)
      return { id, uid: made.body.cycle.uid }
    }),
  )
  const [shift, office] = cycles
  const condition = "value > 30 and stat('shift', 'avg') > 20"
  const { uid } = await watched({ condition, cycle: { uid: office.uid } })
  const path = `/api/alert/${uid}`
  const problemAfter = async (cycle: { uid: string }) => {
    assert.equal((await home.owner('DELETE', `/api/cycle/${cycle.uid}`)).status, 200)
    return (await home.owner('GET', path)).body.alert.problem
  }
  assert.equal(await problemAfter(office), 'The cycle of active times was deleted')
  assert.equal(await problemAfter(shift), 'The cycle "shift" of the condition was deleted')
  const changed = await home.owner('POST', path, { alert: { name: 'Old', enabled: false } })
  assert.equal(changed.status, 200, changed.text)
  const other = await home.owner('POST', path, {
    alert: { condition: `${condition} and value < 99` },
  })
  assert.equal(other.body.field, 'alert.condition', other.text)
})

test('an alert ends its states as soon as its running user leaves, and goes on as another user', async () => {
  const email = 'leaver@weir.example'
  const user = { email, password: 'correct horse battery', role: 'MEMBER' }
  const added = await home.owner('PUT', '/api/org_user', { org_user: user })
  assert.equal(added.status, 200, added.text)
  const runningUser = { uid: added.body.org_user.uid }
  const { uid, put, states } = await watched({ condition: 'value > 30', runningUser })
  await put(31)
  assert.deepEqual(await states(), ['FIRING sample'])
  const left = await home.owner('DELETE', `/api/org_user/${runningUser.uid}`)
  assert.equal(left.status, 200, left.text)
  await home.settle()
  assert.deepEqual(await states(), ['FIRING sample', 'OK disabled'])
  const { state, problem } = (await home.owner('GET', `/api/alert/${uid}`)).body.alert
  assert.deepEqual([state, problem], ['OK', 'The running user is no longer in this organization'])
  const given = { alert: { runningUser: { uid: home.ownerUid } } }
  assert.equal((await home.owner('POST', `/api/alert/${uid}`, given)).status, 200)
  await home.settle()
  home.clock.advance(1_000)
  await put(32)
  assert.equal((await states()).at(-1), 'FIRING sample')
})

test('a key for one alert sees and changes only this alert', async () => {
  const mine = await watched({ condition: 'value > 30' })
  const other = await watched({ condition: 'value > 30' })
  await mine.put(31)
  await other.put(31)
  const capabilities = [{ resource: `alert/${mine.uid}`, methods: ['GET', 'POST'] }]
  const made = await home.owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  assert.equal(made.status, 200, made.text)
  const narrow = caller(home.service, `api_key=${made.body.api_key.secretKey}`)
  assert.equal((await narrow('GET', `/api/alert/${mine.uid}`)).status, 200)
  for (const [method, path, body] of [
    ['GET', `/api/alert/${other.uid}`],
    ['GET', `/api/alert/${other.uid}/event`],
    ['GET', `/api/alert/${other.uid}/state`],
    ['POST', `/api/alert/${other.uid}/mute`, { mute: null }],
    ['POST', `/api/alert/${other.uid}/acknowledge`, { acknowledge: {} }],
    ['DELETE', `/api/alert/${other.uid}`],
    ['DELETE', `/api/alert/${mine.uid}`],
  ] as const) {
    assert.equal((await narrow(method, path, body)).status, 403, `${method} ${path}`)
  }
  const listed = await narrow('GET', '/api/alert?state=FIRING')
  const uids = (listed.body.alert ?? []).map(({ uid }: { uid: string }) => uid)
  assert.ok(!uids.includes(other.uid), listed.text)
  // It may not watch what it may not read.
  const streams = [{ componentId: other.compId, streamId: 'temp' }]
  const stolen = await narrow('POST', `/api/alert/${mine.uid}`, { alert: { streams } })
  assert.equal(stolen.status, 403, stolen.text)
})
