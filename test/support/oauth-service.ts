import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { checkDescribed } from './described-answers.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'

/** An answer of the service, its body read as JSON when it is. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any
}

/** A running service with short ways to its OAuth calls. */
export interface OAuthService {
  readonly service: Service
  /** Where it listens, whatever its public address is. */
  readonly url: string
  readonly owner: { readonly email: string; readonly password: string }
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** A session token of a user, the owner unless another is given. */
  session(who?: { email: string; password: string }): Promise<string>
  /** What oauth_login answers for the owner, but for what is given. */
  login(given?: Record<string, unknown>): Promise<Answer>
  /** A code of the owner for client c1, by oauth_login. */
  code(given?: Record<string, unknown>): Promise<string>
  /** What the token endpoint answers to a form. */
  token(params: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
  /** Tokens of the owner for client c1. */
  tokens(given?: Record<string, unknown>): Promise<{ access_token: string; refresh_token: string }>
  /** Takes the page's steps for the owner; answers where the browser is sent. */
  authorize(query: Record<string, string>, isAllowed?: boolean): Promise<URL>
  [Symbol.asyncDispose](): Promise<void>
}

export const REDIRECT = 'https://client.example/cb'

/** Starts a service; `await using` stops it. */
export async function startOAuthService(options: ServiceOptions = {}): Promise<OAuthService> {
  const service = await startService(options)
  const { port } = service.app.server
  const url = `http://127.0.0.1:${port}`
  const owner = { email: service.ownerEmail, password: service.ownerPassword }
  const send: OAuthService['send'] = async (method, path, body, headers = {}) => {
    const isForm = body instanceof URLSearchParams || typeof body === 'string'
    const response = await fetch(url + path, {
      method,
      headers: { ...(body === undefined || isForm ? {} : JSON_TYPE), ...headers },
      body: body === undefined || isForm ? body : JSON.stringify(body),
      redirect: 'manual',
    })
    const text = await response.text()
    const contentType = response.headers.get('content-type')
    checkDescribed({ method, path, status: response.status, contentType, text })
    const isJson = contentType?.startsWith('application/json') && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    }
  }
  const { email, password } = owner
  const login: OAuthService['login'] = (given = {}) =>
    send('POST', '/api/oauth_login', {
      email,
      password,
      client_id: 'c1',
      response_type: 'code',
      ...given,
    })
  const code: OAuthService['code'] = async (given) => {
    const { status, body } = await login(given)
    assert.equal(status, 200, JSON.stringify(body))
    return body.oauthCode
  }
  const token: OAuthService['token'] = (params, headers) =>
    send('POST', '/api/oauth_access_token', new URLSearchParams(params), headers)
  const tokens: OAuthService['tokens'] = async (given) => {
    const client_id = String(given?.client_id ?? 'c1')
    const params = { grant_type: 'authorization_code', client_id, code: await code(given) }
    const { status, body } = await token(params)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const session: OAuthService['session'] = async (who = { email, password }) => {
    const { status, body } = await send('POST', '/api/login', who)
    assert.equal(status, 200, JSON.stringify(body))
    return body.sessionUid
  }
  const authorize: OAuthService['authorize'] = async (given, isAllowed = true) => {
    const query = new URLSearchParams(given).toString()
    const asked = await send('POST', '/alt/sign_in', { query, email, password })
    assert.equal(asked.body.step, 'consent', JSON.stringify(asked.body))
    const decided = await send('POST', '/alt/decide', { ticket: asked.body.ticket, isAllowed })
    assert.equal(decided.body.step, 'redirect', JSON.stringify(decided.body))
    return new URL(decided.body.to)
  }
  return {
    service,
    url,
    owner,
    send,
    session,
    login,
    code,
    token,
    tokens,
    authorize,
    [Symbol.asyncDispose]: () => service.close(),
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** A PKCE pair. */
export function newPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Registers a client as the owner and answers its record with the secret. */
export async function registerClient(
  service: OAuthService,
  fields: Record<string, unknown>,
): Promise<{ uid: string; clientId: string; clientSecret?: string }> {
  const session = await service.session()
  const { status, body } = await service.send('PUT', `/api/oauth_client?session=${session}`, {
    oauth_client: { name: 'Dashboard', redirectUris: [REDIRECT], ...fields },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body.oauth_client
}
