/** Alerts as charts and boards ask for them, and the live event that tells boards to ask again. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AlertHome, HOUR, MINUTE, openAlertHome } from '../../support/alert-home.ts'
import { type Call, caller } from '../../support/caller.ts'

let home: AlertHome

before(async () => {
  home = await openAlertHome()
})
after(() => home.close())

/** A component with a stream that fires above 30, and has fired and resolved once. */
async function fired(compId: string, alert: object = {}) {
  const component = await home.component(compId)
  const streamUid = component.streams.temp
  const { uid } = await home.alert({
    name: `Hot ${compId}`,
    condition: 'value > 30',
    streams: [{ componentUid: component.uid, streamUid }],
    ...alert,
  })
  const from = home.clock.now()
  for (const value of [40, 20]) {
    await home.put(compId, 'temp', value)
    await home.settle()
    home.clock.advance(MINUTE)
  }
  return { alertUid: uid, componentUid: component.uid, streamUid, from, until: home.clock.now() }
}

async function keyWith(capabilities: object[]): Promise<Call> {
  const made = await home.owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  assert.equal(made.status, 200, made.text)
  return caller(home.service, `api_key=${made.body.api_key.secretKey}`)
}

async function find(asked: readonly object[], call: Call = home.owner) {
  const answer = await call('POST', '/api/alert/board', { event: asked })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

test('events of asked streams come within their ranges, the newest first, with the alert’s name', async () => {
  const one = await fired('one', { severity: 'critical' })
  const other = await fired('other', { forMs: 1 })
  await fired('third')
  const { streamUid, from } = one
  const both = [
    { streamUid, from, until: other.until },
    { streamUid: other.streamUid, from, until: other.until },
  ]
  const { event, isCut } = await find(both)
  const shown = event.map(({ alertName, state, time }: Record<string, unknown>) => [
    alertName,
    state,
    time,
  ])
  // What is only pending is no mark.
  assert.deepEqual(shown.slice(-2), [
    ['Hot one', 'OK', from + MINUTE],
    ['Hot one', 'FIRING', from],
  ])
  assert.ok(shown.every(([name]: string[]) => name !== 'Hot third'))
  assert.equal(isCut, false)
  assert.deepEqual([event.at(-1).severity, event.at(-1).value], ['critical', '40'])
  const half = await find([{ streamUid, from, until: from + MINUTE }])
  assert.deepEqual(
    half.event.map(({ state }: { state: string }) => state),
    ['FIRING'],
    'the end is not included',
  )
  assert.deepEqual((await find([{ streamUid, from: 5, until: 5 }])).event, [])
  assert.deepEqual((await find([])).event, [])
})

test('only streams and alerts that the caller may GET are answered', async () => {
  const { alertUid, componentUid, streamUid, from, until } = await fired('secret')
  const asked = [{ streamUid, from, until }]
  const feed = { resource: `component/${componentUid}/feed`, methods: ['GET'] }
  const alerts = { resource: 'alert', methods: ['GET'] }
  const countOf = async (capabilities: object[]) =>
    (await find(asked, await keyWith(capabilities))).event.length
  assert.equal(await countOf([feed, alerts]), 2)
  assert.equal(await countOf([alerts]), 0)
  assert.equal(await countOf([feed, alerts, { resource: `alert/${alertUid}`, methods: [] }]), 0)
  const none = await keyWith([feed])
  assert.equal((await none('POST', '/api/alert/board', { event: asked })).status, 403)
})

test('bad input is refused with the field', async () => {
  for (const [body, message] of [
    [{ event: 1 }, /event/],
    [{ list: [{ limit: 101 }] }, /100/],
    [{ event: [{ streamUid: 'x', from: 'soon', until: 1 }] }, /from/],
    [
      { event: Array.from({ length: 1_001 }, () => ({ streamUid: '', from: 0, until: 1 })) },
      /1000/,
    ],
  ] as const) {
    const answer = await home.owner('POST', '/api/alert/board', body)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.message, message)
  }
})

test('among very many events the newest are answered, and it is said that others were left out', async () => {
  const { streamUid, alertUid, componentUid } = await fired('busy')
  await home.owner('POST', `/api/alert/${alertUid}`, { alert: { enabled: false } })
  const from = home.clock.now()
  await home.alert({
    name: 'Wobble',
    condition: 'value > 30',
    streams: [{ componentUid, streamUid }],
  })
  for (let at = 0; at < 1_002; at++) {
    home.clock.advance(1_000)
    await home.put('busy', 'temp', at % 2 === 0 ? 40 : 20)
  }
  await home.settle()
  const { event, isCut } = await find([{ streamUid, from, until: from + HOUR }])
  assert.equal(event.length, 1_000)
  assert.equal(isCut, true)
  assert.equal(event[0].time, Math.max(...event.map(({ time }: { time: number }) => time)))
})

