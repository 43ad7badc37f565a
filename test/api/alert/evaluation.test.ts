import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AlertHome, HOUR, MINUTE, openAlertHome } from '../../support/alert-home.ts'

let home: AlertHome

before(async () => {
  home = await openAlertHome()
})
after(() => home.close())

let count = 0
/** A component of its own for a test, with one stream that is watched. */
async function watched(alert: object, streams = ['temp']) {
  count += 1
  const compId = `c${count}`
  const component = await home.component(compId, streams)
  const stream = { componentUid: component.uid, streamUid: component.streams[streams[0]] }
  const { uid } = await home.alert({ streams: [stream], ...alert })
  const put = async (value: number | string, time?: number) => {
    await home.put(compId, streams[0], value, time)
    await home.settle()
  }
  const states = () => home.states(uid)
  return { uid, compId, component, put, states }
}

test('an alert fires at the first sample for which its condition holds, and ends at the next for which not', async () => {
  const { put, states, uid } = await watched({ condition: 'value > 30' })
  await put(20)
  assert.deepEqual(await states(), [])
  home.clock.advance(1_000)
  await put(31)
  await put(32)
  const { body } = await home.owner('GET', `/api/alert/${uid}`)
  assert.equal(body.alert.state, 'FIRING')
  assert.equal(body.alert.firingCount, 1)
  home.clock.advance(1_000)
  await put(30)
  assert.deepEqual(await states(), ['FIRING sample', 'OK sample'])
  const events = await home.owner('GET', `/api/alert/${uid}/event`)
  assert.equal(events.body.event[1].value, '31')
})

test('what is put after the answer to a saved alert is evaluated, and what was put before is not', async () => {
  const component = await home.component('begin', ['temp', 'flow'])
  const [temp, flow] = ['temp', 'flow'].map((id) => ({
    componentUid: component.uid,
    streamUid: component.streams[id],
  }))
  await home.put('begin', 'temp', 90)
  await home.put('begin', 'flow', 90)
  const condition = 'value > 30'
  const alert = await home.alert({ condition, streams: [temp] })
  home.clock.advance(1_000)
  await home.put('begin', 'temp', 40)
  const record = { ...alert, streams: [temp, flow] }
  const changed = await home.owner('POST', `/api/alert/${alert.uid}`, { alert: record })
  assert.equal(changed.status, 200, changed.text)
  await home.put('begin', 'flow', 41)
  await home.settle()
  const events = await home.owner('GET', `/api/alert/${alert.uid}/event`)
  const values = events.body.event.map(({ value }: { value: string }) => value)
  assert.deepEqual(values.toSorted(), ['40', '41'])
})

test('alerts are listed by a state that they are in on some stream', async () => {
  const names = async (state: string) => {
    const { body, text } = await home.owner('GET', `/api/alert?state=${state}&limit=1000`)
    assert.ok(body.alert, text)
    assert.equal(body.totalCount, body.alert.length)
    return body.alert
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => /^by/.test(name))
  }
  const hot = await watched({ name: 'by state, hot', condition: 'value > 30' })
  const slow = await watched({ name: 'by state, slow', condition: 'value > 30', forMs: HOUR })
  await hot.put(31)
  await slow.put(31)
  assert.deepEqual(await names('FIRING'), ['by state, hot'])
  assert.deepEqual(await names('PENDING'), ['by state, slow'])
  const { totalCount } = (await home.owner('GET', '/api/alert?state=FIRING&limit=1')).body
  assert.ok(totalCount >= 1)
  const wrong = await home.owner('GET', '/api/alert?state=HOT')
  assert.equal(wrong.status, 400, wrong.text)
  assert.match(wrong.body.message, /PENDING, FIRING/)
  await home.owner('POST', `/api/alert/${hot.uid}`, { alert: { enabled: false } })
  await home.settle()
  assert.deepEqual(await names('FIRING'), [])
})

