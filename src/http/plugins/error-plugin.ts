import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Log, refusal } from '../../base/index.ts'
import type { App } from '../app-type.ts'
import { prefers } from '../transport/accept.ts'
import { errorReply } from '../transport/error-reply.ts'
import { tellReason } from '../transport/exchange.ts'
import { hasUnreadBody } from '../transport/http-reply.ts'
import { lingeringAnswer } from '../transport/linger.ts'
import { pathOf } from '../transport/target.ts'

/** What a browser is shown that opens an address at which nothing is. */
export interface NoPage {
  /** Paths of routes that people see and no program asks for. */
  readonly pagePaths: readonly string[]
  send(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}

interface ErrorDeps {
  readonly log: Log
  readonly noPage?: NoPage
}

/** Gives every error its envelope; tells a wrong method on a known path (405) from no path (404). */
export function errorPlugin(app: App, { log, noPage }: ErrorDeps): void {
  const { methodsOf, isServed } = collectMethods(app, noPage?.pagePaths ?? [])
  app.setErrorHandler((error, request, reply) => {
    sendError(error, { request, reply, log })
  })
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url)
    const allowed = methodsOf(path)
    // A route that serves the method and found nothing at the path, such as a file, says so by coming here.
    if (allowed.length === 0 || allowed.includes(request.method)) {
      // A person who mistypes an address sees a page; what programs ask for begins as a known path does.
      if (noPage !== undefined && !isServed(path) && isNavigation(request)) {
        tellReason(request.raw, { code: 'not_found', reason: undefined })
        return noPage.send(request, reply)
      }
      const what = `There is no ${path.slice(0, 200)} here: see /docs`
      sendError(refusal('not_found', { what }), { request, reply, log })
      return
    }
    reply.header('Allow', allowed.join(', '))
    const what = `Cannot ${request.method} ${path.slice(0, 200)}: use ${allowed.join(' or ')}`
    sendError(refusal('method_not_allowed', { what }), { request, reply, log })
  })
}

/** Answers an error that happened while Fastify served a request. */
export function sendError(
  error: unknown,
  to: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly log: Log },
): void {
  const { status, code, body, headers, incident, reason } = errorReply(error)
  tellReason(to.request.raw, { code, reason })
  if (incident !== undefined) {
    to.log.error({ requestId: to.request.id, incident, error }, 'request failed')
  }
  to.reply.status(status).headers(headers).type('application/json; charset=utf-8')
  if (!hasUnreadBody(to.request.raw)) {
    to.reply.send(body)
    return
  }
  to.reply.header('Connection', 'close').header('Content-Length', Buffer.byteLength(body))
  to.reply.send(lingeringAnswer(to.request.raw, body))
}

/** Whether a browser opens an address: it asks for a page by name, and for nothing it likes better. */
function isNavigation({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && prefers(headers.accept, 'text/html', 'application/json')
}

function collectMethods(
  app: App,
  pagePaths: readonly string[],
): {
  methodsOf(path: string): string[]
  /** Whether a path begins as that of a route does which is no page. */
  isServed(path: string): boolean
} {
  const routes: Array<{ readonly parts: readonly string[]; readonly methods: readonly string[] }> =
    []
  const programParts = new Set<string>()
  app.addHook('onRoute', ({ url, method }) => {
    // Preflights are answered on every path, known or not.
    if (method === 'OPTIONS') return
    const parts = url.split('/')
    routes.push({ parts, methods: [method].flat() })
    if (!pagePaths.includes(url)) programParts.add(parts[1])
  })
  return {
    methodsOf: (path) => {
      const given = path.split('/')
      const serving = routes.filter(({ parts }) => isPathOf(parts, given))
      return [...new Set(serving.flatMap(({ methods }) => methods))]
    },
    isServed: (path) => {
      const [, first] = path.split('/')
      return programParts.has(first)
    },
  }
}

/** Whether a path is one of a route's: a name behind a colon stands for any one part, * for the rest. */
function isPathOf(wanted: readonly string[], given: readonly string[]): boolean {
  const isOpen = wanted.at(-1) === '*'
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return false
  return wanted.every((part, at) => part === '*' || part.startsWith(':') || part === given[at])
}
