/** Connections to databases and imports from them, as people make and watch them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { cronWords } from '../../../studio/src/pages/connect/import/cron-words.ts'
import {
  cronOf,
  dailyTime,
  scheduleWords,
} from '../../../studio/src/pages/connect/import/schedule-words.ts'
import { browserSkip } from '../../support/browser.ts'
import { INGEST, LOCAL } from '../../support/import-home.ts'
import { keepablePort } from '../../support/port.ts'
import {
  type DatabaseServer,
  postgresqlSkip,
  startPostgresql,
} from '../../support/postgresql-server.ts'
import { shows } from '../../support/settle.ts'
import {
  assertAccessible,
  chooseMore,
  complaintsOtherThan,
  openStudio,
  type StudioTest,
  shootAll,
  showsToast,
} from '../../support/studio.ts'

const skip = browserSkip()
const skipImport = skip !== false ? skip : postgresqlSkip()
let studio: StudioTest
let server: DatabaseServer | undefined

before(async () => {
  if (skip !== false) return
  studio = await openStudio({ settings: LOCAL })
  if (skipImport !== false) return
  server = await startPostgresql()
  await server.ask(`CREATE TABLE readings (device text, at bigint, temp float8);
    INSERT INTO readings SELECT 'oven', 1700000000000 + n * 60000, 180 + least(n, 50) FROM generate_series(1, 51) n`)
})
after(async () => {
  await studio?.[Symbol.asyncDispose]()
  await server?.stop()
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function write(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label, exact: true }).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

/** Makes a connection on its page. */
async function connect(page: Page, name: string, port: number): Promise<void> {
  await button(page, 'New connection').click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Host').fill('127.0.0.1')
  await page.getByLabel('Port').fill(String(port))
  await page.getByLabel('Database name').fill('weir')
  await page.getByLabel('Encryption').selectOption({ label: 'None' })
  await page.getByLabel('User').fill('weir')
  await page.getByLabel('Password').fill('the-password')
  await button(page, 'Create').click()
  await showsToast(page, 'Connection saved.')
  await page.waitForURL(/\/connect\/connections\/[0-9a-f-]{36}$/)
}

test('a connection is created and tested, and failures are shown in plain words', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/connect')
  await page.getByRole('link', { name: 'Connections' }).first().click()
  await connect(page, 'Nowhere', await keepablePort())
  await button(page, 'Test connection').click()
  await page.getByRole('alert').filter({ hasText: 'Connection failed: ' }).waitFor()
  await page.getByText('Stored encrypted and never shown').waitFor()
  await shootAll(page, 'connection')
  await page.getByLabel('Host').fill('localhost')
  await page.getByText('Save first. The test uses the saved settings.').waitFor()
  await button(page, 'Save').click()
  await page
    .getByRole('alert')
    .filter({ hasText: /given again/ })
    .waitFor()
  await page.getByLabel('Password').fill('the-password')
  await button(page, 'Save').click()
  await showsToast(page, 'Connection saved.')
  await chooseMore(page, 'Delete')
  await page.getByLabel('Type “Nowhere” to delete it').fill('Nowhere')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await showsToast(page, 'Connection deleted.')
  assert.deepEqual(complaintsOtherThan(complaints, 400), [])
})

