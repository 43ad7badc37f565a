/** The OAuth endpoints that programs call: tokens, login, revocation, introspection, metadata. */
import { findClientsOrg } from '../../auth/administer/index.ts'
import {
  answerLogin,
  answerTokenRequest,
  introspectToken,
  type OAuthWithUsers,
  type ParamSource,
  revokeToken,
  showMetadata,
} from '../../auth/oauth/index.ts'
import { Refusal } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { IssuerReader } from '../issuer.ts'
import type { Call } from '../table/call.ts'
import { Answer } from '../table/call-answer.ts'
import { NO_STORE, oauthDialect } from '../table/dialect.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'
import {
  introspectionAnswerSchema,
  loginAnswerSchema,
  loginRequestSchema,
  metadataAnswerSchema,
  revocationAnswerSchema,
  tokenAnswerSchema,
  tokenQuestionSchema,
  tokenRequestSchema,
} from '../wire/oauth-wire.ts'

/** What the OAuth operations need. */
interface OAuthOperationsDeps {
  readonly oauth: OAuthWithUsers
  readonly issuerOf: IssuerReader
  readonly gate: Gate
}

/** Longer than any request in use: the parameters have limits of their own. */
const BODY_BYTES_MAX = 16_384

/** A form, JSON or nothing: the endpoints distinguish them themselves. */
const textInput = (schema: object) =>
  ({ kind: 'text', limitBytes: BODY_BYTES_MAX, types: undefined, schema }) as const

const about = {
  methods: ['POST'],
  callers: 'anyone',
  tag: 'oauth',
  security: [],
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
} as const

/** The operations of OAuth that programs call. */
export function oauthOperations({ oauth, issuerOf, gate }: OAuthOperationsDeps): HttpOperation[] {
  const token = { ...about, dialect: oauthDialect, errors: 'oauth' } as const
  return [
    httpOperation({
      ...token,
      name: 'getOAuthTokens',
      path: '/api/oauth_access_token',
      summary: 'Exchange a grant code or a refresh token for tokens',
      input: textInput(tokenRequestSchema),
      answer: tokenAnswerSchema,
      run: async (call) => {
        const tokens = await answerTokenRequest(oauth, signedRequest(call))
        // The contract's content type has no charset.
        const headers = { ...NO_STORE, 'Content-Type': 'application/json' }
        return new Answer(JSON.stringify(tokens), { headers })
      },
    }),
    httpOperation({
      ...token,
      name: 'revokeOAuthToken',
      path: '/api/oauth_revoke',
      summary: 'Revoke a token (RFC 7009)',
      input: textInput(tokenQuestionSchema),
      answer: revocationAnswerSchema,
      run: async (call) => {
        await revokeToken(oauth, signedRequest(call))
        // RFC 7009 has clients ignore the body, yet some read JSON out of every answer.
        return new Answer('{}', { headers: NO_STORE })
      },
    }),
    httpOperation({
      ...token,
      name: 'introspectOAuthToken',
      path: '/api/oauth_introspect',
      summary: 'Introspect a token (RFC 7662)',
      input: textInput(tokenQuestionSchema),
      answer: introspectionAnswerSchema,
      run: async (call) => {
        const administeredOrgUid = await findAdministeredOrg(gate, call)
        const asked = { ...signedRequest(call), issuer: issuerOf(call.exchange.req) }
        const found = await introspectToken(oauth, { ...asked, administeredOrgUid })
        return new Answer(JSON.stringify(found), { headers: NO_STORE })
      },
    }),
    httpOperation({
      ...about,
      name: 'oauthLogin',
      path: '/api/oauth_login',
      summary: 'Get a grant code without a browser',
      input: textInput(loginRequestSchema),
      answer: loginAnswerSchema,
      errors: [400, 401, 403, 408, 413, 415, 429],
      errorHeaders: NO_STORE,
      run: async (call) => {
        const { address } = call
        const answered = await answerLogin(oauth, { source: sourceOf(call), address })
        return new Answer(JSON.stringify(answered), { headers: NO_STORE })
      },
    }),
    ...metadataOperations(issuerOf),
  ]
}

function metadataOperations(issuerOf: IssuerReader): HttpOperation[] {
  const metadata = {
    methods: ['GET'],
    callers: 'anyone',
    run: ({ exchange }: Call) => showMetadata(issuerOf(exchange.req)),
  } as const
  const path = '/.well-known/oauth-authorization-server'
  return [
    httpOperation({
      ...metadata,
      name: 'getOAuthMetadata',
      path,
      tag: 'oauth',
      summary: 'OAuth server metadata (RFC 8414)',
      answer: metadataAnswerSchema,
      security: [],
      errors: [400],
    }),
    // Of an issuer with a path, clients look for the metadata with that path behind (RFC 8414, 3.1).
    httpOperation({ ...metadata, path: `${path}/*` }),
  ]
}

/** The organization whose OAuth clients the caller administers; undefined when nobody signed in. */
async function findAdministeredOrg(gate: Gate, { exchange }: Call): Promise<string | undefined> {
  try {
    const arrival = { exchange, dialect: oauthDialect, countedAs: undefined }
    const { principal } = await gate.admit(arrival)
    return findClientsOrg(principal)
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return undefined
    throw error
  }
}

function signedRequest(call: Call): {
  source: ParamSource
  authorization: string | undefined
} {
  return { source: sourceOf(call), authorization: call.header('authorization') }
}

function sourceOf(call: Call): ParamSource {
  return {
    query: call.queryText,
    contentType: call.header('content-type') ?? '',
    body: typeof call.body === 'string' ? call.body : '',
  }
}
