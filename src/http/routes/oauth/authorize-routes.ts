import type { FastifyRequest } from 'fastify'
import {
  beginAuthorization,
  decideAuthorization,
  type OAuthWithUsers,
  signInToAuthorize,
} from '../../../auth/oauth/index.ts'
import { type Brand, type Brands, type MemoryBudget, refuse, Type } from '../../../base/index.ts'
import { hasForeignOrigin } from '../../admit/own-site.ts'
import { DEVICE_COOKIE, readCookie } from '../../admit/read-cookie.ts'
import type { App } from '../../app-type.ts'
import { hostNameOf, hostOf, type IssuerReader } from '../../issuer.ts'
import {
  authorizeAssets,
  authorizeHeaders,
  renderAuthorizePage,
} from '../../pages/authorize/authorize-page.ts'
import { textParser } from '../../plugins/body-plugin.ts'
import { parseJsonBody } from '../../transport/body.ts'
import { exchangeOf } from '../../transport/exchange.ts'

/** What the authorization page needs. */
interface AuthorizeRoutesDeps {
  readonly oauth: OAuthWithUsers
  readonly issuerOf: IssuerReader
  readonly brands: Brands
  /** What all calls in flight may hold. */
  readonly budget?: MemoryBudget
}

const WEIR: Brand = { name: 'Weir', logo: '' }
const BODY_BYTES_MAX = 16_384
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const hidden = { hide: true } as const
const queryField = Type.String({ maxLength: BODY_BYTES_MAX })

/** Adds the page on which users let clients in, and the three steps its script takes. */
export function authorizeRoutes(app: App, deps: AuthorizeRoutesDeps): void {
  pageRoutes(app, deps)
  stepRoutes(app, deps)
}

function pageRoutes(app: App, { brands, budget }: AuthorizeRoutesDeps): void {
  const page = (request: FastifyRequest, posted: string) =>
    renderAuthorizePage(brands.get(hostNameOf(hostOf(request.raw))) ?? WEIR, posted)
  app.get('/alt', { schema: hidden }, async (request, reply) =>
    // The fragment with the request's parameters stays on when the browser follows.
    reply.redirect(`alt/${request.url.slice('/alt'.length)}`, 301),
  )
  app.get('/alt/', { schema: hidden }, async (request, reply) =>
    reply.headers(authorizeHeaders).type(HTML).send(page(request, '')),
  )
  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser([FORM, JSON_TYPE], textParser(budget))
    scope.post('/alt/', { schema: hidden, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
      return reply
        .headers(authorizeHeaders)
        .type(HTML)
        .send(page(request, postedQuery(request)))
    })
  })
  for (const [name, { type, text }] of Object.entries(authorizeAssets)) {
    app.get(`/alt/${name}`, { schema: hidden }, async (_request, reply) =>
      reply.header('cache-control', 'no-cache').type(type).send(text),
    )
  }
}

const HTML = 'text/html; charset=utf-8'

/** The body of a POST as a query string, repeated parameters included, for the page to send back. */
function postedQuery({ body, headers }: FastifyRequest): string {
  if (typeof body !== 'string') return ''
  if (!headers['content-type']?.startsWith(JSON_TYPE)) return body
  const parsed = parseJsonBody(body)
  if (typeof parsed !== 'object' || parsed === null) return ''
  // A value that is no text is shown as it came: the check of the parameters tells what is wrong.
  const pairs = Object.entries(parsed).map(([name, value]) => [name, textOf(value)])
  return new URLSearchParams(pairs).toString()
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function stepRoutes(app: App, { oauth, issuerOf }: AuthorizeRoutesDeps): void {
  const contextOf = (request: FastifyRequest<{ Body: { query: string } }>) => ({
    query: request.body.query,
    issuer: issuerOf(request.raw),
  })
  const options = <S>(body: S) => ({
    bodyLimit: BODY_BYTES_MAX,
    schema: { ...hidden, body },
    onRequest: requireOwnPage(issuerOf),
  })
  app.post('/alt/begin', options(Type.Object({ query: queryField })), async (request, reply) => {
    reply.headers(STEP_HEADERS)
    return beginAuthorization(oauth, contextOf(request))
  })
  const signIn = Type.Object({
    query: queryField,
    email: Type.String({ minLength: 1, maxLength: 320 }),
    password: Type.String({ minLength: 1, maxLength: 1_024 }),
    otp: Type.Optional(Type.String({ maxLength: 64 })),
  })
  app.post('/alt/sign_in', options(signIn), async (request, reply) => {
    reply.headers(STEP_HEADERS)
    const { email, password, otp } = request.body
    const address = exchangeOf(request.raw)?.address ?? ''
    const device = readCookie(request.headers.cookie, DEVICE_COOKIE)
    const attempt = { email, password, otp, address, device }
    return signInToAuthorize(oauth, contextOf(request), attempt)
  })
  const decide = Type.Object({ ticket: Type.String({ maxLength: 64 }), isAllowed: Type.Boolean() })
  app.post('/alt/decide', options(decide), async (request, reply) => {
    reply.headers(STEP_HEADERS)
    return decideAuthorization(oauth, { issuer: issuerOf(request.raw) }, request.body)
  })
}

const STEP_HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/** Another site's page can neither sign somebody in here nor answer for them. */
function requireOwnPage(issuerOf: IssuerReader) {
  return async (request: FastifyRequest): Promise<void> => {
    const { headers } = request
    const site = headers['sec-fetch-site']
    const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '')
    const isOwn =
      site === undefined
        ? !hasForeignOrigin(headers, URL.parse(issuerOf(request.raw))?.origin)
        : site === 'same-origin'
    if (isOwn && isJson) return
    refuse('forbidden', { what: 'Only the authorization page itself may take its steps' })
  }
}
