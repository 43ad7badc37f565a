/** The chart as the main part of its page: its size, its extremes, its gaps, and what an empty one offers. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { caller, signIn } from '../../support/caller.ts'
import { inkOf } from '../../support/chart-ink.ts'
import { Random, roundsBy, testSeeds } from '../../support/random.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { eventually } from '../../support/settle.ts'
import { assertAccessible, assertFits, inBothThemes, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const SECOND = 1_000
const HOUR = 3_600_000
const T0 = Date.parse('2026-03-01T00:00:00Z')
const SPIKE_SAMPLES = roundsBy({ everyRun: 1_000_000, nightly: 10_000_000 })
const SAMPLES_PER_CALL = 100_000
const studio = studioOfFile()
let hall: SeededComponent

before(async () => {
  if (skip !== false) return
  hall = await seedComponent(
    studio.service,
    { id: 'hall', name: 'Greenhouse', timeZoneId: 'Europe/Berlin' },
    [
      { id: 'temp', name: 'Temperature', valueType: 'DOUBLE', unit: 'celsius' },
      { id: 'spiky', name: 'Vibration', valueType: 'DOUBLE' },
      { id: 'gappy', name: 'Gappy', valueType: 'DOUBLE' },
      { id: 'none', name: 'Never', valueType: 'DOUBLE' },
    ],
  )
  const minutes = Array.from({ length: 1_440 }, (_, at) => T0 + at * 60 * SECOND)
  // Six of the 24 hours are missing.
  const isKept = (time: number) => time < T0 + 9 * HOUR || time >= T0 + 15 * HOUR
  await putSamples(studio.service, 'hall', [
    ...minutes.map((time, at) => ['temp', time, 20 + Math.sin(at / 100) * 5] as const),
    ...minutes.filter(isKept).map((time) => ['gappy', time, (time / SECOND) % 7] as const),
  ])
})

const chartOf = (page: Page, name: string) => page.getByRole('group', { name: `Chart of ${name}` })

test('the chart takes the width of its page and most of its height, also on a phone', {
  skip,
}, async () => {
  const sizes = [
    [1440, 900],
    [1024, 768],
    [390, 844],
  ] as const
  for (const [width, height] of sizes) {
    const { page, complaints } = await studio.open(hall.pageOf('temp'), {
      viewport: { width, height },
    })
    const chart = chartOf(page, 'Temperature')
    const samples = page.getByRole('region', { name: 'Samples of Temperature' })
    await samples.getByRole('row').nth(10).waitFor({ state: 'attached' })
    const bar = page.getByRole('toolbar', { name: 'Time range' })
    await eventually(async () => {
      const [box, around, below] = await Promise.all([
        chart.boundingBox(),
        bar.boundingBox(),
        samples.boundingBox(),
      ])
      assert.ok(box !== null && around !== null && below !== null)
      assert.ok(box.height >= height * 0.6, `${box.height} of ${height} px`)
      assert.ok(box.width >= around.width - 30, `${box.width} of ${around.width} px`)
      assert.ok(below.y > box.y + box.height, 'the samples are below the chart')
      if (width === 390) assert.ok(box.y <= 160, `the chart starts at ${box.y} px`)
    })
    await inBothThemes(page, async (theme) => {
      await assertFits(page)
      await shoot(page, `chart-page-${theme}-${width}`)
    })
    assert.deepEqual(complaints, [])
    await page.close()
  }
})

test('on a phone the other controls of a chart and of its page are in panels', {
  skip,
}, async () => {
  const { page } = await studio.open(hall.pageOf('temp'), { viewport: { width: 390, height: 844 } })
  await page.getByRole('button', { name: 'More chart controls' }).click()
  const controls = page.getByRole('dialog', { name: 'More chart controls' })
  await controls.getByText('Times in Europe/Berlin').waitFor()
  await assertAccessible(page)
  await shoot(page, 'chart-controls-phone')
  await controls.getByLabel('Cycle').selectOption('hour')
  await page.waitForURL(/cycle=hour/)
  await controls.getByRole('button', { name: 'First sample' }).click()
  await page.waitForURL(new RegExp(`from=${T0}`))
  await controls.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Zoom out' }).click()
  await page.waitForURL((url) => Number(url.searchParams.get('from')) < T0)
  await page.getByRole('button', { name: 'More actions' }).click()
  const actions = page.getByRole('dialog', { name: 'More actions' })
  await actions.getByRole('link', { name: 'Edit' }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'chart-actions-phone')
  await page.keyboard.press('Escape')
  await actions.waitFor({ state: 'detached' })
})

test('calendar ranges that go on end now', { skip }, async () => {
  for (const word of ['today', 'week', 'month', 'year']) {
    const { page } = await studio.open('/')
    const asking = page.waitForRequest(/\/plot\?.*from=[1-9]/)
    await page.goto(`${studio.service.url}${hall.pageOf('temp')}?range=${word}`)
    const { searchParams } = new URL((await asking).url())
    assert.ok(Number(searchParams.get('until')) <= Date.now(), word)
    await page.close()
  }
  const { page } = await studio.open(`${hall.pageOf('temp')}?range=week`)
  await page.getByRole('button', { name: 'This week so far' }).waitFor()
  await page.getByRole('button', { name: 'Live', exact: true }).click()
  await page.waitForURL(/range=week&live=1/)
})

test('one spike among very many samples is easy to see, also on a phone', { skip }, async () => {
  const [seed] = testSeeds(1)
  const random = new Random(seed)
  const at = random.integer(SPIKE_SAMPLES / 10, SPIKE_SAMPLES * 0.9)
  await putSpike(at, random)
  for (const [width, deviceScaleFactor] of [
    [1440, 1],
    [390, 1],
    [390, 3],
  ] as const) {
    const { page } = await studio.open(hall.pageOf('spiky'), {
      viewport: { width, height: 844 },
      deviceScaleFactor,
    })
    await page
      .getByRole('row', { name: /^Vibration/ })
      .getByText('100')
      .first()
      .waitFor()
    await inBothThemes(page, async (theme) => {
      // Above the noise, which fills a tenth of the height, is nothing but the spike.
      const place = at / SPIKE_SAMPLES
      const near = { left: place - 0.05, right: place + 0.05, top: 0.12, bottom: 0.8 }
      await eventually(async () => {
        const ink = await inkOf(page, near)
        assert.ok(ink.rows > 0.95, `rows ${ink.rows}, ${theme}, ${width}, seed ${seed}`)
        assert.ok(ink.columns < 0.3, `columns ${ink.columns}, ${theme}, ${width}, seed ${seed}`)
      })
      // The edges of the noise itself are visible over nearly all of the width.
      const ink = await inkOf(page, { left: 0.05, right: 0.9, top: 0.8 })
      assert.ok(ink.columns > 0.95, `columns ${ink.columns}, ${theme}, ${width}, seed ${seed}`)
      await shoot(page, `chart-spike-${theme}-${width}x${deviceScaleFactor}`)
    })
    await page.close()
  }
})

/** Noise from 0 to 10 every second, and one value of 100. */
async function putSpike(spikeAt: number, random: Random): Promise<void> {
  const { service } = studio
  const call = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  for (let first = 0; first < SPIKE_SAMPLES; first += SAMPLES_PER_CALL) {
    const places = Array.from({ length: SAMPLES_PER_CALL }, (_, at) => first + at)
    const stream = {
      streamUid: hall.uidOf('spiky'),
      time: places.map((at) => T0 + at * SECOND),
      data: places.map((at) => (at === spikeAt ? 100 : Math.round(random.next() * 1_000) / 100)),
    }
    const component = [{ componentUid: hall.uid, stream: [stream] }]
    const { status, text } = await call('PUT', '/api/feed', { feed: { component } })
    assert.equal(status, 200, text)
  }
}

