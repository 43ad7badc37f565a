/** Calls of the API, with types of its own description; the session is a cookie that scripts cannot read. */
import { ApiError, type TextPlace } from './api-error.ts'
import { noteFound, noteLost } from './connection.ts'
import { inOrganization } from './organization.ts'
import type { AnswerOf, CallOptions, Method, PathOf } from './paths.ts'
import { whenSignedIn } from './session.ts'

/** Calls an operation; throws `ApiError`. When the session has ended it waits for a sign-in and calls again. */
export async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  ...[options]: Record<string, never> extends CallOptions<P, M>
    ? [options?: CallOptions<P, M>]
    : [options: CallOptions<P, M>]
): Promise<AnswerOf<P, M>> {
  const { path: parts, query, body, headers, signal } = (options ?? {}) as LooseOptions
  const answer = await request(`${fillPath(path, parts)}${queryText(query)}`, {
    method: method.toUpperCase(),
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  })
  return (await readJson(answer)) as AnswerOf<P, M>
}

interface LooseOptions {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The error for a wrong password or a missing code. The form shows it; nobody has to sign in again. */
const OWN_MATTERS: ReadonlySet<string> = new Set(['reauthenticate', 'second_factor'])

/** How often, and for how long in all, a look is tried again that the service puts off. */
const RETRIES_MAX = 3
const RETRIES_MS = 60_000

/**
 * Fetches what the service answers, of any type, in the organization of this tab; throws `ApiError` and
 * waits for a sign-in as `call` does. A GET that comes too soon or while the service is busy is tried again
 * when the service says.
 */
export async function request(address: string, init: RequestInit = {}): Promise<Response> {
  // The call stays in the organization in which it began, even if another user signs in meanwhile.
  const target = inOrganization(address)
  const wait = retries(address, init)
  for (;;) {
    const answer = await reach(target, init)
    if (answer.ok) return answer
    const error = await readError(answer)
    if (await wait(error)) continue
    const isOver = error.status === 401 && !OWN_MATTERS.has(error.code)
    if (!isOver || address === '/api/login') throw error
    await whenSignedIn(init.signal ?? undefined)
  }
}

/** Waits as long as an answer asks for; false where that is no use, or has been done enough. */
function retries(address: string, { method = 'GET', signal }: RequestInit) {
  // What is live has its own way of coming back.
  const mayRetry = method === 'GET' && !address.startsWith('/api/live')
  let tries = 0
  let waitedMs = 0
  return async ({ status, retryAfterSeconds = 1 }: ApiError): Promise<boolean> => {
    const ms = Math.max(retryAfterSeconds, 1) * 1_000
    const isPutOff = status === 429 || status === 503
    if (!mayRetry || !isPutOff || tries >= RETRIES_MAX || waitedMs + ms > RETRIES_MS) return false
    tries += 1
    waitedMs += ms
    await pause(ms, signal ?? undefined)
    return true
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted === true) stop()
  })
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(address, { ...init, credentials: 'same-origin' })
    noteFound()
    return answer
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    noteLost()
    throw connectionLost()
  }
}

/** The message for a change that did not reach the service. The top of the page shows the outage. */
function connectionLost(): ApiError {
  const message = 'The request did not reach the service. Your entries are kept. Try again later.'
  return new ApiError({ status: 0, code: 'connection', message })
}

async function readError(answer: Response): Promise<ApiError> {
  const text = await answer.text()
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const { code = 'unknown', message = '', field, ...rest } = parseObject(text)
  const path = typeof field === 'string' ? field : undefined
  return new ApiError({
    status: answer.status,
    code: String(code),
    message: (await inWords(String(message), path)) || `The service answered ${answer.status}.`,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    path,
    place: placeOf(rest),
  })
}

/** The message in words of the pages. Most people see none, so the words come with the first one. */
async function inWords(message: string, path: string | undefined): Promise<string> {
  if (message === '') return ''
  try {
    const { messageInWords } = await import('./field-words.ts')
    return messageInWords(message, path)
  } catch {
    return message
  }
}

function placeOf({ line, column, pointer }: Record<string, unknown>): TextPlace | undefined {
  if (typeof line !== 'number' || typeof column !== 'number') return undefined
  return { line, column, pointer: String(pointer ?? '') }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

async function readJson(answer: Response): Promise<unknown> {
  const text = await answer.text()
  return text === '' ? undefined : JSON.parse(text)
}

function fillPath(pattern: string, parts: Readonly<Record<string, unknown>> = {}): string {
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => pathPart(String(parts[name])))
}

/** Whether browsers take a part out of every path, escaped or not: by it another call would be made than is meant. */
export function isPathStep(part: string): boolean {
  return part === '.' || part === '..'
}

function pathPart(part: string): string {
  if (!isPathStep(part)) return encodeURIComponent(part)
  const message = `“${part}” cannot be used in a URL. Choose another ID.`
  throw new ApiError({ status: 400, code: 'studio', message })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A flag that is true is written without a value, as the feed's `ret…` parameters are. */
function queryText(query: Readonly<Record<string, unknown>> = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined || value === false) return []
    if (value === true) return [encodeURIComponent(name)]
    // The description spreads an object: every field is a parameter of its own.
    if (isRecord(value)) return [queryText(value).slice(1)].filter((text) => text !== '')
    const values = Array.isArray(value) ? value : [value]
    return values.map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`)
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