test('an import is made on a schedule in words, run, watched, and fails in plain words', {
  skip: skipImport,
}, async () => {
  assert.ok(server)
  const { page, complaints } = await studio.open('/connect/connections')
  await connect(page, 'Plant', server.port)
  await button(page, 'Test connection').click()
  await page.getByText(/^Connected in .* PostgreSQL/).waitFor()
  await page.getByRole('link', { name: 'Connectors', exact: true }).first().click()
  await button(page, 'New import').click()
  await page.getByLabel('ID', { exact: true }).fill('plant')
  await page.getByLabel('Connection', { exact: true }).selectOption({ label: 'Plant' })
  await page.getByLabel('Schedule', { exact: true }).selectOption({ label: 'Every weekday' })
  await page.getByLabel('Time zone of the schedule').fill('Europe/Berlin')
  await page.getByText(/^Runs every weekday at 06:00, Europe\/Berlin; next: .* UTC\+\d/).waitFor()
  await page.getByLabel('Schedule', { exact: true }).selectOption({ label: 'Cron expression' })
  const cron = page.getByLabel('Minute, hour, day, month, weekday')
  await cron.fill('0 6,18 29 2 *')
  await page
    .getByText(/^Runs on the 29th in February at 06:00 and 18:00, .* next: \d{4}-02-29 06:00:00/)
    .waitFor()
  await cron.fill('0 25 * * *')
  await page.getByRole('alert').filter({ hasText: 'must be minute, hour, day' }).waitFor()
  await page.getByLabel('Schedule', { exact: true }).selectOption({ label: 'Every N minutes' })
  await page.getByText('Runs every 15 minutes.').waitFor()
  await write(page, 'External SQL', 'SELECT device, at, temp FROM readings')
  await button(page, 'Preview rows').click()
  const preview = page.getByRole('region', { name: 'Row preview' })
  await preview.getByText('The first 20 rows.').waitFor()
  await preview.getByRole('columnheader', { name: 'device' }).waitFor()
  await shows(preview.getByRole('row'), 21)
  await shootAll(page, 'import-preview')
  await write(page, 'External SQL', 'SELECT nothing FROM readings')
  await shows(preview.getByRole('row'), 0)
  await button(page, 'Preview rows').click()
  await preview.getByRole('alert').filter({ hasText: 'nothing' }).waitFor()
  await write(page, 'External SQL', "SELECT NULL AS a, '' AS a WHERE 1 = 1")
  await button(page, 'Preview rows').click()
  await preview.getByRole('row', { name: 'NULL' }).waitFor()
  await write(page, 'External SQL', 'SELECT device, at, temp FROM readings')
  await write(page, 'SQL', INGEST)
  await button(page, 'Create').click()
  await showsToast(page, 'Connector saved.')
  await page.getByText('No runs yet.').waitFor()
  await page.getByText(/^Runs every 15 minutes; next: \d{4}-/).waitFor()
  await button(page, 'Run now').click()
  const runs = page.getByRole('region', { name: 'Import runs' })
  await runs.getByText('50 samples stored').waitFor()
  await runs.getByText('1 unchanged').waitFor()
  await shootAll(page, 'import')
  await write(page, 'External SQL', 'SELECT pg_sleep(600)::text, 0, 0')
  await page.getByText('Save first. A run uses the saved import.').waitFor()
  await button(page, 'Save').click()
  await showsToast(page, 'Connector saved.')
  await button(page, 'Run now').click()
  await button(page, 'Cancel run').click()
  await showsToast(page, 'Run canceled')
  await runs.getByText(/^Failed: /).waitFor()
  await assertAccessible(page)
  assert.deepEqual(complaints, [])
})

test('schedules are described in words', () => {
  const berlin = (cron: string) => ({ cron, timeZoneId: 'Europe/Berlin' })
  const words = 'every weekday at 06:00, Europe/Berlin'
  assert.equal(scheduleWords(berlin('0 6 * * 1-5')), words)
  assert.equal(
    scheduleWords(berlin('0 6 L * *')),
    'on the cron expression 0 6 L * *, Europe/Berlin',
  )
  assert.equal(scheduleWords({ everyMinutes: 15 }), 'every 15 minutes')
  assert.equal(scheduleWords(null), 'manually')
  for (const cron of ['0 6 * * *', '59 23 * * 1-5', '5 0 * * 3']) {
    const time = dailyTime(cron)
    assert.equal(time && cronOf(time), cron)
  }
  assert.equal(dailyTime('61 6 * * *'), undefined)
})

test('cronWords() describes lists, steps, ranges and months', () => {
  const reported: ReadonlyArray<readonly [string, string | undefined]> = [
    ['30 18 * * 7', 'every Sunday at 18:30'],
    ['0 6 * * MON-FRI', 'every weekday at 06:00'],
    ['0 6,18 * * *', 'every day at 06:00 and 18:00'],
    ['0 6 * * 1,4', 'on Monday and Thursday at 06:00'],
    ['0 6 * * 6-7', 'on Sunday and Saturday at 06:00'],
    ['0 6 1 * *', 'on the 1st of every month at 06:00'],
    ['0 6 1,15 * *', 'on the 1st and the 15th of every month at 06:00'],
    ['0 6 1-7 * *', 'from the 1st to the 7th of every month at 06:00'],
    ['0 6 2 1,7 *', 'on the 2nd in January and July at 06:00'],
    ['0 6 * jun-aug *', 'every day in June, July and August at 06:00'],
    ['0 6 * 4-10 *', 'every day from April to October at 06:00'],
    ['0 6 23 */3 *', 'on the 23rd in January, April, July and October at 06:00'],
    ['0 6 13 * 5', 'on the 13th of every month and every Friday at 06:00'],
    ['* * * * *', 'every minute'],
    ['*/15 * * * *', 'every 15 minutes'],
    ['0-59 * * * *', 'every minute'],
    ['*/15 8-17 * * 1-5', 'every 15 minutes from 08:00 to 17:45 on weekdays'],
    ['0 * * * *', 'every hour'],
    ['30 * * * 1', 'every hour at minute 30 on Monday'],
    ['5,35 * * * *', 'every hour at the minutes 5 and 35'],
    ['0 */6 * * *', 'every 6 hours'],
    ['10 */6 1 1 *', 'every 6 hours at minute 10 on the 1st in January'],
    ...['0 6 * *', '61 6 * * *', '0 6 31-1 * *', '5/15 * * * *', '*/7 * * * *', 'x 6 * * *'].map(
      (cron) => [cron, undefined] as const,
    ),
    ...['0 6 */2 * 1', '0 6 * * 1#2', '', '0 0-23 */5 * *'].map(
      (cron) => [cron, undefined] as const,
    ),
  ]
  for (const [cron, words] of reported) assert.equal(cronWords(cron), words, cron)
})
