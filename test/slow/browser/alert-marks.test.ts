/** Events of alerts as marks on charts: of a stream, of a board, and live. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { settlesTo, shows } from '../../support/settle.ts'
import { assertFits, inBothThemes, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const HOUR = 3_600_000
const studio = studioOfFile()
let hall: SeededComponent
const owner = ownerOfFile(studio.service)
let alertUid: string
/** When the alert fired, resolved, and fired again. */
let times: readonly number[]

/** Puts a value of now, and waits until alerts have seen it. */
async function put(value: number): Promise<void> {
  await putSamples(studio.service, 'hall', [['temp', Date.now(), value]])
  await studio.service.app.alertWorker.settle()
}

before(async () => {
  if (skip !== false) return
  const { service } = studio
  hall = await seedComponent(service, { id: 'hall', name: 'Greenhouse' }, [
    { id: 'temp', name: 'Temperature', valueType: 'DOUBLE' },
    { id: 'flow', name: 'Flow', valueType: 'DOUBLE' },
  ])
  const now = Date.now()
  await putSamples(
    service,
    'hall',
    Array.from({ length: 100 }, (_, at) => ['temp', now - HOUR + at * 30_000, 20 + (at % 7)]),
  )
  const { runningUser } = (await owner('GET', '/api/alert/new')).body.alert
  const streams = [{ componentUid: hall.uid, streamUid: hall.uidOf('temp') }]
  const alert = { name: 'Too hot', condition: 'value > 30', streams, runningUser }
  const made = await owner('PUT', '/api/alert', { alert })
  assert.equal(made.status, 200, made.text)
  alertUid = made.body.alert.uid
  for (const value of [40, 20, 41]) await put(value)
  const { event } = (await owner('GET', `/api/alert/${alertUid}/event`)).body
  times = event.map(({ time }: { time: number }) => time).reverse()
  assert.equal(times.length, 3)
})

const marksOf = (page: Page) => page.getByRole('group', { name: 'Alert events' })
const near = (ms: number) => `from=${times[0] - ms}&until=${times[2] + ms}`

test('the chart of a stream marks when alerts fired, with a list that leads to the alert', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open(`${hall.pageOf('temp')}?${near(20)}`, {
    viewport: { width: 1440, height: 900 },
  })
  const marks = marksOf(page).getByRole('button')
  await shows(marks, 3)
  await marksOf(page)
    .getByRole('button', { name: /^Fired: Too hot, 2/ })
    .first()
    .waitFor()
  await marksOf(page)
    .getByRole('button', { name: /^Resolved: Too hot, 2/ })
    .waitFor()
  // Keys: Tab comes to the first one, arrows to the others, Escape closes the list.
  await marks.first().focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await marksOf(page).getByRole('listitem').getByText('Resolved').waitFor()
  await page.keyboard.press('Escape')
  await shows(marksOf(page).getByRole('listitem'), 0)
  // What is close together is one mark.
  await page.goto(`${studio.service.url}${hall.pageOf('temp')}?${near(HOUR)}`)
  const group = marksOf(page).getByRole('button', { name: /^3 events, the first: Fired: Too hot/ })
  await group.click()
  await shows(marksOf(page).getByRole('listitem'), 3)
  await marksOf(page).getByText('(41)').waitFor()
  await inBothThemes(page, async (theme) => shoot(page, `alert-marks-${theme}-1440`))
  await page.setViewportSize({ width: 390, height: 844 })
  await inBothThemes(page, async (theme) => {
    await assertFits(page)
    await shoot(page, `alert-marks-${theme}-390`)
  })
  await marksOf(page).getByRole('link', { name: 'Too hot' }).first().click()
  await page.waitForURL(new RegExp(`/alerts/${alertUid}$`))
  assert.deepEqual(complaints, [])
})

test('a live chart gets a mark when an alert resolves; other streams have none', {
  skip,
}, async () => {
  const { page } = await studio.open(`${hall.pageOf('temp')}?range=1h&live=1`)
  await marksOf(page)
    .getByRole('button', { name: /^3 events/ })
    .waitFor()
  await put(22)
  await marksOf(page)
    .getByRole('button', { name: /^4 events/ })
    .waitFor()
  await page.goto(`${studio.service.url}${hall.pageOf('flow')}?range=1h`)
  await page.getByRole('group', { name: 'Chart of Flow' }).waitFor()
  await shows(marksOf(page), 0)
})

test('the charts of a board ask for all their events with one request', { skip }, async () => {
  const panelOf = (title: string, streamId: string, x: number) => {
    const streams = [{ componentUid: hall.uid, streamUid: hall.uidOf(streamId) }]
    return { kind: 'chart', title, x, y: 0, width: 6, height: 5, streams }
  }
  const panels = [panelOf('One', 'temp', 0), panelOf('Other', 'flow', 6)]
  const dashboard = { name: 'Marks', range: 'last-1h', panels }
  const made = await owner('PUT', '/api/dashboard', { dashboard })
  assert.equal(made.status, 200, made.text)
  const { page, complaints } = await studio.open('/')
  /** How many charts each request is about. */
  const asked: number[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname !== '/api/alert/board') return
    const { event } = JSON.parse(request.postData() ?? '{}')
    if (event.length > 0) asked.push(event.length)
  })
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${studio.service.url}/boards/${made.body.dashboard.uid}`)
  await shows(marksOf(page), 1)
  // On a slow machine, the first reads of the charts can be apart. After a change they are read together.
  await put(45)
  await settlesTo(() => asked.at(-1), 2)
  await marksOf(page).first().getByRole('button').first().click()
  await inBothThemes(page, async (theme) => shoot(page, `board-marks-${theme}-1440`))
  await page.setViewportSize({ width: 390, height: 844 })
  await assertFits(page)
  await shoot(page, 'board-marks-light-390')
  assert.deepEqual(complaints, [])
})
