/** Who may assign which role, and what a role change affects. */
import {
  isAdministrator,
  isDelegate,
  type Principal,
  type Role,
  requireCoversRole,
} from '../../access/index.ts'
import { refuse } from '../../base/index.ts'
import type { CatalogWrite } from '../../store/index.ts'
import type { Identity } from '../identity.ts'
import type { User } from '../users.ts'

const OWNERS_PAGE = 1_000

/**
 * Only owners make owners, and only people who are signed in administrators: an API key or a
 * narrowed token would else gain rights that it was not given.
 */
export function requireMayGive(principal: Principal, role: Role): void {
  const { actor } = principal
  if (role === 'OWNER' && !(actor.kind === 'user' && actor.role === 'OWNER')) {
    refuse('forbidden', { what: 'Only an OWNER can add, change, or remove an OWNER' })
  }
  if ((role === 'OWNER' || role === 'ADMIN') && isDelegate(principal)) {
    refuse('forbidden', {
      what: `An API key or an access token cannot add, change, or remove an ${role}. Sign in, or use another role`,
    })
  }
}

/**
 * The writes that go along with a change of role, when it is allowed: the organization's owner, whose
 * time zone it uses, is always one who is OWNER. The organization is written whenever an OWNER goes, so
 * that of two who go at once only one can, and never the last.
 */
export async function planRoleChange(
  identity: Identity,
  principal: Principal,
  about: { readonly user: User; readonly role: Role; readonly newRole: Role | undefined },
): Promise<CatalogWrite[]> {
  const { actor, orgUid } = principal
  const isLeaving =
    about.newRole === undefined && actor.kind === 'user' && actor.userUid === about.user.uid
  if (actor.kind === 'user' && !isLeaving && !isAdministrator(principal)) {
    refuse('forbidden', { what: 'Only an OWNER or ADMIN can change roles' })
  }
  if (about.newRole !== undefined) {
    requireMayGive(principal, about.newRole)
    requireCoversRole(principal, about.newRole, about.role)
  }
  requireMayGive(principal, about.role)
  if (about.role !== 'OWNER') return []
  const organization = identity.organizations.find(orgUid)
  const others = (await ownersOf(identity, orgUid)).filter(({ uid }) => uid !== about.user.uid)
  if (others.length === 0) {
    refuse('conflict', { what: 'This is the only OWNER: make another user OWNER first' })
  }
  if (organization === undefined) return []
  const isKept = others.some(({ uid }) => uid === organization.ownerUid)
  const ownerUid = isKept ? organization.ownerUid : others[0].uid
  return [identity.organizations.planUpdate(organization, { ownerUid })]
}

async function ownersOf(identity: Identity, orgUid: string): Promise<User[]> {
  const owners: User[] = []
  for (let start = 0; ; start += OWNERS_PAGE) {
    const { users, totalCount } = await identity.users.listOf(orgUid, { start, limit: OWNERS_PAGE })
    const isOwner = (user: User) =>
      user.memberships.some((one) => one.orgUid === orgUid && one.role === 'OWNER')
    owners.push(...users.filter(isOwner))
    if (start + OWNERS_PAGE >= totalCount) return owners
  }
}
