/** The studio in Chromium on a service of its own, for tests that see what a person sees. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { getTestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Page,
} from 'playwright-core'
import { buildStudio } from '../../tools/studio/build-studio.ts'
import { LAG_MS, THOUGHT_MS } from './browser.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'
import { eventually, PATIENCE_MS, settlesTo } from './settle.ts'
import { sharedBrowser } from './shared-browser.ts'

const VIEWPORT = { width: 1280, height: 800 }

/** A service with its studio, and a browser before it. */
export interface StudioTest {
  readonly service: Service
  /** Opens a page for the test that runs, signed in as the owner, as somebody else, or not when `isSignedIn` is false. */
  open(path?: string, options?: OpenOptions): Promise<StudioPage>
  [Symbol.asyncDispose](): Promise<void>
}

/** What a test may choose of a page. */
interface OpenOptions extends BrowserContextOptions {
  readonly isSignedIn?: boolean
  readonly as?: { readonly email: string; readonly password: string }
}

/** A page in a browser of its own, with what it complained of. */
export interface StudioPage {
  readonly page: Page
  /** Errors and warnings of the console, and of scripts; 401 and 404 responses are logged there too. */
  readonly complaints: string[]
  /** Every host that was asked. */
  readonly hosts: ReadonlySet<string>
}

/** Builds the studio when its sources have changed, starts a service, and a browser unless another test has. */
export async function openStudio(options: ServiceOptions = {}): Promise<StudioTest> {
  await buildStudio()
  const service = await startService(options)
  const browser = await sharedBrowser()
  const kept: KeptContext[] = []
  return {
    service,
    open: (path = '/', chosen = {}) => openPage({ service, browser, kept }, path, chosen),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(kept.map(({ context }) => context.close()))
      await service.close()
    },
  }
}

/** The browser, and the contexts of a test file. */
interface OpenedStudio {
  readonly service: Service
  readonly browser: Browser
  readonly kept: KeptContext[]
}

/**
 * A context that tests of a file use one after the other. Its blank page keeps the process of the browser, which then
 * has the studio in its cache and compiled.
 */
interface KeptContext {
  readonly context: BrowserContext
  readonly blank: CDPSession
}

async function openPage(
  studio: OpenedStudio,
  path: string,
  { isSignedIn = true, as, ...options }: OpenOptions,
): Promise<StudioPage> {
  const { service } = studio
  const { viewport = VIEWPORT, colorScheme = 'light', ...others } = options
  const isPlain = Object.keys(others).length === 0
  const context = isPlain
    ? await takeContext(studio)
    : await newContext(studio, { viewport, colorScheme, ...others })
  // Pages of tests that are over would go on to follow what is live, and slow down those behind them.
  const running = getTestContext()
  if (running !== undefined && 'after' in running)
    running.after(() => (isPlain ? closePages(context) : context.close()))
  if (isSignedIn) {
    const { ownerEmail: email, ownerPassword: password } = service
    const data = as ?? { email, password }
    const answer = await context.request.post(`${service.url}/api/login`, { data })
    assert.equal(answer.status(), 200, await answer.text())
  }
  const page = await context.newPage()
  if (isPlain && viewport !== null && viewport !== VIEWPORT) await page.setViewportSize(viewport)
  if (isPlain && colorScheme !== 'light') await page.emulateMedia({ colorScheme })
  if (LAG_MS > 0) typeSlowly(page)
  const complaints: string[] = []
  const hosts = new Set<string>()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return
    complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('request', (asked) => {
    if (asked.url().startsWith('http')) hosts.add(new URL(asked.url()).origin)
  })
  await page.goto(`${service.url}${path}`)
  return { page, complaints, hosts }
}

/** A kept context in which only the blank page is open, without cookies and storage; a new one when all are in use. */
async function takeContext(studio: OpenedStudio): Promise<BrowserContext> {
  const free = studio.kept.find(({ context }) => context.pages().length === 1)
  if (free !== undefined) {
    const { context, blank } = free
    await context.setOffline(false)
    await context.clearCookies()
    await blank.send('Storage.clearDataForOrigin', {
      origin: studio.service.url,
      storageTypes: 'local_storage,indexeddb,cache_storage,service_workers',
    })
    return context
  }
  const context = await newContext(studio, { viewport: VIEWPORT, colorScheme: 'light' })
  const blank = await context.newCDPSession(await context.newPage())
  studio.kept.push({ context, blank })
  return context
}

async function newContext(
  { browser }: OpenedStudio,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    // A colour on its way from one to another is none that anybody reads.
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(PATIENCE_MS)
  await context.addInitScript(KEEP_TOASTS)
  if (LAG_MS > 0) await delayCalls(context)
  return context
}

