/** Signing in and out, and choosing the organization that calls are in. */
import type { ApiError } from './api-error.ts'
import { below } from './base-path.ts'
import { call } from './client.ts'
import {
  askedOrganization,
  forgetOrganization,
  keepOrganization,
  nameOrganization,
  rememberOrganization,
  restoreOrganization,
  tryOrganization,
} from './organization.ts'
import { disownBrowser, ownBrowser, startAnew } from './personal-data.ts'
import { queries } from './query-cache.ts'
import { currentSession, type SignedIn, setSession } from './session.ts'

/** What a person types to sign in. */
export interface Credentials {
  readonly email: string
  readonly password: string
  readonly otp?: string
}

/** Looks who has signed in; the organization that the address names is shown, or marked as foreign. */
export async function lookWhoIsThere(): Promise<void> {
  const asked = askedOrganization()
  if (asked !== '') {
    tryOrganization(asked)
    const person = await findPerson()
    if (person !== undefined) return person === 'nobody' ? signedOut() : signedIn(person)
    restoreOrganization()
  }
  const person = (await findPerson()) ?? (forgetOrganization() ? await findPerson() : undefined)
  if (person === undefined) throw new Error('this account belongs to no organization')
  if (person === 'nobody') return signedOut()
  signedIn(person, { isElsewhere: asked !== '' })
}

/** Who has signed in; undefined where the organization of this tab is none of theirs, or is gone. */
async function findPerson(): Promise<SignedIn | 'nobody' | undefined> {
  try {
    // Browsers log every answer of 401 as an error, so the page does not provoke one before anyone has signed in.
    const { signedIn } = await call('get', '/api/login/session')
    if (!signedIn) return 'nobody'
    return await call('get', '/api/login')
  } catch (error) {
    const { status } = error as ApiError
    if (status === 401) return 'nobody'
    if (status === 404) return undefined
    throw error
  }
}

function signedOut(): void {
  setSession({ state: 'out' })
}

function signedIn(person: SignedIn, { isElsewhere = false } = {}): void {
  const before = currentSession()
  // Calls that wait for a sign-in are those of the person before, and must not go on as another's.
  if (before.state === 'over' && before.person.userUid !== person.userUid) {
    startAnew()
    return
  }
  ownBrowser(person.userUid)
  keepOrganization(person.orgUid)
  nameOrganization(person.organization.length > 1 && !isElsewhere)
  setSession({ state: 'in', person, isElsewhere })
}

/** Signs in; `ApiError` with code `second_factor` asks for a code, too. Another person, or another organization, starts again. */
export async function signIn(credentials: Credentials): Promise<void> {
  const before = currentSession()
  await call('post', '/api/login', { body: { ...credentials } })
  await lookWhoIsThere()
  const after = currentSession()
  const isMoved =
    before.state === 'over' && after.state === 'in' && before.person.orgUid !== after.person.orgUid
  if (isMoved) location.assign(below('/'))
}

/** Ends the session and forgets what was read and typed, in all windows. */
export async function signOut(): Promise<void> {
  try {
    await call('delete', '/api/login')
  } catch (error) {
    if ((error as ApiError).status !== 401) throw error
  }
  forgetOrganization()
  queries.clear()
  setSession({ state: 'out' })
  disownBrowser()
}

/** Makes all further calls of this tab in another organization of the person; the page restarts. */
export function chooseOrganization(uid: string): void {
  rememberOrganization(uid)
  location.assign(below('/'))
}
