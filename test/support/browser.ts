/** The machine's Chromium, driven by playwright-core, for tests that need a real browser. */
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { PATIENCE_MS } from './settle.ts'

/** The one without windows first: pages are the same, and a run takes half of the processor time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  // Containers have 64 MB there, of which a page that draws runs out.
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page starts and navigates in one process. Without the limit every page leaves a second, unused process.
  '--renderer-process-limit=1',
  // Compiler threads cost more CPU time than they save: most functions of a page run a few times.
  '--js-flags=--single-threaded',
]

/** With WEIR_TEST_LAG every call of a page takes up to that many milliseconds longer, and people are slow, too: whatever a test does not wait for shows. */
export const LAG_MS = Number(process.env.WEIR_TEST_LAG ?? 0)
/** How long a person thinks before every key and click; longer than a page waits for the next. */
export const THOUGHT_MS = LAG_MS / 4

/** The path of the machine's Chromium (WEIR_TEST_BROWSER first, then the PATH), or undefined. */
export function findBrowser(): string | undefined {
  const folders = (process.env.PATH ?? '').split(':').concat('/usr/bin')
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  const wanted = process.env.WEIR_TEST_BROWSER
  return (wanted === undefined ? onPath : [wanted]).find(isExecutable)
}

/** Why browser tests cannot run here, for the `skip` option of a test; with CI=true they must run. */
export function browserSkip(): string | false {
  if (findBrowser() !== undefined || process.env.CI === 'true') return false
  return 'no Chromium on this machine'
}

/** Starts the browser, with flags of a test's own; the caller closes it. */
export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  const executablePath = findBrowser()
  if (executablePath === undefined)
    throw new Error(
      'No Chromium found: install the package "chromium-headless-shell" or "chromium", or set WEIR_TEST_BROWSER',
    )
  const args = [...FLAGS, ...flags]
  return await chromium.launch({ executablePath, args, timeout: PATIENCE_MS, slowMo: THOUGHT_MS })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
