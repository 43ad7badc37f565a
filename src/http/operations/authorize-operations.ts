/** The page on which users let OAuth clients in, and the three steps that its script takes. */
import {
  beginAuthorization,
  decideAuthorization,
  type OAuthWithUsers,
  signInToAuthorize,
} from '../../auth/oauth/index.ts'
import { type Brand, type Brands, refuse, Type } from '../../base/index.ts'
import { hasForeignOrigin } from '../admit/own-site.ts'
import { DEVICE_COOKIE, readCookie } from '../admit/read-cookie.ts'
import { hostNameOf, hostOf, type IssuerReader } from '../issuer.ts'
import {
  authorizeAssets,
  authorizeHeaders,
  renderAuthorizePage,
} from '../pages/authorize/authorize-page.ts'
import type { Call } from '../table/call.ts'
import { Answer } from '../table/call-answer.ts'
import {
  type CallTarget,
  checkedJson,
  type HttpOperation,
  httpOperation,
} from '../table/http-operation.ts'
import { parseJsonBody } from '../transport/body.ts'
import type { RequestHead } from '../transport/exchange.ts'

/** What the authorization page needs. */
interface AuthorizeOperationsDeps {
  readonly oauth: OAuthWithUsers
  readonly issuerOf: IssuerReader
  readonly brands: Brands
}

const WEIR: Brand = { name: 'Weir', logo: '' }
const BODY_BYTES_MAX = 16_384
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const queryField = Type.String({ maxLength: BODY_BYTES_MAX })

/** The operations of the authorization page. */
export function authorizeOperations(deps: AuthorizeOperationsDeps): HttpOperation[] {
  return [...pageOperations(deps.brands), ...stepOperations(deps)]
}

function pageOperations(brands: Brands): HttpOperation[] {
  const shown = ({ exchange }: Call, posted: string) => {
    const brand = brands.get(hostNameOf(hostOf(exchange.req))) ?? WEIR
    const headers = { ...authorizeHeaders, 'Content-Type': 'text/html; charset=utf-8' }
    return new Answer(renderAuthorizePage(brand, posted), { headers })
  }
  const page = { callers: 'anyone', methods: ['GET'] } as const
  return [
    httpOperation({
      ...page,
      path: '/alt',
      run: ({ exchange: { req } }) => {
        // The fragment with the request's parameters stays on when the browser follows.
        const target = `alt/${(req.url ?? '').slice('/alt'.length)}`
        return new Answer('', { status: 301, headers: { Location: target } })
      },
    }),
    httpOperation({ ...page, path: '/alt/', run: (call) => shown(call, '') }),
    httpOperation({
      ...page,
      methods: ['POST'],
      path: '/alt/',
      errorHeaders: authorizeHeaders,
      input: {
        kind: 'text',
        limitBytes: BODY_BYTES_MAX,
        types: [FORM, JSON_TYPE],
        schema: undefined,
      },
      run: (call) => shown(call, postedQuery(call)),
    }),
    ...Object.entries(authorizeAssets).map(([name, { type, text }]) =>
      httpOperation({
        ...page,
        path: `/alt/${name}`,
        run: () =>
          new Answer(text, { headers: { 'Cache-Control': 'no-cache', 'Content-Type': type } }),
      }),
    ),
  ]
}

/** The body of a POST as a query string, repeated parameters included, for the page to send back. */
function postedQuery({ body, header }: { body: unknown; header: Call['header'] }): string {
  if (typeof body !== 'string') return ''
  if (!header('content-type')?.startsWith(JSON_TYPE)) return body
  const parsed = parseJsonBody(body)
  if (typeof parsed !== 'object' || parsed === null) return ''
  // A value that is no text is shown unchanged: the check of the parameters reports the error.
  const pairs = Object.entries(parsed).map(([name, value]) => [name, textOf(value)])
  return new URLSearchParams(pairs).toString()
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const STEP_HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

const signInBody = Type.Object({
  query: queryField,
  email: Type.String({ minLength: 1, maxLength: 320 }),
  password: Type.String({ minLength: 1, maxLength: 1_024 }),
  otp: Type.Optional(Type.String({ maxLength: 64 })),
})

function stepOperations({ oauth, issuerOf }: AuthorizeOperationsDeps): HttpOperation[] {
  const step = {
    callers: 'anyone',
    methods: ['POST'],
    errorHeaders: STEP_HEADERS,
    readTarget: ({ head }: CallTarget) => requireOwnPage(head, issuerOf),
  } as const
  const answered = (value: unknown) => new Answer(JSON.stringify(value), { headers: STEP_HEADERS })
  return [
    httpOperation({
      ...step,
      path: '/alt/begin',
      input: checkedJson(Type.Object({ query: queryField }), BODY_BYTES_MAX),
      run: async ({ body: { query }, exchange }) => {
        const issuer = issuerOf(exchange.req)
        return answered(await beginAuthorization(oauth, { query, issuer }))
      },
    }),
    httpOperation({
      ...step,
      path: '/alt/sign_in',
      input: checkedJson(signInBody, BODY_BYTES_MAX),
      run: async (call) => {
        const { query, email, password, otp } = call.body
        const device = readCookie(call.header('cookie'), DEVICE_COOKIE)
        const attempt = { email, password, otp, address: call.address, device }
        const context = { query, issuer: issuerOf(call.exchange.req) }
        return answered(await signInToAuthorize(oauth, context, attempt))
      },
    }),
    httpOperation({
      ...step,
      path: '/alt/decide',
      input: checkedJson(
        Type.Object({ ticket: Type.String({ maxLength: 64 }), isAllowed: Type.Boolean() }),
        BODY_BYTES_MAX,
      ),
      run: async ({ body, exchange }) =>
        answered(await decideAuthorization(oauth, { issuer: issuerOf(exchange.req) }, body)),
    }),
  ]
}

/** Another site's page can neither sign somebody in here nor answer for them. */
function requireOwnPage(head: RequestHead, issuerOf: IssuerReader): void {
  const { headers } = head
  const site = headers['sec-fetch-site']
  const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '')
  const isOwn =
    site === undefined
      ? !hasForeignOrigin(headers, URL.parse(issuerOf(head))?.origin)
      : site === 'same-origin'
  if (isOwn && isJson) return
  refuse('forbidden', { what: 'Only the authorization page can send this request' })
}
