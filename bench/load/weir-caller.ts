import { OWNER_PASSWORD } from '../peers/weir.ts'

/** Calls Weir's API, and fails unless it answers with 2xx. */
export type Call = (method: string, path: string, body?: object) => Promise<Record<string, never>>

/** Calls as the owner. */
export async function callerOf(port: number): Promise<Call> {
  const call =
    (headers: Record<string, string>): Call =>
    async (method, path, body) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${text}`)
      return text === '' ? {} : JSON.parse(text)
    }
  const login = { email: 'owner@localhost', password: OWNER_PASSWORD }
  const { sessionUid } = await call({})('POST', '/api/login', login)
  return call({ Cookie: `session=${sessionUid}` })
}
