import type { Browser } from 'playwright-core'
import { atEnd } from './at-end.ts'
import { openBrowser } from './browser.ts'

let launched: Promise<Browser> | undefined

/** The browser that all tests of this process share; it starts with the first that needs it. Contexts keep them apart. */
export function sharedBrowser(): Promise<Browser> {
  if (launched === undefined) {
    const opened = openBrowser()
    launched = opened
    atEnd(async () => (await opened).close())
  }
  return launched
}
