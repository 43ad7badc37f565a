import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserSkip, openBrowser } from '../../support/browser.ts'
import { type Service, startService } from '../../support/service.ts'
import { eventually, PATIENCE_MS, settlesTo, shows } from '../../support/settle.ts'

const skip = browserSkip()

/** A name that no browser takes for this machine: what is allowed on loopback alone shows here. */
const NAME = 'weir.example'

/** The folder for screenshots; unset for none. */
const SHOTS = process.env.WEIR_TEST_SCREENSHOTS

interface Opened {
  readonly page: Page
  readonly complaints: readonly string[]
  readonly hosts: ReadonlySet<string>
  readonly address: string
  [Symbol.asyncDispose](): Promise<void>
}

let service: Service
let browser: Browser
before(async () => {
  if (skip !== false) return
  service = await startService()
  browser = await openBrowser([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`])
})
after(async () => {
  await browser?.close()
  await service?.close()
})

async function openDocs(path: string, width: number): Promise<Opened> {
  // A page of a context of its own: nothing is kept from the one before.
  const page = await browser.newPage({ viewport: { width, height: 900 } })
  page.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  const hosts = new Set<string>()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('requestfailed', (asked) => complaints.push(`${asked.url()} failed`))
  page.on('request', (asked) => {
    if (asked.url().startsWith('http')) hosts.add(new URL(asked.url()).origin)
  })
  const address = `http://${NAME}:${service.port}`
  await page.goto(`${address}${path}`)
  await page.getByText('/api/feed', { exact: true }).first().waitFor()
  const shot = `${SHOTS}/docs-${width}.png`
  if (SHOTS !== undefined) await page.screenshot({ path: shot, fullPage: false })
  return {
    page,
    complaints,
    hosts,
    address,
    [Symbol.asyncDispose]: () => page.close(),
  }
}

test('/docs shows the API over plain http under a name that is not loopback', {
  skip,
}, async () => {
  for (const path of ['/docs', '/docs/']) {
    await using docs = await openDocs(path, 1280)
    assert.deepEqual(docs.complaints, [], path)
    assert.deepEqual(
      [...docs.hosts],
      [docs.address],
      'nothing is asked of other hosts, nor over TLS',
    )
    await shows(docs.page.getByText('Explore'), 0)
    await settlesTo(() => docs.page.title(), 'Weir API')
  }
})

test('/docs fits a phone', { skip }, async () => {
  await using docs = await openDocs('/docs', 390)
  const { page, complaints } = docs
  const width = () => page.evaluate('document.documentElement.scrollWidth')
  await settlesTo(width, 390, 'nothing has to be scrolled sideways')
  await page.locator('.opblock-summary-control').first().click()
  await page.getByText('Responses').first().waitFor()
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/docs-390-open.png` })
  await settlesTo(width, 390, 'nor in an operation')
  assert.deepEqual(complaints, [])
})

test('/docs tries a call', { skip }, async () => {
  await using docs = await openDocs('/docs', 1280)
  const { page, complaints } = docs
  // Of many operations only those in sight are in the page; these are the last.
  const block = page.locator('.opblock', { hasText: '/healthz' })
  await eventually(async () => {
    await page.keyboard.press('End')
    assert.ok(await block.isVisible(), 'the page has not come to its end')
  })
  await block.locator('.opblock-summary-control').click()
  await block.getByRole('button', { name: 'Try it out' }).click()
  await block.getByRole('button', { name: 'Execute' }).click()
  await block.getByText('"status": "ok"').first().waitFor()
  assert.deepEqual(complaints, [])
})
