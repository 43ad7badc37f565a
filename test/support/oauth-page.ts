import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { PATIENCE_MS } from './settle.ts'
import { sharedBrowser } from './shared-browser.ts'

/** A client's own web server, which only remembers where browsers were sent. */
export interface CallbackServer {
  readonly redirectUri: string
  /** The next address that a browser is sent to. */
  next(): Promise<URL>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts the server of a client on a loopback address. */
export async function startCallbackServer(): Promise<CallbackServer> {
  const waiting: Array<(url: URL) => void> = []
  const seen: URL[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', redirectUri)
    response.setHeader('content-type', 'text/html').end('<title>Client</title><h1>Back</h1>')
    if (url.pathname !== '/cb') return
    const wake = waiting.shift()
    if (wake === undefined) seen.push(url)
    else wake(url)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cb`
  return {
    redirectUri,
    next: async () => seen.shift() ?? new Promise((resolve) => waiting.push(resolve)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A browser page that remembers what its script or its policy complained about. */
export interface CheckedPage {
  readonly page: Page
  readonly complaints: string[]
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens a page without cookies or memory of others. */
export async function openPage(
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<CheckedPage> {
  const browser = await sharedBrowser()
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A refused sign-in shows as a failed resource; everything else is a mistake of the page.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) {
      complaints.push(message.text())
    }
  })
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
}

/** Signs in on the authorization page and answers its question, with the keyboard alone. */
export async function answerPage(
  page: Page,
  who: { readonly email: string; readonly password: string },
  answer: 'Allow' | 'Deny' = 'Allow',
): Promise<void> {
  await page.getByLabel('Email').fill(who.email)
  await page.getByLabel('Password', { exact: true }).fill(who.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /use your account/ }).waitFor()
  await page.getByRole('button', { name: answer }).focus()
  await page.keyboard.press('Enter')
}
