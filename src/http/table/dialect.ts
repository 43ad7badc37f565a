/**
 * How a protocol carries credentials and writes errors. Each operation speaks one dialect; a dialect
 * is the only place that writes errors of its kind.
 */
import type { AdmissionCall } from '../../auth/index.ts'
import { OAuthError } from '../../auth/oauth/index.ts'
import { Refusal, refuse } from '../../base/index.ts'
import { readCallCredentials, readSinkCredentials } from '../admit/read-call.ts'
import { type ErrorReply, errorReply } from '../transport/error-reply.ts'
import type { Exchange } from '../transport/exchange.ts'

/** What a call says of its caller. */
type SentCredentials = Pick<AdmissionCall, 'credential' | 'org' | 'forwardedFor'>

/** The two things in which protocols differ whatever the call is. */
export interface Dialect {
  readonly name: string
  /** Reads where the protocol carries credentials; nothing of it is believed yet. */
  readCredentials(exchange: Exchange): SentCredentials
  /** Refuses a call without a credential in the protocol's words; by default admission does it. */
  requireCredential?(sent: SentCredentials): void
  /** Writes an error: status, headers and body. */
  writeError(error: unknown, exchange: Exchange): ErrorReply
}

/** Ours: credentials in the URL, in cookies, and in headers; errors in the envelope. */
export const weirDialect: Dialect = {
  name: 'weir',
  readCredentials: readCallCredentials,
  writeError: errorReply,
}

const NO_SINK_KEY =
  'The API key is missing. Send it as the parameter or cookie api_key, as Basic authorization (user or password, the other one blank), in the header X-Api-Key, or as Authorization: Bearer'

/** Sinks of connectors: an API key alone, also as Basic; errors in the envelope. */
export const sinkDialect: Dialect = {
  name: 'sink',
  readCredentials: readSinkCredentials,
  requireCredential: ({ credential }) => {
    if (credential === undefined) refuse('unauthorized', { what: NO_SINK_KEY })
  },
  writeError: errorReply,
}

/** Answers with tokens, and whatever comes in their place, are kept by nobody. */
export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** OAuth's endpoints: Basic is for clients and holds no API key; errors in the words of RFC 6749. */
export const oauthDialect: Dialect = {
  name: 'oauth',
  readCredentials: (exchange) => {
    const sent = readCallCredentials(exchange)
    return sent.credential?.place === 'basic' ? { ...sent, credential: undefined } : sent
  },
  writeError: (error, { req }) => {
    const reply = errorReply(error)
    const refused = inOAuthWords(error)
    if (refused === undefined) return { ...reply, headers: { ...NO_STORE, ...reply.headers } }
    const { status, ...body } = refused
    const isBasic = /^basic /i.test(req.headers.authorization ?? '')
    return {
      status,
      code: body.error,
      body: JSON.stringify(body),
      headers: {
        ...NO_STORE,
        'Content-Type': 'application/json',
        ...(status === 401 && isBasic ? BASIC_CHALLENGE : {}),
      },
      incident: undefined,
      reason: reply.reason,
    }
  },
}

const BASIC_CHALLENGE = {
  'www-authenticate': 'Basic realm="Weir OAuth clients", charset="UTF-8"',
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