test('rules and alerts of the Prometheus API list what fires, for callers who may read alerts', async () => {
  const { compId, put, uid } = await watched({
    name: 'too hot',
    condition: 'value > 30',
    severity: 'critical',
  })
  await put(20)
  const rule = async () => {
    const { body } = await home.owner('GET', '/api/v1/rules')
    return body.data.groups[0].rules.find(({ name }: { name: string }) => name === 'too hot')
  }
  assert.equal((await rule()).state, 'inactive')
  await put(31)
  const fired = await rule()
  assert.deepEqual([fired.state, fired.query, fired.alerts.length], ['firing', 'value > 30', 1])
  const { body } = await home.owner('GET', '/prom/api/v1/alerts')
  const [alert] = body.data.alerts.filter(
    ({ labels }: { labels: Record<string, string> }) => labels.alertname === 'too hot',
  )
  assert.deepEqual([alert.labels.severity, alert.state, alert.value], ['critical', 'firing', '31'])
  const overview = await home.owner('GET', '/api/overview')
  assert.ok(overview.body.overview.firingAlerts.critical >= 1)
  const devices = await home.owner('GET', `/api/device?text=${compId}`)
  const [device] = devices.body.device.filter(({ id }: { id: string }) => id === compId)
  assert.deepEqual(device.firingAlerts, { critical: 1 })
  await home.owner('DELETE', `/api/alert/${uid}`)
  assert.equal(await rule(), undefined)
  const records = await home.owner('GET', '/api/v1/rules?type=record')
  assert.deepEqual(records.body.data.groups, [])
})

test('forMs runs by the times of samples, and a timer advances it while the last value stands', async () => {
  const { put, states } = await watched({ condition: 'value > 30', forMs: 10 * MINUTE })
  const begun = home.clock.now()
  await put(31, begun)
  await put(32, begun + 9 * MINUTE)
  assert.deepEqual(await states(), ['PENDING sample'])
  await put(33, begun + 10 * MINUTE)
  assert.deepEqual(await states(), ['PENDING sample', 'FIRING sample'])
  await put(1, begun + 11 * MINUTE)
  home.clock.advance(12 * MINUTE)
  await put(40)
  await home.advance(10 * MINUTE - 1)
  assert.deepEqual((await states()).slice(2), ['OK sample', 'PENDING sample'])
  await home.advance(1)
  assert.deepEqual((await states()).slice(3), ['PENDING sample', 'FIRING timer'])
})

test('a state that a timer changed names the sample that stands', async () => {
  const alert = { condition: 'value > 30', forMs: 10 * MINUTE, message: '{value} at {time}' }
  const { put, uid } = await watched(alert)
  const begun = home.clock.now()
  await put(31, begun)
  await put(45, begun + MINUTE)
  await home.advance(10 * MINUTE)
  const { body } = await home.owner('GET', `/api/alert/${uid}/event`)
  const [{ cause, value, sampleTime, startedMs, message }] = body.event
  const stands = begun + MINUTE
  assert.deepEqual([cause, value, sampleTime], ['timer', '45', stands])
  assert.equal(startedMs, begun + 10 * MINUTE)
  assert.equal(message, `45 at ${new Date(stands).toISOString()}`)
  const states = await home.owner('GET', `/api/alert/${uid}/state?state=FIRING`)
  assert.equal(states.body.state[0].value, '45')
})

test('an alert fires by a timer although the samples of its stream cannot be read', async (t) => {
  const { put, states } = await watched({ condition: 'value > 30', forMs: 10 * MINUTE })
  await put(31)
  const read = t.mock.method(home.service.app.samples, 'latest', async () => {
    throw new Error('the chunk is damaged')
  })
  await home.advance(10 * MINUTE)
  assert.ok(read.mock.callCount() > 0)
  assert.deepEqual(await states(), ['PENDING sample', 'FIRING timer'])
  read.mock.restore()
})

test('clearCondition keeps an alert firing until it holds', async () => {
  const { put, states } = await watched({ condition: 'value > 80', clearCondition: 'value < 70' })
  for (const value of [81, 75, 71, 80, 69, 75]) {
    home.clock.advance(1_000)
    await put(value)
  }
  assert.deepEqual(await states(), ['FIRING sample', 'OK sample'])
})

test('samples that are late or too old change no state, a correction of the last one does', async () => {
  const { put, states } = await watched({ condition: 'value > 30', maxAgeMs: HOUR })
  const now = home.clock.now()
  await put(20, now)
  await put(99, now - 1)
  assert.deepEqual(await states(), [])
  await put(99, now)
  assert.deepEqual(await states(), ['FIRING sample'])
  const fresh = await watched({ condition: 'value > 30', maxAgeMs: HOUR })
  await fresh.put(99, home.clock.now() - HOUR - 1)
  assert.deepEqual(await fresh.states(), [])
  await fresh.put(99, home.clock.now() - HOUR)
  assert.deepEqual(await fresh.states(), ['FIRING sample'])
})

