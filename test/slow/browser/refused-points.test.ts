import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { caller, signIn } from '../../support/caller.ts'
import { InfluxClient } from '../../support/influx-client.ts'
import { comesTrue, restingPlace, settlesTo, shows } from '../../support/settle.ts'
import {
  assertAccessible,
  assertFits,
  complaintsOtherThan,
  shoot,
  shootAll,
} from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile()
let influx: InfluxClient
const guest = { email: 'guest@example.com', password: 'a quiet reader of points' }
before(async () => {
  if (skip !== false) return
  const { service } = studio
  influx = new InfluxClient(service)
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const org_user = { ...guest, firstName: 'G', lastName: 'G', role: 'GUEST' }
  assert.equal((await owner('PUT', '/api/org_user', { org_user })).status, 200)
})

async function refuse(...lines: string[]): Promise<void> {
  const { status, text } = await influx.write(lines.join('\n'))
  assert.equal(status, 400, text)
}

test('refused points appear by themselves, with key, reason, and line', { skip }, async () => {
  const { page, complaints } = await studio.open('/connect')
  await page.getByRole('link', { name: 'Refused points' }).click()
  await page.getByText('No refused points.').waitFor()
  await page.getByText('a restart clears the list').waitFor()
  await shootAll(page, 'refused-empty')
  await refuse('boiler temp', `boiler text="<b>${'x'.repeat(2_000)}"x`, 'غلاية حرارة')
  const rows = page.getByRole('row')
  await shows(rows, 4)
  const first = page.getByRole('row', { name: /boiler temp/ })
  await first.getByText('influx · Feed key').waitFor()
  await first.getByText('Field "temp" has no value').waitFor()
  const long = rows.filter({ hasText: '<b>xxx' })
  const { height } = await restingPlace(long)
  await long.locator('summary').focus()
  await page.keyboard.press('Enter')
  await comesTrue(async () => (await restingPlace(long)).height > 2 * height)
  await shootAll(page, 'refused')
  // Nothing moves while a line is open.
  await refuse('kettle temp')
  const news = page.getByRole('button', { name: 'Show new points' })
  await news.waitFor()
  await shows(rows, 4)
  await assertAccessible(page)
  await news.click()
  await shows(rows, 5)
  await news.waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
})

test('a reader further down keeps the place, and older points are a page of their own', {
  skip,
}, async () => {
  await refuse(...Array.from({ length: 150 }, (_, at) => `many${at} v`))
  const { page } = await studio.open('/connect/refused', { viewport: { width: 390, height: 800 } })
  const rows = page.getByRole('row')
  await shows(rows, 101)
  await assertFits(page)
  const row = page.getByRole('row', { name: /many99 v/ })
  await row.scrollIntoViewIfNeeded()
  const before = await restingPlace(row)
  await refuse('late v')
  const news = page.getByRole('button', { name: 'Show new points' })
  await news.waitFor()
  assert.deepEqual(await restingPlace(row), before)
  await shoot(page, 'refused-behind-phone')
  await news.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /late v/ }).waitFor()
  await settlesTo(() => page.evaluate<number>('scrollY'), 0)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('row', { name: /many40 v/ }).waitFor()
  await page.waitForURL(/start=100/)
})

test('a guest reads that the list is for admins', { skip }, async () => {
  const { page, complaints } = await studio.open('/connect', { as: guest })
  await page.getByRole('link', { name: 'Connections' }).waitFor()
  await shows(page.getByRole('link', { name: 'Refused points' }), 0)
  await page.goto(`${studio.service.url}/connect/refused`)
  await page.getByText('does not let you see refused points').waitFor()
  await assertAccessible(page)
  assert.deepEqual(complaintsOtherThan(complaints, 403), [])
})
