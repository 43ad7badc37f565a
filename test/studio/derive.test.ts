/** Streams that are derived from others, as people make and watch them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../support/browser.ts'
import { type Call, caller, signIn } from '../support/caller.ts'
import { putSamples, type SeededComponent, seedComponent } from '../support/seeded-streams.ts'
import { eventually } from '../support/settle.ts'
import {
  assertAccessible,
  assertFits,
  openStudio,
  type StudioTest,
  shoot,
  told,
} from '../support/studio.ts'

const skip = browserSkip()
const AT = Date.parse('2026-03-01T00:00:00Z')
let studio: StudioTest
let owner: Call
let meter: SeededComponent

before(async () => {
  if (skip !== false) return
  studio = await openStudio()
  const { service } = studio
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  meter = await seedComponent(service, { id: 'meter', name: 'Meter' }, [
    { id: 'use', name: 'Use', valueType: 'DOUBLE' },
    { id: 'state', name: 'State', valueType: 'STRING' },
  ])
  await seedComponent(service, { id: 'tariff', name: 'Tariff' }, [
    { id: 'rate', name: 'Rate', valueType: 'DOUBLE' },
  ])
  const minutes = [0, 1, 2, 3].map((at) => AT + at * 60_000)
  await putSamples(
    service,
    'meter',
    minutes.map((time, at) => ['use', time, at] as const),
  )
  await putSamples(
    service,
    'tariff',
    minutes.map((time) => ['rate', time, 0.25] as const),
  )
})
after(() => studio?.[Symbol.asyncDispose]())

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const formula = (page: Page) => page.getByRole('textbox', { name: 'Formula' })

/** Writes a formula as a person does: key by key. */
async function write(page: Page, text: string): Promise<void> {
  await formula(page).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}

test('a derived stream is made: formula checked while it is typed, sources of two components', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open(`/build/component/${meter.uid}/stream/new`)
  await page.getByLabel('ID', { exact: true }).fill('cost')
  await page.getByLabel('Samples come').selectOption({ label: 'From a formula over other streams' })
  await button(page, 'Add a variable').click()
  const first = page.getByRole('group', { name: 'Variable a' })
  await first.getByLabel('Name', { exact: true }).fill('use')
  const use = page.getByRole('group', { name: 'Variable use' })
  await use.getByLabel('Stands for the stream').selectOption({ label: 'Use' })
  await button(page, 'Add a variable').click()
  const second = page.getByRole('group', { name: 'Variable a' })
  await second.getByLabel('Name', { exact: true }).fill('rate')
  const rate = page.getByRole('group', { name: 'Variable rate' })
  await rate.getByLabel('Stands for the stream').selectOption({ label: 'Of another component …' })
  await page.getByLabel('Component', { exact: true }).fill('tariff')
  await page.getByRole('button', { name: /^Tariff/ }).click()
  await page.getByLabel('Stream of Tariff').selectOption({ label: 'Rate' })
  await rate
    .getByLabel('Stands for the stream')
    .getByText('rate of tariff')
    .waitFor({ state: 'attached' })
  await write(page, 'use * rtae')
  await page.getByText('Line 1, column 7: Unknown variable "rtae": did you mean "rate"?').waitFor()
  await page.locator('.cm-lintRange-error').filter({ hasText: 'rtae' }).waitFor()
  await shoot(page, 'derive-mistake')
  await assertAccessible(page)
  await write(page, 'rou')
  await page.getByRole('option', { name: /^round/ }).click()
  await page.keyboard.type('use * rate, 2')
  await page.locator('.cm-content').filter({ hasText: 'round(use * rate, 2)' }).waitFor()
  await button(page, 'Make it').click()
  await told(page, 'The stream is saved.')
  await page.waitForURL(/\/stream\/[0-9a-f-]{36}$/)
  await eventually(async () => {
    const { body } = await owner('GET', `/api/component/${meter.uid}/stream`)
    const made = body.stream.find(({ id }: { id: string }) => id === 'cost')
    assert.equal(made.derivation.expression, 'round(use * rate, 2)')
    assert.deepEqual(
      made.derivation.variables.map(({ componentId, streamId }: Record<string, string>) => [
        componentId,
        streamId,
      ]),
      [
        ['', 'use'],
        ['tariff', 'rate'],
      ],
    )
  })
  await assertAccessible(page)
  await shoot(page, 'derive-made')
  await page.setViewportSize({ width: 390, height: 800 })
  await assertFits(page)
  await shoot(page, 'derive-phone')
  assert.deepEqual(complaints, [])
})
