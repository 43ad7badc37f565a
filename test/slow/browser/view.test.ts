/** Several streams over each other: everything that is seen is in the URL. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { eventually, restingPlace, shows } from '../../support/settle.ts'
import { assertAccessible, assertFits, inBothThemes, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const T0 = Date.parse('2026-03-01T00:00:00Z')
const studio = studioOfFile()
let hall: SeededComponent
let yard: SeededComponent

before(async () => {
  if (skip !== false) return
  const { service } = studio
  hall = await seedComponent(service, { id: 'hall', name: 'Hall', timeZoneId: 'UTC' }, [
    { id: 'temp', name: 'Temperature', valueType: 'DOUBLE', unit: 'celsius' },
    { id: 'state', name: 'Pump', valueType: 'STRING' },
    { id: 'power', name: 'Power', valueType: 'DOUBLE', unit: 'watt' },
  ])
  yard = await seedComponent(service, { id: 'yard', name: 'Yard', timeZoneId: 'UTC' }, [
    { id: 'hum', name: 'Humidity', valueType: 'DOUBLE', unit: 'percent' },
    { id: 'temp', name: 'Outside', valueType: 'DOUBLE', unit: 'celsius' },
  ])
  const times = Array.from({ length: 200 }, (_, at) => T0 + at * 60_000)
  await putSamples(
    service,
    'hall',
    times.map((time, at) => ['temp', time, at / 10] as const),
  )
  await putSamples(
    service,
    'hall',
    times.flatMap((time, at) => [
      ['state', time, `s${at % 2}`] as const,
      ['power', time, 1_000 + at] as const,
    ]),
  )
  await putSamples(
    service,
    'yard',
    times.map((time, at) => ['hum', time, 50 + at / 5] as const),
  )
  await putSamples(
    service,
    'yard',
    times.map((time, at) => ['temp', time, at / 20] as const),
  )
})

const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })
const addressOf = (...names: readonly [SeededComponent, string][]) =>
  `/view?s=${names.map(([component, id]) => `${component.uid}.${component.uidOf(id)}`).join()}`

test('streams are found by name, by ID and with their component, added, hidden, shown alone and removed', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/view')
  await page.getByRole('button', { name: 'Add stream', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Add stream' })
  const box = dialog.getByRole('searchbox', { name: 'Component or stream' })
  const found = dialog.getByRole('list', { name: 'Streams found' })
  await box.fill('humid')
  await found.getByRole('button', { name: 'Humidity Yard' }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'view-add-stream')
  await box.fill('temp hall')
  await found.getByRole('button', { name: 'Temperature Hall' }).waitFor()
  await shows(found.getByRole('button'), 1)
  await box.fill('nothing of the kind')
  await dialog.getByText('No component or stream matches these words.').waitFor()
  await box.fill('hal')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: /^Hall/ }).click()
  await dialog.getByRole('button', { name: /^Temperature/ }).click()
  await rowOf(page, 'Hall / Temperature').getByText('19.9').first().waitFor()
  await page.getByRole('button', { name: 'Add stream', exact: true }).click()
  await dialog.getByRole('button', { name: /^Yard/ }).click()
  await dialog.getByRole('button', { name: /^Humidity/ }).click()
  await rowOf(page, 'Yard / Humidity').getByText('89.8').first().waitFor()
  const name = page.getByRole('button', { name: /^Hall \/ Temperature/ })
  await name.click()
  await page.waitForURL(/hide=/)
  await page.getByRole('button', { name: /^Hall \/ Temperature/, pressed: false }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: /^Hall \/ Temperature/, pressed: false }).waitFor()
  await page.getByRole('button', { name: /^Hall \/ Temperature/ }).dblclick()
  await page.getByRole('button', { name: /^Yard \/ Humidity/, pressed: false }).waitFor()
  await page.getByRole('button', { name: /^Hall \/ Temperature/, pressed: true }).waitFor()
  await page.getByRole('button', { name: 'Remove Humidity' }).click()
  await rowOf(page, 'Yard / Humidity').waitFor({ state: 'detached' })
  await page.waitForURL((url) => !url.href.includes(yard.uid))
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Add stream', exact: true }).click()
  await box.fill('power')
  await found.getByRole('button', { name: 'Power Hall' }).click()
  await rowOf(page, 'Hall / Power').getByText('1199').first().waitFor()
  assert.deepEqual(complaints, [])
})

test('an address shows the same to a colleague, and as tables', { skip }, async () => {
  const path = addressOf([hall, 'temp'], [yard, 'hum'], [yard, 'temp'], [hall, 'state'])
  const range = `from=${T0}&until=${T0 + 600_000}`
  const { page, complaints } = await studio.open(`${path}&${range}`)
  await rowOf(page, 'Yard / Humidity').getByText('51.8').first().waitFor()
  await rowOf(page, 'Hall / Temperature').getByText('0.9').first().waitFor()
  await rowOf(page, 'Hall / Pump').getByText('s1').first().waitFor()
  await page.getByText('Show as table').click()
  await page.getByRole('tab', { name: 'Humidity' }).click()
  const table = page.getByRole('region', { name: 'Humidity, values in the chart' })
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await table.getByRole('cell', { name: '51.8' }).waitFor()
    await shows(table.getByRole('row'), 11)
    await inBothThemes(page, async (theme) => {
      await assertFits(page)
      await page.mouse.wheel(0, -5_000)
      await shoot(page, `view-${theme}-${width}`)
    })
  }
  assert.deepEqual(complaints, [])
})

test('the crosshair shows the value of every stream at that time', { skip }, async () => {
  const path = addressOf([hall, 'temp'], [yard, 'hum'], [hall, 'state'])
  const { page } = await studio.open(`${path}&from=${T0}&until=${T0 + 6_000_000}`)
  await rowOf(page, 'Yard / Humidity').getByText('69.8').first().waitFor()
  const box = await restingPlace(page.getByRole('group', { name: /^Chart of/ }))
  await page.mouse.move(box.x + box.width / 2, box.y + 150)
  await page.getByText(/^At 2026-03-01 00:[45]\d:/).waitFor()
  const figureOf = async (name: string) => {
    const [first] = await rowOf(page, name).getByRole('cell').allTextContents()
    return Number(first)
  }
  await eventually(async () => {
    const [warm, wet] = [await figureOf('Hall / Temperature'), await figureOf('Yard / Humidity')]
    assert.ok(Math.abs(wet - 50 - warm * 2) < 0.3, `${warm} and ${wet}`)
  })
  await page.mouse.move(0, 0)
  await page.getByText('Visible range').waitFor()
})

test('of three units the third has a scale of its own, and it is said', { skip }, async () => {
  const { page, complaints } = await studio.open(
    addressOf([hall, 'temp'], [yard, 'hum'], [hall, 'power']),
  )
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor()
    await rowOf(page, 'Hall / Power').getByText('1199').first().waitFor()
    await page.getByText('W uses a separate scale. See the legend for values.').waitFor()
    await assertAccessible(page)
    await assertFits(page)
    await shoot(page, `view-three-${colorScheme}-${width}`)
    await page.getByRole('button', { name: 'Remove Power' }).click()
    await page.getByText('A chart has two axes').waitFor({ state: 'detached' })
    // What was taken out comes back by the browser's own step.
    await page.goBack()
    await rowOf(page, 'Hall / Power').waitFor()
  }
  assert.deepEqual(complaints, [])
})

test('a deleted stream in the URL is shown and can be removed', { skip }, async () => {
  const nowhere = '0192f3a1-7c1e-4b7a-9d55-0a1b2c3d4e5f'
  const { page } = await studio.open(`${addressOf([hall, 'temp'])},${nowhere}.${nowhere}`)
  await rowOf(page, 'Hall / Temperature').waitFor()
  await page.getByText(`Cannot find component "${nowhere}"`).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText(`Cannot find component "${nowhere}"`).waitFor({ state: 'detached' })
  await page.waitForURL((url) => !url.href.includes(nowhere))
})