/** Closes all pages of a kept context but the blank one. */
async function closePages(context: BrowserContext): Promise<void> {
  const [, ...pages] = context.pages()
  await Promise.all(pages.map((page) => page.close()))
}

async function delayCalls(context: BrowserContext): Promise<void> {
  await context.route('**/api/**', async (route) => {
    await pause(Math.random() * LAG_MS)
    // The page may have left, or given the call up.
    await route.continue().catch(() => {})
  })
}

function typeSlowly({ keyboard }: Page): void {
  const type = keyboard.type.bind(keyboard)
  keyboard.type = (text, options) => type(text, { delay: THOUGHT_MS, ...options })
}

/** Errors of a page, without responses of these statuses, which browsers always log: for those that a test causes. */
export function complaintsOtherThan(
  complaints: readonly string[],
  ...statuses: readonly number[]
): string[] {
  const expected = statuses.map((status) => `responded with a status of ${status} (`)
  return complaints.filter((text) => !expected.some((one) => text.includes(one)))
}

/** Keeps the text of every toast for `showsToast()`. A toast may disappear between two checks. */
const KEEP_TOASTS = `globalThis.toastLines = []
new MutationObserver((changes) => {
  for (const { addedNodes, target } of changes) {
    if (target.getAttribute?.('role') !== 'status') continue
    for (const { textContent } of addedNodes) toastLines.push(textContent)
  }
}).observe(document, { childList: true, subtree: true })`

/** Waits for a toast. Each toast counts once: a second wait is for a second toast. */
export async function showsToast(page: Page, text: string): Promise<void> {
  const take = `(() => {
    const at = toastLines.findIndex((line) => line.includes(${JSON.stringify(text)}))
    if (at >= 0) toastLines.splice(0, at + 1)
    return at >= 0
  })()`
  await eventually(async () => assert.ok(await page.evaluate(take), `no toast “${text}”`))
}

const axeSource = () => readFileSync('node_modules/axe-core/axe.min.js', 'utf8')

/** The rules of axe that depend on colors. All others give the same result in both color schemes. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** Options of axe that tests use. */
interface AxeOptions {
  readonly resultTypes: readonly string[]
  readonly runOnly?: readonly string[]
}

/** Fails when axe finds something that keeps people from using the page as it comes to stand. */
export async function assertAccessible(page: Page): Promise<void> {
  await assertNoViolations(page, { resultTypes: ['violations'] })
}

/** Checks the colors alone: for a page that has passed `assertAccessible` in the other color scheme. */
async function assertReadable(page: Page): Promise<void> {
  await assertNoViolations(page, { resultTypes: ['violations'], runOnly: COLOR_RULES })
}

async function assertNoViolations(page: Page, options: AxeOptions): Promise<void> {
  await eventually(async () => assert.deepEqual(await violationsIn(page, options), [], page.url()))
}

async function violationsIn(page: Page, chosen: AxeOptions): Promise<object[]> {
  // Evaluated by the debugger, which the page's policy does not hold.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axeSource())
  return await page.evaluate(async (options) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{
          violations: Array<{ id: string; help: string; nodes: Array<{ html: string }> }>
        }>
      }
    }
    const { violations } = await axe.run(options)
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      where: nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)),
    }))
  }, chosen)
}

/** Fails when something hangs over the side of the page, so that a phone would scroll sideways. */
export async function assertFits(page: Page): Promise<void> {
  const overhang = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  await settlesTo(() => page.evaluate<number>(overhang), 0, page.url())
}

/** Chooses an action of the menu of a page or form. */
export async function chooseMore(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  const menu = page.getByRole('dialog', { name: 'More actions' })
  await menu.getByRole('button', { name, exact: true }).click()
}

/** Keeps a picture of the page where WEIR_TEST_SCREENSHOTS says, for people to view. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.WEIR_TEST_SCREENSHOTS
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` })
}

/** Looks at a page in one theme after the other. Axe finds nothing in either; `look` is called in each. */
export async function inBothThemes(
  page: Page,
  look: (theme: 'light' | 'dark') => Promise<void>,
): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await assertAccessible(page)
  await look('light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-theme="dark"]').waitFor()
  await assertReadable(page)
  await look('dark')
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Looks at a page in both themes, where axe finds nothing, and on a phone, where it fits; pictures of each. */
export async function shootAll(page: Page, name: string): Promise<void> {
  await inBothThemes(page, (theme) => shoot(page, `${name}-${theme}`))
  await page.setViewportSize({ width: 390, height: 800 })
  await assertFits(page)
  await shoot(page, `${name}-phone`)
  await page.setViewportSize({ width: 1280, height: 800 })
}
