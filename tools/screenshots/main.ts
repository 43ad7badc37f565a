/** `npm run screenshots`: the pictures of docs/images, taken of the demonstration in Chromium. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openApp } from '../../src/app.ts'
import { createLog, readConfig } from '../../src/base/index.ts'
import { DemoClient } from '../../src/demo/demo-client.ts'
import { startLive } from '../../src/demo/live-greenhouse.ts'
import { seedGreenhouse } from '../../src/demo/seed-greenhouse.ts'
import { openBrowser } from '../../test/support/browser.ts'
import { buildStudio } from '../studio/build-studio.ts'
import { findShots, type Shot } from './shots.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'images')
const OWNER = { email: 'ada@greenhouse.example', password: 'tomatoes like it warm' }

await buildStudio()
const dataDir = mkdtempSync(join(tmpdir(), 'weir-screenshots-'))
const app = await openApp(
  readConfig({
    WEIR_PORT: '0',
    WEIR_DATA_DIR: dataDir,
    WEIR_RATE_LIMITS: 'off',
    WEIR_OWNER_EMAIL: OWNER.email,
    WEIR_OWNER_PASSWORD: OWNER.password,
  }),
  { log: createLog({ level: 'error' }) },
)
const url = await app.listen()
const client = await DemoClient.signIn({ url, ...OWNER })
await seedGreenhouse(client, { nowMs: Date.now() })
const stop = startLive(client, (problem) => console.error(problem))
const browser = await openBrowser()
mkdirSync(FOLDER, { recursive: true })
for (const shot of await findShots(client, OWNER.password)) await take(browser, shot)
stop()
await browser.close()
await app.close()
rmSync(dataDir, { recursive: true, force: true })

async function take(from: Browser, { name, path, ready, width, height, theme, act }: Shot) {
  const context = await from.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
  })
  await context.request.post(`${url}/api/login`, { data: OWNER })
  const page = await context.newPage()
  await page.goto(`${url}${path}`)
  await page.getByText(ready).first().waitFor()
  await act?.(page)
  // What is drawn is drawn when nothing is asked for any more; live events go on.
  await page.waitForLoadState('load')
  await page.waitForTimeout(2_500)
  const file = join(FOLDER, `${name}.png`)
  await page.screenshot({ path: file })
  await context.close()
  console.log(file)
}
