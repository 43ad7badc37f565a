/** What stands at the edges of charts, and beyond this moment. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { eventually } from '../../support/settle.ts'
import { assertAccessible, assertFits, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const HOUR = 3_600_000
const T0 = Date.parse('2025-03-01T00:00:00Z')
const studio = studioOfFile()
let hall: SeededComponent

before(async () => {
  if (skip !== false) return
  hall = await seedComponent(studio.service, { id: 'hall', name: 'Hall', timeZoneId: 'UTC' }, [
    { id: 'temp', name: 'Temperature', valueType: 'DOUBLE' },
    { id: 'state', name: 'Pump', valueType: 'STRING' },
    { id: 'ahead', name: 'Ahead', valueType: 'DOUBLE' },
  ])
  const hours = Array.from({ length: 24 }, (_, at) => T0 + at * HOUR)
  await putSamples(studio.service, 'hall', [
    ...hours.map((time, at) => ['temp', time, at] as const),
    ...hours.map((time, at) => ['state', time, `s${at % 3}`] as const),
  ])
})

/** How many pixels of the outermost columns of a chart have ink, left and right. */
const INK_AT_EDGES = `(() => {
  const canvas = document.querySelector('canvas')
  const ink = (x) => {
    const { data } = canvas.getContext('2d').getImageData(x, 0, 1, canvas.height)
    return [...data].filter((value, at) => at % 4 === 3 && value > 0).length
  }
  return [ink(0), ink(canvas.width - 1)]
})()`

async function inkAtEdges(page: Page): Promise<readonly [left: number, right: number]> {
  return await page.evaluate<readonly [number, number]>(INK_AT_EDGES)
}

test('the labels at both ends of the time axis are whole', { skip }, async () => {
  const ranges = [
    // Midnight, with the day and its year, is at both ends.
    `from=${T0}&until=${T0 + 24 * HOUR}`,
    // Milliseconds are the longest texts.
    `from=${T0 + HOUR}&until=${T0 + HOUR + 40}`,
  ]
  for (const stream of ['temp', 'state']) {
    for (const range of ranges) {
      for (const width of [1280, 390]) {
        const { page } = await studio.open(`${hall.pageOf(stream)}?${range}`, {
          viewport: { width, height: 800 },
        })
        await page.getByRole('group', { name: /^Chart of/ }).waitFor()
        await page.getByText('Visible range').waitFor()
        await eventually(async () => {
          assert.deepEqual(await inkAtEdges(page), [0, 0], `${stream}, ${range}, ${width}`)
        })
        await assertFits(page)
        await shoot(page, `edges-${stream}-${ranges.indexOf(range)}-${width}`)
        await page.close()
      }
    }
  }
})

test('a sample in the future is the last one, and marked as future', { skip }, async () => {
  const now = Date.now()
  await putSamples(studio.service, 'hall', [
    ['ahead', now + 3.5 * HOUR, 7.25],
    ['ahead', now - HOUR, 1.5],
  ])
  const { page, complaints } = await studio.open(`/c/${hall.uid}`)
  const row = page.getByRole('link', { name: /^Ahead/ })
  await row.getByText('7.25').waitFor()
  await row.getByText('in 3 h').waitFor()
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  // What comes in its own time is earlier than the last sample, and does not take its place.
  await putSamples(studio.service, 'hall', [
    ['ahead', now, 2.5],
    ['temp', now, 99.5],
  ])
  await page.getByRole('link', { name: /^Temperature 99\.5/ }).waitFor()
  await row.getByText('7.25').waitFor()
  await shoot(page, 'explore-ahead')
  await row.click()
  await page.getByText('The last sample has a time in the future: in 3 h.').waitFor()
  await assertAccessible(page)
  await shoot(page, 'stream-ahead')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  const samples = page.getByRole('region', { name: 'Samples of Ahead' })
  await samples.getByRole('cell', { name: '7.25', exact: true }).waitFor()
  await page.getByText('The last sample has a time in the future').waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
})
