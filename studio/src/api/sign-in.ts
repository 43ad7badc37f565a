/** Signing in and out, and choosing the organization that calls are in. */
import type { ApiError } from './api-error.ts'
import { call } from './client.ts'
import { forgetOrganization, keepOrganization, rememberOrganization } from './organization.ts'
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
    const person = await call('get', '/api/login')
    keepOrganization(person.orgUid)
    setSession({ state: 'in', person })
  } catch (error) {
    const { status } = error as ApiError
    if (status === 401) return setSession({ state: 'out' })
    // The organization that is remembered may be one that the person has left.
    if (status !== 404 || !forgetOrganization()) throw error
    await lookWhoIsThere()
  }
}

/** Signs in; `ApiError` with code `second_factor` asks for a code too. Another person, or another organization, starts anew. */
export async function signIn(credentials: Credentials): Promise<void> {
  const before = currentSession()
  await call('post', '/api/login', { body: { ...credentials } })
  await lookWhoIsThere()
  const after = currentSession()
  const isOther =
    before.state === 'over' &&
    after.state === 'in' &&
    (before.person.userUid !== after.person.userUid || before.person.orgUid !== after.person.orgUid)
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

/** Makes all further calls of this tab in another organization of the person; the page begins anew. */
export function chooseOrganization(uid: string): void {
  rememberOrganization(uid)
  location.assign('/')
}
