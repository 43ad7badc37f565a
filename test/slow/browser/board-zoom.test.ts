/** What the panels of a board do together: zoom, crosshair, requests; and how a panel is edited and drawn. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { eventually, restingPlace, settlesTo } from '../../support/settle.ts'
import {
  assertAccessible,
  assertFits,
  complaintsOtherThan,
  shoot,
  shootAll,
  showsToast,
} from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const HOUR = 3_600_000
const MINUTE = 60_000
const T0 = Date.parse('2026-03-01T00:00:00Z')
const LIVE_PANELS = 50
/** Later than a page can come to by itself until its clock is stopped. */
const AHEAD_MS = 10 * MINUTE
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)
let hall: SeededComponent

before(async () => {
  if (skip !== false) return
  const { service } = studio
  const live = Array.from({ length: LIVE_PANELS }, (_, at) => `live${at}`)
  hall = await seedComponent(service, { id: 'hall', name: 'Hall', timeZoneId: 'UTC' }, [
    { id: 'temp', name: 'Temperature', valueType: 'DOUBLE', unit: 'celsius' },
    { id: 'flow', name: 'Flow', valueType: 'DOUBLE' },
    ...live.map((id) => ({ id, valueType: 'DOUBLE' })),
  ])
  const minutes = Array.from({ length: 720 }, (_, at) => at)
  await putSamples(service, 'hall', [
    ...minutes.map((at) => ['temp', T0 + at * MINUTE, 20 + Math.sin(at / 60) * 5] as const),
    ...minutes.map((at) => ['flow', T0 + at * MINUTE, at] as const),
    ...live.map((id) => [id, Date.now() - MINUTE, 1] as const),
  ])
})

const streamOf = (id: string) => ({ componentUid: hall.uid, streamUid: hall.uidOf(id) })

async function save(record: object): Promise<string> {
  const made = await owner('PUT', '/api/dashboard', { dashboard: record })
  assert.equal(made.status, 200, made.text)
  return made.body.dashboard.uid
}

const twoCharts = (options: object = {}) => ({
  name: 'Zoomed',
  range: `${T0}..${T0 + 12 * HOUR}`,
  panels: [
    {
      kind: 'chart',
      title: 'One',
      x: 0,
      y: 0,
      width: 6,
      height: 5,
      streams: [streamOf('temp')],
      options,
    },
    { kind: 'chart', title: 'Two', x: 6, y: 0, width: 6, height: 5, streams: [streamOf('flow')] },
    { kind: 'table', title: 'Rows', x: 0, y: 5, width: 12, height: 4, streams: [streamOf('flow')] },
  ],
})

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function drag(page: Page, chart: Locator, from: number, until: number): Promise<void> {
  const box = await restingPlace(chart)
  await page.mouse.move(box.x + box.width * from, box.y + 80)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * until, box.y + 80, { steps: 4 })
  await page.mouse.up()
}

const legendOf = (page: Page, name: string) =>
  panel(page, name).getByRole('list', { name: 'Legend' })

test('zooming one panel zooms all of them, is in the address, and is undone by Back', {
  skip,
}, async () => {
  const uid = await save(twoCharts())
  const { page, complaints } = await studio.open(`/boards/${uid}`)
  await legendOf(page, 'One').getByText('Times in UTC').waitFor()
  const rows = panel(page, 'Rows').getByRole('row')
  await rows.filter({ hasText: '2026-03-01 11:59' }).waitFor()
  const asking = page.waitForRequest(/\/api\/plot(?:\?|$)/)
  await drag(page, panel(page, 'One').getByRole('group', { name: 'One' }), 0.4, 0.6)
  const { plot } = (await asking).postDataJSON()
  assert.equal(plot.length, 2, 'one request for both charts')
  assert.ok(plot.every((one: { from: number }) => one.from === plot[0].from))
  await page.waitForURL((url) => Number(url.searchParams.get('from')) > T0 + HOUR)
  const last = new Date(plot[0].until - MINUTE).toISOString().slice(0, 13).replace('T', ' ')
  await rows.nth(1).filter({ hasText: last }).waitFor()
  const address = page.url()
  await page.getByRole('button', { name: 'Reset zoom' }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'board-zoom')
  // A colleague sees the same.
  await page.reload()
  await rows.nth(1).filter({ hasText: last }).waitFor()
  await page.waitForURL(address)
  await page.getByRole('button', { name: 'Reset zoom' }).click()
  await page.waitForURL((url) => !url.searchParams.has('from'))
  await rows.filter({ hasText: '2026-03-01 11:59' }).waitFor()
  await page.goBack()
  await page.waitForURL(address)
  await rows.nth(1).filter({ hasText: last }).waitFor()
  assert.deepEqual(complaints, [])
})

