import { test } from 'node:test'
import { browserSkip, openBrowser } from '../../support/browser.ts'
import { settlesTo } from '../../support/settle.ts'

test('openBrowser() starts a browser that runs scripts', { skip: browserSkip() }, async () => {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    await page.goto('data:text/html,<title>before</title><script>document.title="after"</script>')
    await settlesTo(() => page.title(), 'after')
  } finally {
    await browser.close()
  }
})
