/** Alerts, as people make, watch, mute, and acknowledge them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { caller, signIn } from '../../support/caller.ts'
import {
  assertAccessible,
  complaintsOtherThan,
  openStudio,
  type StudioTest,
  shootAll,
  showsToast,
} from '../../support/studio.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const skip = browserSkip()
let studio: StudioTest
let receiver: WebhookReceiver

async function put(value: number, time = Date.now()): Promise<void> {
  const { url, feedKey } = studio.service
  const asked = `${url}/api/feed?compId=boiler&temp=${value}&time=${time}`
  const { status } = await fetch(asked, { method: 'PUT', headers: { 'X-Api-Key': feedKey } })
  assert.equal(status, 200)
}

before(async () => {
  if (skip !== false) return
  receiver = await startReceiver()
  studio = await openStudio({ settings: { WEIR_OUTBOUND_ALLOW: '127.0.0.0/8' } })
  const { service } = studio
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const channel = { name: 'Night shift', url: receiver.url }
  assert.equal((await owner('PUT', '/api/channel', { channel })).status, 200)
  await put(70, Date.now() - 7_200_000)
  await put(95, Date.now() - 3_600_000)
  await put(60, Date.now() - 1_800_000)
})
after(async () => {
  await studio?.[Symbol.asyncDispose]()
  await receiver?.close()
})

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1440, height: 900 }

/** Where an element begins, in pixels from the top of the page. */
async function topOf(part: Locator): Promise<number> {
  const box = await part.boundingBox()
  assert.ok(box !== null)
  return box.y + Number(await part.page().evaluate('scrollY'))
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('an alert is created, previewed, fires, is acknowledged, muted, and resolves', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/alerts')
  await page.getByText('No alerts. An alert watches streams').waitFor()
  await assertAccessible(page)
  await button(page, 'New alert').click()
  await page.getByLabel('Name', { exact: true }).fill('Too hot')
  await page.getByLabel('Severity').selectOption({ label: 'Critical' })
  await page.getByLabel('Add stream: search component or stream').fill('temp')
  await page.getByRole('button', { name: /temp/ }).first().click()
  await page.getByRole('list', { name: 'Watched streams' }).getByText('temp').waitFor()
  await page.getByLabel('Fire when').fill('value >')
  await button(page, 'Create').click()
  await page.getByRole('alert').first().waitFor()
  await page.getByLabel('Fire when').fill('value > 80')
  await page.getByLabel('Night shift').check()
  await button(page, 'Preview').click()
  await page.getByText('Would have fired once on 1 stream in the last 7 days.').waitFor()
  await button(page, 'Create').click()
  await showsToast(page, 'Alert saved.')
  await page.waitForURL(/\/alerts\/[0-9a-f-]{36}$/)
  await put(93)
  await receiver.atLeast(1)
  assert.equal(JSON.parse(receiver.received[0].body).state, 'FIRING')
  await page.getByRole('table').getByText('boiler / temp').first().waitFor()
  const form = page.getByLabel('Name', { exact: true })
  for (const viewport of [PHONE, DESKTOP]) {
    await page.setViewportSize(viewport)
    for (const part of [page.getByText('Firing', { exact: true }), button(page, 'Acknowledge')]) {
      assert.ok((await topOf(part)) < viewport.height, 'in sight without scrolling')
    }
    const streams = page.getByRole('region', { name: 'Firing streams' })
    assert.ok((await topOf(streams)) < (await topOf(form)), 'firing streams are above the form')
  }
  await button(page, 'Acknowledge').click()
  await showsToast(page, 'Acknowledged.')
  await page.getByText(/^By /).waitFor()
  await button(page, 'Mute for an hour').click()
  await showsToast(page, 'Muted for an hour.')
  await button(page, 'Unmute').waitFor()
  await assertAccessible(page)
  await shootAll(page, 'alert')
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByText(/1\s*firing/)
    .waitFor()
  await button(page, 'Unmute').click()
  await showsToast(page, 'Unmuted.')
  await page.getByRole('link', { name: 'Alerts', exact: true }).last().click()
  await page.getByRole('cell', { name: 'Firing' }).waitFor()
  await assertAccessible(page)
  await shootAll(page, 'alerts')
  await put(50)
  await receiver.atLeast(2)
  await page.getByRole('cell', { name: 'OK' }).waitFor()
  assert.deepEqual(complaintsOtherThan(complaints, 400), [])
})

test('the page of a stream leads to a new alert that watches it', { skip }, async () => {
  const { page } = await studio.open('/c/boiler/temp')
  await page.getByRole('link', { name: 'Create alert' }).click()
  await page.getByRole('list', { name: 'Watched streams' }).getByText('boiler · temp').waitFor()
  assert.equal(await page.getByLabel('Fire when').inputValue(), 'value > ')
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'boiler: temp')
})
