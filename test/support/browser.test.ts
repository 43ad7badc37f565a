import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserSkip, openBrowser } from './browser.ts'

test('openBrowser() starts a browser that runs scripts', { skip: browserSkip() }, async () => {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    await page.goto('data:text/html,<title>before</title><script>document.title="after"</script>')
    assert.equal(await page.title(), 'after')
  } finally {
    await browser.close()
  }
})
