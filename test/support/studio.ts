/** The studio in Chromium on a service of its own, for tests that see what a person sees. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { getTestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { buildStudio } from '../../tools/studio/build-studio.ts'
import { LAG_MS, THOUGHT_MS } from './browser.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'
import { eventually, PATIENCE_MS, settlesTo } from './settle.ts'
import { sharedBrowser } from './shared-browser.ts'

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
  /** Errors and warnings of the console, and of scripts; 401 and 404 answers are told there too. */
  readonly complaints: string[]
  /** Every host that was asked. */
  readonly hosts: ReadonlySet<string>
}

/** Builds the studio when its sources have changed, starts a service, and a browser unless another test has. */
export async function openStudio(options: ServiceOptions = {}): Promise<StudioTest> {
  await buildStudio()
  const service = await startService(options)
  const browser = await sharedBrowser()
  const opened: BrowserContext[] = []
  return {
    service,
    open: (path = '/', chosen = {}) => openPage({ service, browser, opened }, path, chosen),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((context) => context.close()))
      await service.close()
    },
  }
}

/** The browser, and what was opened in it for a test file. */
interface OpenedStudio {
  readonly browser: Browser
  readonly opened: BrowserContext[]
}

async function openPage(
  { service, browser, opened }: Pick<StudioTest, 'service'> & OpenedStudio,
  path: string,
  { isSignedIn = true, as, ...options }: OpenOptions,
): Promise<StudioPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    // A colour on its way from one to another is none that anybody reads.
    reducedMotion: 'reduce',
    ...options,
  })
  opened.push(context)
  context.setDefaultTimeout(PATIENCE_MS)
  // Pages of tests that are over would go on to follow what is live, and slow down those behind them.
  const running = getTestContext()
  if (running !== undefined && 'after' in running) running.after(() => context.close())
  await context.addInitScript(KEEP_TOLD)
  if (LAG_MS > 0) await delayCalls(context)
  if (isSignedIn) {
    const { ownerEmail: email, ownerPassword: password } = service
    const data = as ?? { email, password }
    const answer = await context.request.post(`${service.url}/api/login`, { data })
    assert.equal(answer.status(), 200, await answer.text())
  }
  const page = await context.newPage()
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

/** What a page complained of but for answers of these statuses, of which browsers always tell: for those that a test asks for. */
export function complaintsOtherThan(
  complaints: readonly string[],
  ...statuses: readonly number[]
): string[] {
  const told = statuses.map((status) => `responded with a status of ${status} (`)
  return complaints.filter((text) => !told.some((one) => text.includes(one)))
}

/** Keeps what the place of short-lived lines has shown, for `told()`: a line may come and go between two looks. */
const KEEP_TOLD = `globalThis.toldLines = []
new MutationObserver((changes) => {
  for (const { addedNodes, target } of changes) {
    if (target.getAttribute?.('role') !== 'status') continue
    for (const { textContent } of addedNodes) toldLines.push(textContent)
  }
}).observe(document, { childList: true, subtree: true })`

/** Waits for a line that tells what was done. Each line counts once: a second wait is for a second line. */
export async function told(page: Page, text: string): Promise<void> {
  const take = `(() => {
    const at = toldLines.findIndex((line) => line.includes(${JSON.stringify(text)}))
    if (at >= 0) toldLines.splice(0, at + 1)
    return at >= 0
  })()`
  await eventually(async () => assert.ok(await page.evaluate(take), `nothing told “${text}”`))
}

const axeSource = () => readFileSync('node_modules/axe-core/axe.min.js', 'utf8')

/** Fails when axe finds something that keeps people from using the page as it comes to stand. */
export async function assertAccessible(page: Page): Promise<void> {
  await eventually(async () => assert.deepEqual(await violationsIn(page), [], page.url()))
}

async function violationsIn(page: Page): Promise<object[]> {
  // Evaluated by the debugger, which the page's policy does not hold.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axeSource())
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{
          violations: Array<{ id: string; help: string; nodes: Array<{ html: string }> }>
        }>
      }
    }
    const { violations } = await axe.run()
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      where: nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)),
    }))
  })
}

/** Fails when something hangs over the side of the page, so that a phone would scroll sideways. */
export async function assertFits(page: Page): Promise<void> {
  const overhang = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  await settlesTo(() => page.evaluate<number>(overhang), 0, page.url())
}

/** Keeps a picture of the page where WEIR_TEST_SCREENSHOTS says, for whoever wants to look. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.WEIR_TEST_SCREENSHOTS
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` })
}

/** Looks at a page in both themes, where axe finds nothing, and on a phone, where it fits; pictures of each. */
export async function shootAll(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await assertAccessible(page)
    await shoot(page, `${name}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 390, height: 800 })
  await assertFits(page)
  await shoot(page, `${name}-phone`)
  await page.setViewportSize({ width: 1280, height: 800 })
}
