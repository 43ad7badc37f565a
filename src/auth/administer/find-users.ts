/** Who belongs to an organization, and who may see it. */
import {
  allows,
  type Method,
  type Principal,
  type Role,
  requirePermit,
} from '../../access/index.ts'
import { refuse } from '../../base/index.ts'
import type { Identity } from '../identity.ts'
import type { Invitation } from '../invitations.ts'
import type { User } from '../users.ts'
import type { ActingCaller } from './acting-caller.ts'

/** Somebody of an organization: a member, or an account that was invited and has not answered. */
export type OrgUser =
  | { readonly user: User; readonly invitation?: undefined }
  | { readonly user?: undefined; readonly invitation: Invitation }

/** One page of the users of the caller's organization by e-mail address, the invited ones last. */
export async function listUsers(
  { users, invitations }: Identity,
  { principal }: ActingCaller,
  { start, limit }: { readonly start: number; readonly limit: number },
): Promise<{ users: readonly OrgUser[]; totalCount: number }> {
  requirePermit(principal, 'org_user', 'GET')
  const members = await users.listFor(principal, { start, limit })
  const from = Math.max(0, start - members.totalCount)
  const room = Math.max(0, limit - Math.max(0, members.totalCount - start))
  const invited = await invitations.listFor(principal, { start: from, limit: room })
  return {
    users: [
      ...members.users.map((user) => ({ user })),
      ...invited.invitations.map((invitation) => ({ invitation })),
    ],
    totalCount: members.totalCount + invited.totalCount,
  }
}

/** One user of the caller's organization; everybody may see themselves. */
export async function getUser(identity: Identity, by: ActingCaller, uid: string): Promise<OrgUser> {
  requireUserPermit(by.principal, uid, 'GET')
  const { orgUid } = by.principal
  const invitation = await identity.invitations.find(orgUid, uid)
  if (invitation !== undefined) return { invitation }
  return { user: (await findUserOf(identity, orgUid, uid)).user }
}

/** The user of a UID in the caller's organization; users of others do not exist for the caller. */
export async function findUserOf(
  identity: Identity,
  orgUid: string,
  uid: string,
): Promise<{ user: User; role: Role }> {
  const user = await identity.users.find(uid)
  const membership = user?.memberships.find((one) => one.orgUid === orgUid)
  if (user === undefined || membership === undefined) {
    refuse('not_found', { what: `Cannot find org_user "${uid.slice(0, 100)}"` })
  }
  return { user, role: membership.role }
}

/** Refuses unless the caller may use a method on a user; everybody may on themselves. */
export function requireUserPermit(principal: Principal, uid: string, method: Method): void {
  if (isOwnRecord(principal, uid)) return
  const { actor } = principal
  const resource = `org_user/${uid}`
  // The user could, whatever the role: it is the token that does not reach.
  if (actor.kind === 'user' && actor.userUid === uid && !allows(principal, resource, method)) {
    const what = `The scope of this token does not allow ${method} on ${resource}. Request a wider scope`
    refuse('insufficient_scope', { what })
  }
  requirePermit(principal, resource, method)
}

/** Whether a user means themselves; a token needs a scope that covers users for it. */
export function isOwnRecord(principal: Principal, uid: string): boolean {
  const { actor, scope } = principal
  if (actor.kind !== 'user' || actor.userUid !== uid) return false
  return (
    scope === undefined || scope.gives('org_user', 'POST') || allows(principal, 'org_user', 'POST')
  )
}
