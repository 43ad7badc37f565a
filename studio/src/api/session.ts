/** Who has signed in, as a store: the first look, an ended session, a sign-in, a sign-out. */
import { useSyncExternalStore } from 'react'
import type { AnswerOf } from './paths.ts'

/** The person and where they belong. */
export type SignedIn = AnswerOf<'/api/login', 'get'>

/** `unknown` until the first look; `over` keeps the person whose session has ended, and their page. */
export type Session =
  | { readonly state: 'unknown' }
  | { readonly state: 'out' }
  /** `isElsewhere`: the address names an organization that the person is no member of. */
  | { readonly state: 'in'; readonly person: SignedIn; readonly isElsewhere?: boolean }
  | { readonly state: 'over'; readonly person: SignedIn }

const listeners = new Set<() => void>()
let session: Session = { state: 'unknown' }
let waiting: Array<() => void> = []

/** Puts a state in place of the one before; callers that wait for a sign-in continue. */
export function setSession(next: Session): void {
  session = next
  for (const listener of listeners) listener()
  if (next.state !== 'in') return
  const waited = waiting
  waiting = []
  for (const goOn of waited) goOn()
}

/** The state at this moment, for code that is no component. */
export function currentSession(): Session {
  return session
}

/** The state, for components. */
export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => session,
  )
}

/** The person who is signed in; only for what is shown below the sign-in. */
export function usePerson(): SignedIn {
  const now = useSession()
  if (now.state !== 'in' && now.state !== 'over') throw new Error('not signed in')
  return now.person
}

/** The caller's role in the organization that is shown. */
export function useRole(): string {
  const { organization, orgUid } = usePerson()
  return organization.find(({ uid }) => uid === orgUid)?.role ?? 'GUEST'
}

/** Asks for a sign-in over the page, and waits until there was one. */
export function whenSignedIn(signal: AbortSignal | undefined): Promise<void> {
  if (session.state === 'in') setSession({ state: 'over', person: session.person })
  else if (session.state === 'unknown') setSession({ state: 'out' })
  return new Promise((resolve, reject) => {
    waiting.push(resolve)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
