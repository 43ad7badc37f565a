/** Signing in and out, and choosing the organization that calls are in. */
import { ApiError } from './api-error.ts'
import { call } from './client.ts'
import { queries } from './query-cache.ts'
import { currentSession, setSession } from './session.ts'

/** What a person types to sign in. */
export interface Credentials {
  readonly email: string
  readonly password: string
  readonly otp?: string
}

/** Looks who has signed in. */
export async function lookWhoIsThere(): Promise<void> {
  try {
    setSession({ state: 'in', person: await call('get', '/api/login') })
  } catch (error) {
    const { status, code } = error as ApiError
    if (status === 401) return setSession({ state: 'out' })
    // The cookie may name an organization that the person has left.
    if (!(error instanceof ApiError) || code === 'connection' || !forgetOrganization()) throw error
    await lookWhoIsThere()
  }
}

/** Signs in; `ApiError` with code `second_factor` asks for a code too. Another person than before starts anew. */
export async function signIn(credentials: Credentials): Promise<void> {
  const before = currentSession()
  await call('post', '/api/login', { body: { ...credentials } })
  await lookWhoIsThere()
  const after = currentSession()
  const isOther =
    before.state === 'over' &&
    after.state === 'in' &&
    before.person.userUid !== after.person.userUid
  if (isOther) location.assign('/')
}

/** Ends the session and forgets what was read. */
export async function signOut(): Promise<void> {
  try {
    await call('delete', '/api/login')
  } catch (error) {
    if ((error as ApiError).status !== 401) throw error
  }
  forgetOrganization()
  queries.clear()
  setSession({ state: 'out' })
}

/** Makes all further calls in another organization of the person; the page begins anew. */
export function chooseOrganization(uid: string): void {
  writeCookie(uid, '; Max-Age=31536000')
  location.assign('/')
}

function forgetOrganization(): boolean {
  const isSet = /(?:^|;\s*)org=[^;]/.test(document.cookie)
  writeCookie('', '; Max-Age=0')
  return isSet
}

function writeCookie(value: string, rest: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the service reads the choice from it, in every browser.
  document.cookie = `org=${encodeURIComponent(value)}; Path=/; SameSite=Lax${secure}${rest}`
}
