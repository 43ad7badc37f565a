import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { browserSkip, openBrowser } from '../../support/browser.ts'
import { putFile } from '../../support/file-client.ts'
import { type Service, startService } from '../../support/service.ts'
import { settlesLike, settlesTo } from '../../support/settle.ts'

const skip = browserSkip()
let service: Service
let browser: Browser

before(async () => {
  if (skip !== false) return
  service = await startService()
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await service?.close()
})

/** The smallest document that a PDF viewer shows. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
trailer<</Root 1 0 R>>
`

/** Marks the page and calls home, if it may run. */
const SCRIPT = `document.title = "owned"; fetch("/api/comp/c/feed?stolen"); top.owned = true`

const HOSTILE: Readonly<Record<string, string>> = {
  'image/svg+xml': `<svg xmlns="http://www.w3.org/2000/svg" onload='${SCRIPT}'><title>calm</title><script>${SCRIPT}</script><circle r="9"/></svg>`,
  'text/html': `<!doctype html><title>calm</title><img src=x onerror='${SCRIPT}'><script>${SCRIPT}</script>`,
  'application/xhtml+xml': `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>calm</title><script>${SCRIPT}</script></head><body/></html>`,
}

test('a browser shows a stored PDF in the page, as it came', { skip }, async () => {
  const { url } = await putFile(
    service,
    '/comp/c/stream/pdf/feed/file/a.pdf',
    PDF,
    'application/pdf',
  )
  const page = await browser.newPage()
  // A page of the service that may fetch: JSON, as from /healthz, may load nothing.
  await page.goto(`${service.url}/alt/`)
  const fetched = await page.evaluate(async (address) => {
    const answer = await fetch(address)
    const disposition = answer.headers.get('content-disposition')
    return { type: answer.headers.get('content-type'), disposition, text: await answer.text() }
  }, `${url}?api_key=${service.feedKey}`)
  assert.deepEqual(fetched, { type: 'application/pdf', disposition: 'inline', text: PDF })
  await page.close()
})

for (const [type, content] of Object.entries(HOSTILE)) {
  test(`a browser that opens a hostile ${type} runs nothing of it`, { skip }, async () => {
    const { url } = await putFile(service, '/comp/c/stream/bad/feed/file/bad', content, type)
    const page = await browser.newPage()
    const called: string[] = []
    const violations: string[] = []
    page.on('request', (request) => called.push(request.url()))
    page.on('console', (message) => violations.push(message.text()))
    await page.goto(`${service.url}${url}?api_key=${service.feedKey}`, { waitUntil: 'load' })
    assert.equal(await page.title(), 'calm')
    assert.deepEqual(
      called.filter((address) => address.includes('stolen')),
      [],
    )
    // The browser itself says that it kept a script from running.
    const blocked = /Blocked script execution|Content Security Policy/
    await settlesLike(() => violations.join('\n'), blocked)
    await page.close()
  })
}

test('the same hostile page runs where nothing guards it', { skip }, async () => {
  const page = await browser.newPage()
  await page.setContent(HOSTILE['text/html'])
  await settlesTo(() => page.title(), 'owned')
  await page.close()
})
