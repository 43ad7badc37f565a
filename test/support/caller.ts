import assert from 'node:assert/strict'
import { checkDescribed } from './described-answers.ts'
import type { Service } from './service.ts'

/** A JSON body of which a test knows the shape. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

/** What a call came back with. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Json
}

/** Calls a service: method, path with query, JSON body. */
export type Call = (method: string, path: string, body?: object) => Promise<Answer>

/** A caller that carries a cookie header, such as `session=…` or `api_key=…`, and others when given. */
export function caller(
  service: Pick<Service, 'url'>,
  cookie: string,
  more: Record<string, string> = {},
): Call {
  return async (method, path, body) => {
    const headers: Record<string, string> =
      cookie === '' ? { ...more } : { Cookie: cookie, ...more }
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await answer.text()
    const isJson = text !== '' && answer.headers.get('content-type')?.includes('json') === true
    const { status, headers: answered } = answer
    const contentType = answered.get('content-type')
    checkDescribed({ method, path, status, contentType, text })
    return { status, headers: answered, text, body: isJson ? JSON.parse(text) : undefined }
  }
}

/** Signs a user in; answers the cookie header that carries the session. */
export async function signIn(
  service: Pick<Service, 'url'>,
  email: string,
  password: string,
): Promise<string> {
  const { status, text, body } = await caller(service, '')('POST', '/api/login', {
    email,
    password,
  })
  assert.equal(status, 200, text)
  return `session=${body.sessionUid}`
}
