/** What holds for every page of the studio: its weight, its policy, whom it asks, what happens without a network. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { eventually, settlesLike, settlesTo, shows } from '../../support/settle.ts'
import { assertAccessible, assertFits, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const FIRST_LOAD_BYTES_MAX = 300_000
/** What a person loads to sign in, compressed with Brotli. */
const SIGN_IN_BYTES_MAX = 80_000
const studio = studioOfFile()

/** The bytes of every file of a page that shows a heading, as sent to a client that accepts one encoding. */
async function loadBytes(page: Page, heading: string, encoding: 'br' | 'gzip'): Promise<number> {
  const sizes: Array<Promise<number>> = []
  page.on('response', (answer) => {
    const { pathname } = new URL(answer.url())
    if (pathname !== '/' && !pathname.startsWith('/assets/')) return
    sizes.push(
      fetch(answer.url(), { headers: { 'Accept-Encoding': encoding } }).then(async (again) => {
        assert.equal(again.status, 200, pathname)
        const length = Number(again.headers.get('content-length'))
        await again.arrayBuffer()
        return length
      }),
    )
  })
  await page.reload()
  await page.getByRole('heading', { name: heading }).waitFor()
  const found = await Promise.all(sizes)
  assert.ok(found.length >= 3, `${found.length} files`)
  return found.reduce((sum, size) => sum + size, 0)
}

test(`the first page weighs at most ${FIRST_LOAD_BYTES_MAX / 1000} kB and asks nobody else`, {
  skip,
}, async () => {
  const { page, hosts, complaints } = await studio.open('/')
  const bytes = await loadBytes(page, 'Your first sample', 'gzip')
  assert.ok(bytes > 10_000 && bytes <= FIRST_LOAD_BYTES_MAX, `${bytes} bytes`)
  assert.deepEqual([...hosts], [studio.service.url])
  assert.deepEqual(complaints, [], 'the policy of the page stopped nothing')
})

test(`the sign-in page weighs at most ${SIGN_IN_BYTES_MAX / 1000} kB`, { skip }, async () => {
  const { page } = await studio.open('/', { isSignedIn: false })
  const bytes = await loadBytes(page, 'Sign in', 'br')
  assert.ok(bytes > 10_000 && bytes <= SIGN_IN_BYTES_MAX, `${bytes} bytes`)
})

test('the policy of the page stops scripts and styles that are not files of the studio', {
  skip,
}, async () => {
  const { page } = await studio.open('/')
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  const tried = await page.evaluate<string[]>(`new Promise((resolve) => {
    const stopped = []
    addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
      stopped.push(effectiveDirective)
      if (stopped.length === 4) resolve(stopped.sort())
    })
    const script = document.createElement('script')
    script.textContent = 'globalThis.wasRun = true'
    const style = document.createElement('style')
    style.textContent = 'body { display: none }'
    document.head.append(script, style)
    const frame = document.createElement('iframe')
    frame.src = 'https://weir.example/'
    document.body.append(frame)
    fetch('https://weir.example/').catch(() => {})
  })`)
  assert.deepEqual(tried, ['connect-src', 'frame-src', 'script-src-elem', 'style-src-elem'])
  assert.equal(await page.evaluate('globalThis.wasRun'), undefined)
})

test('a lost connection is one line at the top, and what was lost comes when it is back', {
  skip,
}, async () => {
  const { page } = await studio.open('/')
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  await page.context().setOffline(true)
  // The page looks for the first sample by itself, and so notices.
  const line = page.getByText('Cannot reach the service. Data may be out of date')
  await line.waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page
    .getByRole('alert')
    .filter({ hasText: 'Your entries are kept. Try again later' })
    .waitFor()
  await assertAccessible(page)
  await shoot(page, 'lost')
  await page.getByRole('button', { name: 'Retry' }).click()
  await line.waitFor()
  // The page retries without a click.
  await page.context().setOffline(false)
  await line.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('button', { name: 'Show the key' }).waitFor()
})

test('a lost connection is shown once, and lists requested meanwhile load by themselves', {
  skip,
}, async () => {
  const { page } = await studio.open('/build/unit')
  await page.getByRole('link', { name: 'Celsius', exact: true }).waitFor()
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Cycles' }).click()
  await page.getByText('Cannot reach the service.').waitFor()
  await page.getByRole('heading', { name: 'Cycles' }).waitFor()
  await shows(page.getByText(/(?:Cannot|did not) reach the service/), 1)
  await assertAccessible(page)
  await shoot(page, 'lost-list')
  await page.context().setOffline(false)
  await page.getByRole('link', { name: 'quarter' }).waitFor()
  await shows(page.getByText(/(?:Cannot|did not) reach the service/), 0)
})

test('a path that no page has says so, keeps the bar and leads back', { skip }, async () => {
  const { page } = await studio.open('/view/none/such')
  // The service does not know it. Programs get a JSON error.
  await page.getByText('This page does not exist.').waitFor()
  const reported = await fetch(page.url())
  assert.equal(reported.status, 404)
  assert.match(await reported.text(), /not_found/)
  await page.goto(`${studio.service.url}/c/a/b/c/d`)
  await page.getByText('This page does not exist.').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  await page.goBack()
  await page.getByText('This page does not exist.').waitFor()
})

test('the theme that was chosen is kept, and the system decides until then', { skip }, async () => {
  const { page } = await studio.open('/', {
    colorScheme: 'dark',
    viewport: { width: 390, height: 800 },
  })
  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  await page.getByRole('button', { name: 'Account' }).click()
  const dark = await ground()
  const dialog = page.getByRole('dialog', { name: 'Account' })
  await dialog.getByRole('button', { name: 'Light' }).click()
  const light = await eventually(async () => {
    const colour = await ground()
    assert.notEqual(colour, dark)
    return colour
  })
  await shoot(page, 'account-390')
  await page.reload()
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  await settlesTo(ground, light)
  await assertFits(page)
})

test('the theme follows the system also while pages render', { skip }, async () => {
  const { page } = await studio.open('/')
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  // Chromium sends no event of a change when a page has read `matches` before it.
  await page.evaluate(`{
    const { get } = Object.getOwnPropertyDescriptor(MediaQueryList.prototype, 'matches')
    globalThis.reads = 0
    Object.defineProperty(MediaQueryList.prototype, 'matches', {
      get() {
        if (this.media.includes('color-scheme')) reads += 1
        return get.call(this)
      },
    })
  }`)
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('dialog', { name: 'Account' }).waitFor()
  assert.equal(await page.evaluate('reads'), 0)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-theme="dark"]').waitFor()
})

test('the keyboard reaches the page past the bar, and a dialog keeps and gives back the focus', {
  skip,
}, async () => {
  const { page } = await studio.open('/')
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  await page.keyboard.press('Tab')
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  await settlesLike(focused, /Skip to content/)
  await page.getByRole('button', { name: 'Account' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Account' })
  await dialog.waitFor()
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press('Tab')
    const isInside =
      "document.activeElement === document.body || document.activeElement.closest('dialog') !== null"
    await settlesTo(() => page.evaluate(isInside), true, `step ${step}`)
  }
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await settlesLike(focused, /Account/)
})

test('a page whose files are gone says so and keeps the bar; other pages still work', {
  skip,
}, async () => {
  const { page } = await studio.open('/')
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  await page.route('**/assets/admin-page*', (route) => route.abort())
  await page.getByRole('link', { name: 'Admin' }).click()
  await page.getByText('Cannot load this page').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Build' }).click()
  await page.getByText('Cannot load this page').waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1 }).waitFor()
})
