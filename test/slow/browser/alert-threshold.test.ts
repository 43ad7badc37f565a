/** A new alert from a threshold that is dragged over the chart of a stream. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { eventually, settlesTo, shows } from '../../support/settle.ts'
import { assertFits, inBothThemes, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const MINUTE = 60_000
const T0 = Date.parse('2026-03-01T00:00:00Z')
const RANGE = `from=${T0}&until=${T0 + 240 * MINUTE}`
const studio = studioOfFile()
let hall: SeededComponent

before(async () => {
  if (skip !== false) return
  hall = await seedComponent(studio.service, { id: 'hall', name: 'Greenhouse' }, [
    { id: 'temp', name: 'Temperature', valueType: 'DOUBLE', unit: 'celsius' },
    { id: 'door', name: 'Door', valueType: 'BOOLEAN' },
  ])
  const minutes = Array.from({ length: 240 }, (_, at) => at)
  await putSamples(studio.service, 'hall', [
    ...minutes.map((at) => {
      const value = Math.round(10 * (20 + 5 * Math.sin(at / 20))) / 10
      return ['temp', T0 + at * MINUTE, value] as const
    }),
    ['door', T0, true],
  ])
})

const lineOf = (page: Page) => page.getByRole('slider', { name: 'Alert threshold' })
const fieldOf = (page: Page) => page.getByLabel('Threshold', { exact: true })
const thresholdOf = async (page: Page) => Number(await lineOf(page).getAttribute('aria-valuenow'))

const parameterOf = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)

/** Where the middle of the line is on the screen. */
async function middleOf(page: Page): Promise<{ readonly x: number; readonly y: number }> {
  const box = await lineOf(page).boundingBox()
  assert.ok(box !== null)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

test('a line over the chart is dragged, moved by keys, and becomes the condition of an alert', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open(`${hall.pageOf('temp')}?${RANGE}`, {
    viewport: { width: 1440, height: 900 },
  })
  await page.getByRole('button', { name: 'Alert threshold' }).click()
  await page.waitForURL(/threshold=above%3A2[0-9]/)
  const before = await thresholdOf(page)
  const { x, y } = await middleOf(page)
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x, y + 40)
  await eventually(async () => assert.ok((await thresholdOf(page)) < before))
  assert.equal(await fieldOf(page).inputValue(), String(await thresholdOf(page)))
  await settlesTo(() => parameterOf(page, 'threshold'), `above:${before}`)
  await page.mouse.up()
  const dragged = await thresholdOf(page)
  await page.waitForURL((url) => url.searchParams.get('threshold') === `above:${dragged}`)
  assert.equal(dragged, Math.round(dragged * 10) / 10, 'as precise as the samples')
  await settlesTo(() => parameterOf(page, 'from'), String(T0), 'nothing was zoomed')
  await lineOf(page).focus()
  await page.keyboard.press('ArrowUp')
  const higher = Math.round((dragged + 0.1) * 10) / 10
  await eventually(async () => assert.equal(await thresholdOf(page), higher))
  assert.equal(await lineOf(page).getAttribute('aria-valuetext'), `Above ${higher}\u00a0°C`)
  // A value beyond the samples: the axis grows, and the line stays in sight.
  await fieldOf(page).fill('27.5')
  await page.waitForURL(/threshold=above%3A27.5/)
  await eventually(async () => {
    assert.ok(Number(await lineOf(page).getAttribute('aria-valuemax')) > 27.5)
  })
  await inBothThemes(page, async (theme) => shoot(page, `alert-threshold-${theme}-1440`))
  await page.getByLabel('Side of the threshold').selectOption('below')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('list', { name: 'Watched streams' }).getByText('Temperature').waitFor()
  assert.equal(await page.getByLabel('Fire when').inputValue(), 'value < 27.5')
  const name = await page.getByLabel('Name', { exact: true }).inputValue()
  assert.equal(name, 'Greenhouse: Temperature below 27.5')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL(/\/alerts\/[0-9a-f-]{36}$/)
  await page.goBack()
  await settlesTo(() => thresholdOf(page), 27.5)
  await lineOf(page).press('Escape')
  await lineOf(page).waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
})

test('a finger drags the line on a phone', { skip }, async () => {
  const { page, complaints } = await studio.open(`${hall.pageOf('temp')}?${RANGE}`, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await page.getByRole('button', { name: 'More chart controls' }).tap()
  await page.getByRole('button', { name: 'Alert threshold' }).tap()
  await page.waitForURL(/threshold=above%3A2[0-9]/)
  const before = await thresholdOf(page)
  const { x, y } = await middleOf(page)
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchY?: number) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: touchY === undefined ? [] : [{ x, y: touchY }],
    })
  await touch('touchStart', y)
  for (const by of [10, 30, 60]) await touch('touchMove', y + by)
  await touch('touchEnd')
  await page.waitForURL((url) => Number(url.searchParams.get('threshold')?.slice(6)) < before)
  await inBothThemes(page, async (theme) => {
    await assertFits(page)
    await shoot(page, `alert-threshold-${theme}-390`)
  })
  assert.deepEqual(complaints, [])
})

test('switches and statistics have no threshold', { skip }, async () => {
  const { page } = await studio.open(`${hall.pageOf('door')}?threshold=above:1`)
  await page.getByRole('group', { name: 'Chart of Door' }).waitFor()
  await page.getByRole('link', { name: 'Create alert' }).waitFor()
  await shows(page.getByRole('button', { name: 'Alert threshold' }), 0)
  await page.goto(
    `${studio.service.url}${hall.pageOf('temp')}?${RANGE}&cycle=hour&threshold=above:1`,
  )
  await page.getByRole('group', { name: 'Chart of Temperature' }).waitFor()
  await shows(page.getByRole('button', { name: 'Alert threshold' }), 0)
  await shows(lineOf(page), 0)
})