test('lists have the alerts that fire, or all, of components in a place, the most serious first', async () => {
  const { put, ids } = await placed()
  const rows = async (asked: object) => {
    const answer = await home.owner('POST', '/api/alert/board', { list: [asked] })
    assert.equal(answer.status, 200, answer.text)
    const [{ alert, error }] = answer.body.list
    assert.equal(error, '')
    return alert
      .filter(({ alertName }: { alertName: string }) => alertName.startsWith('Placed'))
      .map((one: Record<string, string>) => `${one.alertName} ${one.state} ${one.componentId}`)
  }
  await put('placed-1', 40)
  await put('placed-2', 40)
  assert.deepEqual(await rows({}), [
    'Placed critical FIRING placed-2',
    'Placed info FIRING placed-1',
  ])
  assert.deepEqual(await rows({ state: 'ALL' }), [
    'Placed critical FIRING placed-2',
    'Placed info FIRING placed-1',
    'Placed quiet OK ',
  ])
  const inHall = { folder: '/Components/Hall' }
  assert.deepEqual(await rows(inHall), ['Placed info FIRING placed-1'])
  assert.deepEqual(await rows({ state: 'ALL', ...inHall }), [
    'Placed info FIRING placed-1',
    'Placed quiet OK ',
  ])
  assert.deepEqual(await rows({ label: 'site=north' }), ['Placed critical FIRING placed-2'])
  assert.deepEqual(await rows({ template: 'none' }), [])
  const [all] = (await home.owner('POST', '/api/alert/board', { list: [{ limit: 0 }] })).body.list
  const counted = (await home.owner('GET', '/api/alert?state=FIRING&limit=1')).body.totalCount
  assert.deepEqual([all.alert, all.firingCount], [[], counted])
  const path = `/api/alert/${ids.info}`
  await home.owner('POST', `${path}/acknowledge`, { acknowledge: {} })
  await home.owner('POST', `${path}/mute`, { mute: { untilMs: null } })
  const shown = await home.owner('POST', '/api/alert/board', { list: [inHall] })
  const [{ isAcknowledged, isMuted, value, streamId }] = shown.body.list[0].alert
  assert.deepEqual([isAcknowledged, isMuted, value, streamId], [true, true, '40', 'temp'])
})

test('one list that cannot be read says why, and the others are answered', async () => {
  const asked = [{ folder: 'nowhere' }, { label: 'site' }, {}]
  const { body } = await home.owner('POST', '/api/alert/board', { list: asked })
  assert.match(body.list[0].error, /must start with \/Components/)
  assert.match(body.list[1].error, /name=value/)
  assert.equal(body.list[2].error, '')
})

test('a panel of alerts is kept with its state and place; a mistake names the field', async () => {
  const panelOf = (alerts?: object) => ({
    kind: 'alerts',
    title: 'A',
    x: 0,
    y: 0,
    width: 3,
    height: 3,
    ...(alerts === undefined ? {} : { alerts }),
  })
  const save = (alerts?: object) =>
    home.owner('PUT', '/api/dashboard', { dashboard: { name: 'A', panels: [panelOf(alerts)] } })
  const kept = async (alerts?: object) => (await save(alerts)).body.dashboard.panels[0].alerts
  const blank = { state: 'FIRING', template: '', folder: '', label: '' }
  assert.deepEqual(await kept(), blank)
  const chosen = { state: 'ALL', template: 't', folder: '/Components/Hall', label: 'site=north' }
  assert.deepEqual(await kept(chosen), chosen)
  for (const [alerts, message] of [
    [{ state: 'OK' }, /panels\[0\]\.alerts\.state/],
    [{ folder: 'Hall' }, /panels\[0\]\.alerts\.folder .*must start with \/Components/],
    [{ label: 'site' }, /panels\[0\]\.alerts\.label must have the form name=value/],
  ] as const) {
    const answer = await save(alerts)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.message, message)
  }
})

/** Three alerts on components in different places. */
async function placed() {
  await home.owner('PUT', '/api/component_folder', {
    component_folder: { path: '/Components/Hall' },
  })
  const one = await home.component('placed-1', ['temp'], { folder: '/Components/Hall' })
  const other = await home.component('placed-2')
  const path = `/api/component/${other.uid}/stream/${other.streams.temp}`
  const labelled = await home.owner('POST', path, { stream: { labels: { site: 'north' } } })
  assert.equal(labelled.status, 200, labelled.text)
  const alertOn = async (severity: string, { uid, streams }: typeof one, condition: string) => {
    const watched = { componentUid: uid, streamUid: streams.temp }
    const name = severity === 'warning' ? 'Placed quiet' : `Placed ${severity}`
    return (await home.alert({ name, severity, condition, streams: [watched] })).uid
  }
  const ids = {
    info: await alertOn('info', one, 'value > 30'),
    critical: await alertOn('critical', other, 'value > 30'),
    quiet: await alertOn('warning', one, 'value > 99'),
  }
  const put = async (compId: string, value: number) => {
    await home.put(compId, 'temp', value)
    await home.settle()
  }
  return { put, ids }
}
