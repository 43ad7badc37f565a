/** Who may do what to the users of an organization, and the acts themselves, each written down. */
import {
  isAdministrator,
  isDelegate,
  type Principal,
  type Role,
  requireCoversRole,
} from '../access/index.ts'
import {
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  readEmail,
  readTimeZone,
  refuse,
  SettingMistake,
} from '../base/index.ts'
import { type AuditAct, actorName } from './audit-log.ts'
import type { Identity } from './identity.ts'
import type { User, UserFields } from './users.ts'

/** Who acts, and from where. */
export interface ActingCaller {
  readonly principal: Principal
  readonly address: string
}

/** A user to be added to an organization. */
export interface NewUser {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly timeZone: string
  readonly role: Role
  /** Needed for a new account, refused for one that exists. */
  readonly password?: string
}

/** What may be changed; `currentPassword` proves that a new password is wanted by its owner. */
export interface UserChanges {
  readonly email?: string
  readonly firstName?: string
  readonly lastName?: string
  readonly timeZone?: string
  readonly role?: Role
  readonly password?: string
  readonly currentPassword?: string
}

const OWNERS_PAGE = 1_000

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

/** Adds a user to the caller's organization; an account that exists keeps its name and password. */
export async function addUser(
  identity: Identity,
  by: ActingCaller,
  wanted: NewUser,
): Promise<User> {
  const { orgUid } = by.principal
  const { role } = wanted
  const email = checked('email', wanted.email, readEmail)
  requireMayGive(by.principal, role)
  requireCoversRole(by.principal, role)
  const known = await identity.users.findByEmail(email)
  if (known?.memberships.some((membership) => membership.orgUid === orgUid)) {
    refuse('claim_taken', { what: `"${email}" belongs to this organization already` })
  }
  if (known !== undefined && wanted.password !== undefined) refuseKnownAccount(email)
  const user =
    known === undefined
      ? await insertUser(identity, { ...wanted, email }, orgUid)
      : await identity.users.update(known, {
          memberships: [...known.memberships, { orgUid, role }],
        })
  await record(identity, by, { act: 'user_added', user, detail: `${email} as ${role}` })
  return user
}

/**
 * Refuses a password for an account that exists. Another organization may have made the account
 * and know its password: who gives one of their own must not believe that it holds.
 */
export function refuseKnownAccount(email: string): never {
  refuse('claim_taken', {
    what: `"${email}" has an account with a password of its own, which stays: leave the password out to add that account, if you trust whoever holds it`,
  })
}

/** Changes a user. Administrators change roles; names and passwords only of users of no other organization. */
export async function changeUser(
  identity: Identity,
  by: ActingCaller,
  uid: string,
  changes: UserChanges,
): Promise<User> {
  const { orgUid } = by.principal
  const { user, role } = await findUserOf(identity, orgUid, uid)
  const isSelf = by.principal.actor.kind === 'user' && by.principal.actor.userUid === uid
  const newRole = changes.role ?? role
  if (newRole !== role) await requireMayChangeRole(identity, by.principal, { user, role, newRole })
  const fields = await readFields(identity, changes, { user, isSelf, by })
  const memberships = user.memberships.map((membership) =>
    membership.orgUid === orgUid ? { orgUid, role: newRole } : membership,
  )
  const changed = await identity.users.update(user, { ...fields, memberships })
  if (fields.passwordHash !== undefined) {
    await identity.endAccessOf(uid)
    await record(identity, by, { act: 'password_changed', user: changed, detail: '' })
  }
  if (newRole !== role) {
    await keepOwner(identity, orgUid)
    await record(identity, by, { act: 'role_changed', user, detail: `${role} to ${newRole}` })
  }
  const { passwordHash: _hash, ...plain } = fields
  const names = Object.keys(plain)
  if (names.length > 0) {
    await record(identity, by, { act: 'user_updated', user: changed, detail: names.join(', ') })
  }
  return changed
}

/** Takes a user out of the caller's organization; an account with no other one goes altogether. */
export async function removeUser(identity: Identity, by: ActingCaller, uid: string): Promise<void> {
  const { orgUid } = by.principal
  const { user, role } = await findUserOf(identity, orgUid, uid)
  await requireMayChangeRole(identity, by.principal, { user, role, newRole: undefined })
  const rest = user.memberships.filter((membership) => membership.orgUid !== orgUid)
  if (rest.length > 0) await identity.users.update(user, { memberships: rest })
  else await identity.users.delete(user)
  if (rest.length === 0) await identity.endAccessOf(uid)
  await keepOwner(identity, orgUid)
  await record(identity, by, { act: 'user_removed', user, detail: user.email })
}