test('silence fires when nothing has arrived for so long, and ends with a sample', async () => {
  const { put, states } = await watched({ silentForMs: HOUR })
  await home.advance(HOUR - 1)
  assert.deepEqual(await states(), [])
  await put(1, home.clock.now() - 30 * MINUTE)
  await home.advance(HOUR - 1)
  assert.deepEqual(await states(), [])
  await home.advance(1)
  assert.deepEqual(await states(), ['FIRING silence'])
  await put(2)
  assert.deepEqual(await states(), ['FIRING silence', 'OK sample'])
  await home.advance(HOUR)
  assert.deepEqual((await states()).slice(2), ['FIRING silence'])
})

test('late and new samples of one call do not end a silence by the sample before it', async () => {
  const { put, states, compId } = await watched({ condition: 'value > 30', silentForMs: HOUR })
  const before = home.clock.now()
  await put(1)
  await home.advance(HOUR)
  const now = home.clock.now()
  const time = [before - MINUTE, now - MINUTE, now].join(',')
  const query = new URLSearchParams({ compId, temp: '1,31,31', time })
  assert.equal((await home.client.put(query.toString())).status, 200)
  await home.settle()
  assert.deepEqual(await states(), ['FIRING silence'])
})

test('conditions read earlier samples, statistics of periods, recent minutes, and other streams', async () => {
  const cases = [
    ['value - previous(1) > 5', [1, 6, 12], 2],
    ["stat('day', 'sum') > 10", [4, 5, 2], 2],
    ["recent(10, 'max') > 5 AND value < 3", [6, 4, 2], 2],
    ["value > stream('limit')", [1, 2, 4], 2],
    ['previousTime() = time - 1000', [1, 1], 1],
    ["stat('day', 'nongapcount', -1) = 0", [1], -1],
  ] as const
  for (const [condition, values, fires] of cases) {
    const { put, states, compId } = await watched({ condition }, ['temp', 'limit'])
    await home.put(compId, 'limit', 3, home.clock.now() - MINUTE)
    for (const [at, value] of values.entries()) {
      home.clock.advance(1_000)
      await put(value)
      const wanted = fires >= 0 && at >= fires ? ['FIRING sample'] : []
      assert.deepEqual(await states(), wanted, `${condition} at ${at}`)
    }
  }
})

test('an alert on labels or a template covers streams that are created later, from their first sample on', async () => {
  const template = { id: 'probe', stream: [{ id: 'temp', valueType: 'DOUBLE' }, { id: 'other' }] }
  const made = await home.owner('PUT', '/api/component_template', { component_template: template })
  assert.equal(made.status, 200, made.text)
  const templateUid = made.body.component_template.uid
  const onTemplate = await home.alert({
    template: { uid: templateUid },
    streamId: 'temp',
    condition: 'value > 30',
  })
  const onLabels = await home.alert({ labels: { site: 'north' }, condition: 'value > 30' })
  const now = home.clock.now()
  const query = `compId=probe1&compTmplId=probe&temp=31,5&time=${now - 1_000},${now}`
  const put = await home.client.put(query)
  assert.equal(put.status, 200, put.text)
  await home.settle()
  assert.deepEqual(await home.states(onTemplate.uid), ['FIRING sample', 'OK sample'])
  const stream = [{ id: 'temp', valueType: 'DOUBLE', labels: { site: 'north', floor: '1' } }]
  const labeled = { id: 'labeled', stream }
  assert.equal((await home.owner('PUT', '/api/component', { component: labeled })).status, 200)
  await home.put('labeled', 'temp', 31)
  await home.settle()
  assert.deepEqual(await home.states(onLabels.uid), ['FIRING sample'])
})