test('a gap is a gap', { skip }, async () => {
  const range = `from=${T0}&until=${T0 + 24 * HOUR}`
  const { page } = await studio.open(`${hall.pageOf('gappy')}?${range}`)
  await eventually(async () => {
    const [left, gap, right] = await Promise.all([
      inkOf(page, { left: 0.02, right: 0.36 }),
      inkOf(page, { left: 0.39, right: 0.61 }),
      inkOf(page, { left: 0.64, right: 0.98 }),
    ])
    assert.ok(left.columns > 0.9 && right.columns > 0.9, `${left.columns}, ${right.columns}`)
    assert.equal(gap.columns, 0)
  })
  await shoot(page, 'chart-gap')
})

test('an empty chart says so and offers the latest sample', { skip }, async () => {
  const { page, complaints } = await studio.open(`${hall.pageOf('temp')}?range=24h`)
  await page.getByText('No samples in this range.').first().waitFor()
  await assertAccessible(page)
  await shoot(page, 'chart-empty')
  await page.getByRole('button', { name: 'Show latest sample' }).click()
  await page.waitForURL((url) => Number(url.searchParams.get('until')) > T0 + 23 * HOUR)
  await page.getByText('No samples in this range.').first().waitFor({ state: 'detached' })
  await page.goto(`${studio.service.url}${hall.pageOf('none')}`)
  await page.getByText('No samples yet.').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await assertFits(page)
  await shoot(page, 'chart-none-phone')
  assert.deepEqual(complaints, [])
})
