import { refuse } from '../../base/index.ts'
import type { Identity } from '../identity.ts'
import type { ShownSession } from '../sessions.ts'
import type { User } from '../users.ts'
import type { ActingCaller } from './acting-caller.ts'
import { requireSelf } from './require-self.ts'

/** The account of the caller, who must have signed in. */
export async function findSelf({ users }: Identity, by: ActingCaller): Promise<User> {
  const userUid = requireSelf(by, 'GET login')
  return (await users.find(userUid)) ?? refuse('not_found', { what: 'Cannot find your account' })
}

/** One page of the caller's own sessions. */
export async function listOwnSessions(
  { sessions }: Identity,
  by: ActingCaller,
  page: { readonly start: number; readonly limit: number },
): Promise<{ sessions: readonly ShownSession[]; totalCount: number }> {
  return sessions.listOf(requireSelf(by, 'GET session'), page, by.callerCheck?.sessionToken)
}

/** Ends one of the caller's own sessions at once. */
export async function endOwnSession(
  { sessions, users, audit }: Identity,
  by: ActingCaller,
  uid: string,
): Promise<void> {
  const userUid = requireSelf(by, 'DELETE session')
  const user = await users.find(userUid)
  const { address, callerCheck } = by
  const acts = (user?.memberships ?? []).map(({ orgUid }) =>
    audit.plan({
      orgUid,
      act: 'session_ended',
      actor: `user:${userUid}`,
      target: uid,
      address,
      detail: '',
      callerCheck,
    }),
  )
  if (await sessions.endOne(userUid, uid, acts)) return
  refuse('not_found', { what: `Cannot find session "${uid.slice(0, 100)}"` })
}