async function insertUser(identity: Identity, wanted: NewUser, orgUid: string): Promise<User> {
  const { email, firstName, lastName, role } = wanted
  if (wanted.password === undefined) {
    refuse('bad_input', { what: 'org_user.password is needed for an account that is new' })
  }
  const fields: UserFields = {
    ...{ email, firstName, lastName },
    timeZone: checked('timeZoneId', wanted.timeZone, readTimeZone),
    passwordHash: await identity.hasher.hash(checkPassword(wanted.password)),
    memberships: [{ orgUid, role }],
  }
  return (await identity.users.insert(fields)).user
}

async function readFields(
  identity: Identity,
  changes: UserChanges,
  about: { readonly user: User; readonly isSelf: boolean; readonly by: ActingCaller },
): Promise<Partial<UserFields>> {
  const { email, firstName, lastName, timeZone, password } = changes
  const { user, isSelf, by } = about
  const fields: Partial<UserFields> = {
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
    ...(email === undefined ? {} : { email: checked('email', email, readEmail) }),
    ...(timeZone === undefined ? {} : { timeZone: checked('timeZoneId', timeZone, readTimeZone) }),
    ...(password === undefined ? {} : { passwordHash: checkPassword(password) }),
  }
  if (Object.keys(fields).length === 0) return fields
  if (!isSelf) requireMayEdit(by.principal, user)
  if (password === undefined) return fields
  if (!isSelf && isDelegate(by.principal)) {
    refuse('forbidden', {
      what: 'An API key or a token with a narrowed scope may not set a password: sign in, or leave org_user.password out',
    })
  }
  if (isSelf && !(await identity.hasher.verify(changes.currentPassword ?? '', user.passwordHash))) {
    refuse('forbidden', { what: 'org_user.currentPassword is wrong: it proves that this is you' })
  }
  return { ...fields, passwordHash: await identity.hasher.hash(password) }
}

function requireMayEdit(principal: Principal, user: User): void {
  if (user.memberships.length > 1) {
    refuse('forbidden', {
      what: 'This user belongs to another organization too: only the role can be changed here',
    })
  }
  const [membership] = user.memberships
  if (membership !== undefined) requireMayGive(principal, membership.role)
}

/**
 * Only owners make owners, and only people who are signed in administrators: an API key or a
 * narrowed token would else gain rights that it was not given.
 */
function requireMayGive(principal: Principal, role: Role): void {
  const { actor } = principal
  if (role === 'OWNER' && !(actor.kind === 'user' && actor.role === 'OWNER')) {
    refuse('forbidden', { what: 'Only an OWNER may decide about an OWNER' })
  }
  if ((role === 'OWNER' || role === 'ADMIN') && isDelegate(principal)) {
    refuse('forbidden', {
      what: `An API key or a token with a narrowed scope may not decide about an ${role}: sign in, or take another role`,
    })
  }
}

async function requireMayChangeRole(
  identity: Identity,
  principal: Principal,
  about: { readonly user: User; readonly role: Role; readonly newRole: Role | undefined },
): Promise<void> {
  const { actor, orgUid } = principal
  if (actor.kind === 'user' && !isAdministrator(principal)) {
    refuse('forbidden', { what: 'Only an OWNER or ADMIN may change roles' })
  }
  if (about.newRole !== undefined) {
    requireMayGive(principal, about.newRole)
    requireCoversRole(principal, about.newRole, about.role)
  }
  requireMayGive(principal, about.role)
  if (about.role !== 'OWNER') return
  const others = (await ownersOf(identity, orgUid)).filter(({ uid }) => uid !== about.user.uid)
  if (others.length === 0) {
    refuse('conflict', { what: 'This is the only OWNER: make another user OWNER first' })
  }
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

/** The organization's owner, whose time zone it uses, is always one who is OWNER. */
async function keepOwner(identity: Identity, orgUid: string): Promise<void> {
  const organization = identity.organizations.find(orgUid)
  const owners = await ownersOf(identity, orgUid)
  if (organization === undefined || owners.length === 0) return
  if (owners.some(({ uid }) => uid === organization.ownerUid)) return
  await identity.organizations.update(organization, { ownerUid: owners[0].uid })
}

function checkPassword(password: string): string {
  if (password.length < PASSWORD_LENGTH_MIN || password.length > PASSWORD_LENGTH_MAX) {
    refuse('bad_input', {
      what: `org_user.password must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`,
    })
  }
  return password
}

function checked(field: string, text: string, read: (text: string) => string): string {
  try {
    return read(text)
  } catch (error) {
    if (!(error instanceof SettingMistake)) throw error
    refuse('bad_input', { what: `org_user.${field} ${error.message}` })
  }
}

function record(
  identity: Identity,
  { principal, address }: ActingCaller,
  about: { readonly act: AuditAct; readonly user: User; readonly detail: string },
): Promise<void> {
  const { act, user, detail } = about
  const { orgUid } = principal
  const actor = actorName(principal)
  return identity.audit.record({ orgUid, act, actor, target: user.uid, address, detail })
}