test('the crosshair of one panel is in all of them', { skip }, async () => {
  const uid = await save(twoCharts())
  const { page } = await studio.open(`/boards/${uid}`)
  await legendOf(page, 'Two').getByText('Times in UTC').waitFor()
  const box = await restingPlace(panel(page, 'One').getByRole('group', { name: 'One' }))
  await page.mouse.move(box.x + box.width / 2, box.y + 80)
  const when = async (name: string) => (await legendOf(page, name).innerText()).match(/At .*/)?.[0]
  await eventually(async () => {
    const [one, two] = [await when('One'), await when('Two')]
    assert.ok(one !== undefined)
    assert.equal(one, two)
  })
})

test('a panel needs a stream, and shows a preview with limits, thresholds, and decimals', {
  skip,
}, async () => {
  const uid = await save({ name: 'Edited', range: `${T0}..${T0 + 12 * HOUR}` })
  const { page, complaints } = await studio.open(`/boards/${uid}?edit=1`)
  await page.getByRole('button', { name: 'Add panel' }).click()
  const dialog = page.getByRole('dialog', { name: 'New panel' })
  await dialog.getByRole('button', { name: 'Add to board' }).click()
  await dialog.getByRole('alert').getByText('Choose at least one stream').waitFor()
  await dialog.getByLabel('Title').fill('Limits')
  await dialog.getByLabel('Add stream: search component or stream').fill('Hall temperature')
  await dialog
    .getByRole('button', { name: /Temperature/ })
    .first()
    .click()
  const preview = dialog.getByRole('region', { name: 'Preview' })
  await preview.getByRole('list', { name: 'Legend' }).getByText('Hall · Temperature').waitFor()
  await dialog.getByLabel('Decimals').pressSequentially('2')
  await dialog.getByLabel('Axis to').pressSequentially('40.5')
  await dialog.getByLabel('Axis from').fill('0')
  await dialog.getByRole('button', { name: 'Add threshold' }).click()
  await dialog.getByLabel('Threshold 1: from value').fill('10')
  await dialog.getByRole('button', { name: 'Add threshold' }).click()
  await dialog.getByLabel('Threshold 2: from value').fill('5')
  await dialog.getByLabel('Color of threshold 2').selectOption('red')
  await preview
    .getByRole('listitem')
    .filter({ hasText: /\d+\.\d\d$/ })
    .waitFor()
  await assertAccessible(page)
  await shoot(page, 'panel-editor')
  await dialog.getByRole('button', { name: 'Add to board' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Edit Limits' }).first().click()
  const editing = page.getByRole('dialog', { name: 'Edit panel' })
  await editing.getByText(/must be greater than 10, the threshold before it/).waitFor()
  await editing.getByLabel('Threshold 2: from value').fill('24.5')
  await editing.getByRole('button', { name: 'Add to board' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await showsToast(page, 'Board saved.')
  const { panels } = (await owner('GET', `/api/dashboard/${uid}`)).body.dashboard
  const { min, max, decimals, thresholds } = panels[0].options
  assert.deepEqual([min, max, decimals], [0, 40.5, 2])
  assert.deepEqual(thresholds, [
    { value: 10, color: 'green' },
    { value: 24.5, color: 'red' },
  ])
  await panel(page, 'Limits').getByRole('group', { name: 'Limits' }).waitFor()
  await shootAll(page, 'board-limits')
  // The browser logs the refused save.
  assert.deepEqual(complaintsOtherThan(complaints, 400), [])
})

test('values and gauges have the color of the threshold that they have reached', {
  skip,
}, async () => {
  const options = {
    decimals: 1,
    thresholds: [
      { value: 0, color: 'green' },
      { value: 700, color: 'red' },
    ],
  }
  const box = { y: 0, width: 3, height: 3, options }
  const panels = [
    { kind: 'value', title: 'Value', x: 0, ...box, streams: [streamOf('flow')] },
    { kind: 'gauge', title: 'Gauge', x: 3, ...box, streams: [streamOf('flow')] },
    { kind: 'value', title: 'Cool', x: 6, ...box, streams: [streamOf('temp')] },
  ]
  const { page } = await studio.open(`/boards/${await save({ name: 'Levels', panels })}`)
  await panel(page, 'Value').locator('[data-level="red"]').getByText('719.0').waitFor()
  await panel(page, 'Gauge').locator('[data-level="red"]').waitFor({ state: 'attached' })
  await panel(page, 'Cool').locator('[data-level="green"]').waitFor()
  await shootAll(page, 'board-levels')
})

test('fifty live panels send at most two requests in ten seconds', { skip }, async () => {
  const kinds = ['chart', 'value', 'gauge', 'table'] as const
  const panels = Array.from({ length: LIVE_PANELS }, (_, at) => ({
    kind: kinds[at % kinds.length],
    title: `Panel ${at}`,
    x: (at % 4) * 3,
    y: Math.floor(at / 4) * 3,
    width: 3,
    height: 3,
    streams: [streamOf(`live${at}`)],
    // Some show a statistic, which is asked for as plots are.
    options: at % 8 > 3 ? { cycleId: 'hour', stat: 'max' } : {},
  }))
  // An alert that fires and resolves with every other value, in a panel and as marks of a chart.
  const { runningUser } = (await owner('GET', '/api/alert/new')).body.alert
  const even = { condition: 'floor(value / 2) * 2 = value', streams: [streamOf('live0')] }
  const alert = { name: 'Even', ...even, runningUser }
  assert.equal((await owner('PUT', '/api/alert', { alert })).status, 200)
  const box = { x: 0, y: 40, width: 3, height: 3 }
  const alerts = { kind: 'alerts', title: 'Alerts', ...box, alerts: { state: 'ALL' } }
  const uid = await save({ name: 'Fifty', range: 'last-1h', panels: [...panels, alerts] })
  const { page, complaints } = await studio.open('/')
  await page.clock.install()
  await page.goto(`${studio.service.url}/boards/${uid}`)
  const shown = (at: number, value: number) =>
    panel(page, `Panel ${at}`).getByText(String(value), { exact: true }).first()
  // Timers of the page run only when the clock is moved.
  const untilShown = (at: number, value: number) =>
    settlesTo(
      async () => {
        await page.clock.runFor(100)
        return await shown(at, value).count()
      },
      1,
      `values ${value} in panel ${at}`,
    )
  await untilShown(1, 1)
  await untilShown(49, 1)
  // From here on the time of the page stands still unless it is moved.
  await page.clock.pauseAt(Date.now() + AHEAD_MS)
  await page.clock.runFor(30_000)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/') && pathname !== '/api/live') asked.push(pathname)
  })
  for (let round = 0; round < 3; round++) {
    const before = asked.length
    for (let second = 0; second < 10; second++) {
      const value = 100 + round * 10 + second
      const time = Date.now()
      await putSamples(
        studio.service,
        'hall',
        panels.map((_, at) => [`live${at}`, time, value] as const),
      )
      await shown(1, value).waitFor()
      await page.clock.runFor(1_000)
    }
    assert.ok(asked.length - before <= 2, `round ${round}: ${asked.slice(before).join(' ')}`)
  }
  assert.ok(asked.includes('/api/plot'), 'the charts are asked for')
  assert.ok(asked.includes('/api/alert/board'), 'the alerts are asked for')
  await settlesTo(() => shown(3, 129).count().then(Boolean), true, 'tables show what has arrived')
  await page.clock.runFor(20_000)
  await assertFits(page)
  await shoot(page, 'board-fifty')
  assert.deepEqual(complaints, [])
})
