/** Channels of alerts, as people make and try them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import {
  assertAccessible,
  chooseMore,
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

before(async () => {
  if (skip !== false) return
  receiver = await startReceiver()
  studio = await openStudio({ settings: { WEIR_OUTBOUND_ALLOW: '127.0.0.0/8' } })
})
after(async () => {
  await studio?.[Symbol.asyncDispose]()
  await receiver?.close()
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('a channel is created, tested, and deleted, and its secrets are never shown', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/alerts/channels')
  await page.getByText('No channels. A channel sends alerts to Slack').waitFor()
  await button(page, 'New channel').click()
  await page.getByLabel('Name', { exact: true }).fill('Night shift')
  await page.getByLabel('Kind').selectOption({ label: 'Webhook (JSON)' })
  await page.getByLabel('URL', { exact: true }).fill('not a URL')
  await button(page, 'Create').click()
  await page.getByRole('alert').filter({ hasText: 'must be an http or https URL' }).waitFor()
  await page.getByLabel('URL', { exact: true }).fill(`${receiver.url}/hook/top-secret`)
  await page.getByLabel('Signing secret').fill('a-secret-of-16-letters')
  await button(page, 'Create').click()
  await showsToast(page, 'Channel saved.')
  await page.waitForURL(/\/alerts\/channels\/[0-9a-f-]{36}$/)
  await button(page, 'Send test message').click()
  await page.getByText(/^Delivered in/).waitFor()
  assert.match(receiver.received[0].headers['weir-signature'] as string, /^t=\d+,v1=/)
  receiver.behave = () => 500
  await button(page, 'Send test message').click()
  await page.getByRole('alert').filter({ hasText: 'Not delivered: Answered with 500' }).waitFor()
  await page.getByText('Test messages are not listed.').waitFor()
  await assertAccessible(page)
  await shootAll(page, 'channel')
  assert.doesNotMatch(await page.content(), /top-secret|a-secret-of/)
  await page.getByRole('link', { name: 'Channels' }).first().click()
  await page.getByRole('link', { name: 'Night shift' }).waitFor()
  await assertAccessible(page)
  await shootAll(page, 'channels')
  await page.getByRole('link', { name: 'Night shift' }).click()
  await chooseMore(page, 'Delete')
  await page.getByLabel('Type “Night shift” to delete it').fill('Night shift')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await showsToast(page, 'Channel deleted.')
  assert.deepEqual(complaintsOtherThan(complaints, 400), [])
})

test('a channel that is created for a new alert leads back to its draft', { skip }, async () => {
  const { page } = await studio.open('/alerts/new?component=none&condition=value+%3E+80')
  await page.getByLabel('Name', { exact: true }).fill('Too hot')
  await page.getByRole('link', { name: 'Create one' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Day shift')
  await page.getByLabel('Kind').selectOption({ label: 'Webhook (JSON)' })
  await page.getByLabel('URL', { exact: true }).fill(receiver.url)
  await button(page, 'Create').click()
  await showsToast(page, 'Channel saved.')
  await page.waitForURL(/\/alerts\/channels\/[0-9a-f-]{36}\?/)
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Back to the alert' }).click()
  await page.getByRole('checkbox', { name: 'Day shift' }).check()
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Too hot')
  await page.waitForURL((url) => url.searchParams.get('condition') === 'value > 80')
})
