import type { FastifyReply, FastifyRequest } from 'fastify'
import { findClientsOrg } from '../../../auth/administer/index.ts'
import {
  answerLogin,
  answerTokenRequest,
  introspectToken,
  OAuthError,
  type OAuthWithUsers,
  type ParamSource,
  revokeToken,
  showMetadata,
} from '../../../auth/oauth/index.ts'
import { invariant, type Log, type MemoryBudget, Refusal } from '../../../base/index.ts'
import type { Gate } from '../../admit/gate.ts'
import type { App } from '../../app-type.ts'
import type { IssuerReader } from '../../issuer.ts'
import { operation } from '../../openapi/answer-schema.ts'
import { textParser } from '../../plugins/body-plugin.ts'
import { sendError } from '../../plugins/error-plugin.ts'
import { oauthDialect } from '../../table/dialect.ts'
import { exchangeOf } from '../../transport/exchange.ts'
import {
  introspectionAnswerSchema,
  loginAnswerSchema,
  loginRequestSchema,
  metadataAnswerSchema,
  revocationAnswerSchema,
  tokenAnswerSchema,
  tokenQuestionSchema,
  tokenRequestSchema,
} from '../../wire/oauth-wire.ts'

/** What the OAuth routes need. */
interface OAuthRoutesDeps {
  readonly log: Log
  readonly oauth: OAuthWithUsers
  readonly issuerOf: IssuerReader
  readonly gate: Gate
  /** What all calls in flight may hold. */
  readonly budget?: MemoryBudget
}

/** Longer than any request in use: the parameters have limits of their own. */
const BODY_BYTES_MAX = 16_384
const consumes = ['application/x-www-form-urlencoded', 'application/json']
const tags = ['oauth']
const security: [] = []

/** Adds the OAuth endpoints that programs call: tokens, login, revocation, introspection, metadata. */
export function oauthRoutes(app: App, deps: OAuthRoutesDeps): void {
  const { oauth, issuerOf } = deps
  app.register(async (scope: App) => {
    readBodiesAsText(scope, deps.budget)
    tokenRoutes(scope, deps)
    scope.post(
      '/api/oauth_login',
      {
        bodyLimit: BODY_BYTES_MAX,
        schema: {
          tags,
          security,
          consumes,
          summary: 'A grant code without a browser',
          ...operation('oauthLogin', loginAnswerSchema),
          'x-errors': [400, 401, 403, 408, 413, 415, 429],
          body: loginRequestSchema,
        },
      },
      async (request, reply) => {
        reply.headers(NO_STORE)
        const address = exchangeOf(request.raw)?.address ?? ''
        return answerLogin(oauth, { source: sourceOf(request), address })
      },
    )
  })
  const metadata = async (request: FastifyRequest) => showMetadata(issuerOf(request.raw))
  const found = operation('getOAuthMetadata', metadataAnswerSchema)
  const summary = 'Where OAuth clients find everything (RFC 8414)'
  const about = { tags, security, ...found, 'x-errors': [400], summary }
  app.get('/.well-known/oauth-authorization-server', { schema: about }, metadata)
  // Of an issuer with a path, clients look for the metadata with that path behind (RFC 8414, 3.1).
  app.get('/.well-known/oauth-authorization-server/*', { schema: { hide: true } }, metadata)
}

/** The endpoints that answer errors in the words of RFC 6749. */
function tokenRoutes(app: App, deps: OAuthRoutesDeps): void {
  const { oauth, issuerOf, log } = deps
  const options = (about: object) => ({
    bodyLimit: BODY_BYTES_MAX,
    errorHandler: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      sendOAuthError(error, { request, reply, log }),
    schema: { tags, security, consumes, 'x-errors': 'oauth' as const, ...about },
  })
  app.post(
    '/api/oauth_access_token',
    options({
      summary: 'Exchange a grant code or a refresh token for tokens',
      body: tokenRequestSchema,
      ...operation('getOAuthTokens', tokenAnswerSchema),
    }),
    async (request, reply) => {
      const tokens = await answerTokenRequest(oauth, callOf(request))
      return sendExactJson(reply.headers(NO_STORE), tokens)
    },
  )
  app.post(
    '/api/oauth_revoke',
    options({
      ...operation('revokeOAuthToken', revocationAnswerSchema),
      summary: 'Give back a token (RFC 7009)',
      body: tokenQuestionSchema,
    }),
    async (request, reply) => {
      reply.headers(NO_STORE)
      await revokeToken(oauth, callOf(request))
      // RFC 7009 has clients ignore the body, yet some read JSON out of every answer.
      return {}
    },
  )
  app.post(
    '/api/oauth_introspect',
    options({
      ...operation('introspectOAuthToken', introspectionAnswerSchema),
      summary: 'What a token may do (RFC 7662)',
      body: tokenQuestionSchema,
    }),
    async (request, reply) => {
      reply.headers(NO_STORE)
      const administeredOrgUid = await findAdministeredOrg(deps.gate, request)
      const issuer = issuerOf(request.raw)
      return introspectToken(oauth, { ...callOf(request), issuer, administeredOrgUid })
    },
  )
}

/** The organization whose OAuth clients the caller administers; undefined when nobody signed in. */
async function findAdministeredOrg(
  gate: Gate,
  request: FastifyRequest,
): Promise<string | undefined> {
  const exchange = exchangeOf(request.raw)
  invariant(exchange !== undefined, 'a request came past our server')
  try {
    const { principal } = await gate.admit({
      exchange,
      dialect: oauthDialect,
      countedAs: undefined,
    })
    return findClientsOrg(principal)
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return undefined
    throw error
  }
}

const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** A form, JSON or nothing: the endpoints tell them apart themselves, so schemas only describe. */
function readBodiesAsText(scope: App, budget: MemoryBudget | undefined): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', textParser(budget))
  scope.setValidatorCompiler(() => () => true)
}

function callOf(request: FastifyRequest): {
  source: ParamSource
  authorization: string | undefined
} {
  return { source: sourceOf(request), authorization: request.headers.authorization }
}

function sourceOf(request: FastifyRequest): ParamSource {
  const queryAt = request.url.indexOf('?')
  return {
    query: queryAt < 0 ? '' : request.url.slice(queryAt + 1),
    contentType: request.headers['content-type'] ?? '',
    body: typeof request.body === 'string' ? request.body : '',
  }
}

function sendOAuthError(
  error: unknown,
  to: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly log: Log },
): void {
  const { request, reply } = to
  reply.headers(NO_STORE)
  const refused = inOAuthWords(error)
  if (refused === undefined) {
    sendError(error, to)
    return
  }
  const { status, ...body } = refused
  if (status === 401 && /^basic /i.test(request.headers.authorization ?? '')) {
    reply.header('www-authenticate', 'Basic realm="Weir OAuth clients", charset="UTF-8"')
  }
  sendExactJson(reply.status(status), body)
}

/** To a text Fastify would add a charset, which the contract's content type does not have. */
function sendExactJson(reply: FastifyReply, body: object): FastifyReply {
  return reply.type('application/json').send(Buffer.from(JSON.stringify(body)))
}

function inOAuthWords(
  error: unknown,
): { status: number; error: string; error_description: string } | undefined {
  if (error instanceof OAuthError) {
    return { status: error.status, error: error.error, error_description: error.message }
  }
  // A body that is too large or does not inflate.
  if (!(error instanceof Refusal) || error.status >= 500) return undefined
  return { status: error.status, error: 'invalid_request', error_description: error.message }
}