test('an alert on labels leaves out streams whose type its condition does not fit', async () => {
  const labels = { site: 'mixed' }
  const types = { n: 'DOUBLE', i: 'LONG', d: 'BIG_DECIMAL', t: 'STRING', b: 'BOOLEAN' }
  const stream = Object.entries(types).map(([id, valueType]) => ({ id, valueType, labels }))
  const made = await home.owner('PUT', '/api/component', { component: { id: 'mixed', stream } })
  assert.equal(made.status, 200, made.text)
  const silent = { silentForMs: HOUR }
  const numbers = await home.alert({ labels, condition: 'value > 1000', ...silent })
  const texts = await home.alert({ labels, condition: "value <> 'off'", ...silent })
  const read = await home.alert({ labels, condition: 'CAST(value AS DOUBLE) > 1000' })
  await home.put('mixed', 't', 'on')
  await home.put('mixed', 'n', 2)
  await home.settle()
  assert.deepEqual([await home.states(numbers.uid), await home.states(read.uid)], [[], []])
  assert.deepEqual(await home.states(texts.uid), ['FIRING sample'])
  await home.advance(2 * HOUR)
  const silentStreams = async (uid: string) => {
    const { body } = await home.owner('GET', `/api/alert/${uid}/event`)
    const ids = body.event.filter(({ cause }: { cause: string }) => cause === 'silence')
    return ids.map(({ streamId }: { streamId: string }) => streamId).sort()
  }
  assert.deepEqual(await silentStreams(numbers.uid), ['b', 'd', 'i', 'n'])
  assert.deepEqual(await silentStreams(texts.uid), [])
  const fits = { condition: "value = 'on' OR value > 3" }
  const none = await home.owner('PUT', '/api/alert', {
    alert: { name: 'None', labels, ...fits, runningUser: { uid: home.ownerUid } },
  })
  assert.equal(none.status, 400, none.text)
  assert.match(
    none.body.message,
    /^alert\.condition .* is a number, but it is compared with a text/,
  )
})

test('a deleted stream, a disabled alert, and one that watches another stream end their states', async () => {
  const deleted = await watched({ condition: 'value > 1' })
  await deleted.put(5)
  const { component } = deleted
  await home.owner('DELETE', `/api/component/${component.uid}`)
  await home.settle()
  assert.deepEqual(await deleted.states(), ['FIRING sample', 'OK deleted'])
  const { problem } = (await home.owner('GET', `/api/alert/${deleted.uid}`)).body.alert
  assert.equal(problem, 'All streams of this alert were deleted')
  const disabled = await watched({ condition: 'value > 1' })
  await disabled.put(5)
  await home.owner('POST', `/api/alert/${disabled.uid}`, { alert: { enabled: false } })
  await home.settle()
  await disabled.put(6)
  assert.deepEqual(await disabled.states(), ['FIRING sample', 'OK disabled'])
  const moved = await watched({ condition: 'value > 1' })
  await moved.put(5)
  const streams = [{ componentId: disabled.compId, streamId: 'temp' }]
  const change = await home.owner('POST', `/api/alert/${moved.uid}`, { alert: { streams } })
  assert.equal(change.status, 200, change.text)
  await home.settle()
  assert.deepEqual(await moved.states(), ['FIRING sample', 'OK unwatched'])
})

test('states, timers, and silence go on after a restart', async () => {
  const hot = await watched({ condition: 'value > 30', forMs: 10 * MINUTE })
  const quiet = await watched({ silentForMs: HOUR })
  await hot.put(31)
  await quiet.put(1)
  await home.advance(5 * MINUTE)
  await home.service.restart()
  await home.signIn()
  await hot.put(32)
  await home.advance(5 * MINUTE)
  assert.deepEqual(await hot.states(), ['PENDING sample', 'FIRING timer'])
  await home.advance(50 * MINUTE - 1)
  assert.deepEqual(await quiet.states(), [])
  await home.advance(1)
  assert.deepEqual(await quiet.states(), ['FIRING silence'])
})

test('a correction right before a restart ends a silence', async () => {
  const { uid, compId } = await watched({ condition: 'value > 30', silentForMs: HOUR })
  const time = home.clock.now()
  await home.put(compId, 'temp', 1, time)
  await home.settle()
  await home.advance(HOUR)
  await home.put(compId, 'temp', 2, time)
  await home.service.restart()
  await home.signIn()
  await home.settle()
  assert.deepEqual(await home.states(uid), ['FIRING silence', 'OK sample'])
})

test('sealed samples that were evaluated before a restart neither end a silence nor count as arrivals', async () => {
  const silent = await watched({ condition: 'value > 30', silentForMs: HOUR })
  const quiet = await watched({ condition: 'value > 30', silentForMs: 3 * HOUR })
  await silent.put(1)
  await quiet.put(1)
  await home.advance(HOUR)
  assert.deepEqual(await silent.states(), ['FIRING silence'])
  // A stream that nothing watches moves the end of the segment beyond what alerts have read.
  await home.put('unwatched', 'temp', 1)
  await home.service.sealAndRestart()
  await home.signIn()
  await home.advance(2 * HOUR - 1)
  assert.deepEqual(await silent.states(), ['FIRING silence'])
  assert.deepEqual(await quiet.states(), [])
  await home.advance(1)
  assert.deepEqual(await quiet.states(), ['FIRING silence'])
})
