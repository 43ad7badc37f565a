/** Who may do what to the users of an organization, and the acts themselves, each written down. */
import {
  isDelegate,
  type Principal,
  type Role,
  requireCoversRole,
  requirePermit,
} from '../../access/index.ts'
import { newUid, readEmail, readTimeZone, refuse, SettingMistake } from '../../base/index.ts'
import { CatalogConflict, type CatalogWrite } from '../../store/index.ts'
import { planAccessEnding } from '../access-endings.ts'
import type { AuditAct } from '../audit-acts.ts'
import { OPERATOR } from '../audit-log.ts'
import type { Identity } from '../identity.ts'
import { deletesOf, type Invitation } from '../invitations.ts'
import { findPasswordWeakness, type PasswordPerson } from '../proof/password-rules.ts'
import type { Membership, User, UserFields } from '../users.ts'
import { type ActingCaller, actOf, isOperator, taskOwnerOf } from './acting-caller.ts'
import { findUserOf, isOwnRecord, type OrgUser, requireUserPermit } from './find-users.ts'
import { requirePerson, requirePersonBehindToken } from './require-person.ts'
import { planRoleChange, requireMayGive } from './user-roles.ts'

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

/** What may be changed. */
export interface UserChanges {
  readonly email?: string
  readonly firstName?: string
  readonly lastName?: string
  readonly timeZone?: string
  readonly role?: Role
  readonly password?: string
}

/** A person changes their own record a few times while it is removed, not for ever. */
const TRIES_MAX = 8

/** A user that is not saved. */
export function makeUser({ principal }: ActingCaller): Omit<NewUser, 'password'> {
  requirePermit(principal, 'org_user', 'GET')
  return { email: '', firstName: '', lastName: '', timeZone: 'UTC', role: 'MEMBER' }
}

/** Adds a user to the caller's organization; an account that exists is invited and decides itself. */
export async function addUser(
  identity: Identity,
  by: ActingCaller,
  wanted: NewUser,
): Promise<OrgUser> {
  requirePermit(by.principal, 'org_user', 'PUT')
  const { orgUid } = by.principal
  const { role } = wanted
  const email = checked('email', wanted.email, readEmail)
  requireMayGive(by.principal, role)
  requireCoversRole(by.principal, role)
  const known = await identity.users.findByEmail(email)
  if (known?.memberships.some((membership) => membership.orgUid === orgUid)) {
    const what = `"${email}" already belongs to this organization`
    refuse('claim_taken', { what, field: 'org_user.email' })
  }
  if (role === 'OWNER') await requirePerson(identity, by)
  else await requirePersonBehindToken(identity, by)
  const uid = known?.uid ?? newUid()
  const detail = `${email} as ${role}`
  const act = planAct(identity, by, { act: 'user_added', uid, detail })
  if (known === undefined) {
    return { user: await insertUser(identity, by, { ...wanted, email, uid }, [act]) }
  }
  if (wanted.password !== undefined) refuseKnownAccount(email)
  if (isOperator(by)) return { user: await letIn(identity, known, { orgUid, role }, act) }
  const invitation = await identity.invitations.insert(
    { orgUid, userUid: known.uid, email, role },
    // The account's own UID would reveal the account before it has agreed.
    (invited) => [planAct(identity, by, { act: 'user_invited', uid: invited, detail })],
  )
  return { invitation }
}

/** Anyone who holds the machine could write the membership by hand: they are not asked to wait. */
async function letIn(
  { users, invitations }: Identity,
  user: User,
  membership: Membership,
  act: CatalogWrite,
): Promise<User> {
  const invitation = await invitations.findFor(membership.orgUid, user.uid)
  const answered = invitation === undefined ? [] : deletesOf(invitation)
  return users.update(user, { memberships: [...user.memberships, membership] }, [...answered, act])
}

/**
 * Refuses a password for an account that exists. Another organization may have made the account
 * and know its password: who gives one of their own must not believe that it holds.
 */
export function refuseKnownAccount(email: string): never {
  refuse('claim_taken', {
    what: `"${email}" already has an account with a password. To add that account, leave the password out. Do so only if you trust its holder`,
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
  requireUserPermit(by.principal, uid, 'POST')
  const { user, role } = await findUserOf(identity, orgUid, uid)
  const newRole = changes.role ?? role
  const owners =
    newRole === role ? [] : await planRoleChange(identity, by.principal, { user, role, newRole })
  const fields = await readFields(identity, changes, { user, isSelf: isSelf(by, uid), by })
  await requirePersonFor(identity, by, { user, role, newRole, fields })
  const memberships = user.memberships.map((membership) =>
    membership.orgUid === orgUid ? { orgUid, role: newRole } : membership,
  )
  const acts = changeActs(fields, { role, newRole }).map((about) =>
    planAct(identity, by, { ...about, uid }),
  )
  const isLocked = fields.passwordHash !== undefined
  const changed = await identity.users.update(user, { ...fields, memberships }, [
    ...owners,
    ...acts,
    ...(isLocked ? [planAccessEnding(uid)] : []),
  ])
  if (owners.length > 0) await identity.organizations.reload(orgUid)
  if (isLocked) await identity.endAccessOf(uid)
  return changed
}

/**
 * Takes a user out of the caller's organization, an invitation back, or the caller themselves away; an
 * account with no other organization goes altogether.
 */
export async function removeUser(identity: Identity, by: ActingCaller, uid: string): Promise<void> {
  const isLeaving = isOwnRecord(by.principal, uid)
  requireUserPermit(by.principal, uid, 'DELETE')
  const { orgUid } = by.principal
  const invitation = await identity.invitations.find(orgUid, uid)
  if (invitation !== undefined) return withdraw(identity, by, invitation)
  const act = isLeaving ? 'user_left' : 'user_removed'
  // Hashing takes long and a code is good once: who has proved to be there is not asked again.
  let isProved = false
  const isGone = await lookAgain(identity, orgUid, async () => {
    const { user, role } = await findUserOf(identity, orgUid, uid)
    const about = { user, role, newRole: undefined }
    const owners = await planRoleChange(identity, by.principal, about)
    if (!isProved && role === 'OWNER') await requirePerson(identity, by)
    else if (!isProved) await requirePersonBehindToken(identity, by)
    isProved = role === 'OWNER' || by.principal.isToken === true
    const rest = user.memberships.filter((membership) => membership.orgUid !== orgUid)
    const also = [...owners, planAct(identity, by, { act, uid, detail: user.email })]
    if (rest.length > 0) await identity.users.update(user, { memberships: rest }, also)
    else await identity.users.delete(user, also)
    if (owners.length > 0) await identity.organizations.reload(orgUid)
    return rest.length === 0
  })
  if (!isGone) return
  await identity.endAccessOf(uid)
  await identity.invitations.deleteAllFor(uid)
  await identity.factors.remove(uid)
}

/** Runs an act on a user again when the record was written by others meanwhile. */
async function lookAgain<T>(
  { organizations }: Identity,
  orgUid: string,
  act: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof CatalogConflict) || tries >= TRIES_MAX) throw error
      await organizations.reload(orgUid)
    }
  }
}

async function withdraw(
  identity: Identity,
  by: ActingCaller,
  invitation: Invitation,
): Promise<void> {
  const { uid, role, email } = invitation
  requireMayGive(by.principal, role)
  await requirePersonBehindToken(identity, by)
  const act = planAct(identity, by, { act: 'invitation_withdrawn', uid, detail: email })
  await identity.invitations.delete(invitation, [act])
}

/** Sets a user's password from the command line; ends all access that was given under the old one. */
export async function resetPassword(
  identity: Identity,
  email: string,
  password: string,
): Promise<User> {
  const user = await identity.users.findByEmail(email)
  if (user === undefined) refuse('not_found', { what: `Cannot find user "${email}"` })
  const organizations = namesOf(identity, user.memberships)
  const passwordHash = await identity.hasher.hash(
    checkPassword(password, { ...user, organizations }),
  )
  const { uid: target } = user
  const acts = user.memberships.map(({ orgUid }) =>
    identity.audit.plan({
      orgUid,
      act: 'password_changed',
      actor: OPERATOR,
      target,
      address: '',
      detail: email,
    }),
  )
  // Anyone who has lost the authenticator and the codes has nobody else to ask.
  const along = [...acts, planAccessEnding(target), identity.factors.planRemove(target)]
  const changed = await identity.users.update(user, { passwordHash }, along)
  await identity.endAccessOf(target)
  return changed
}

/** Anyone who changes an e-mail address, a password or an owner gives their own password. */
async function requirePersonFor(
  identity: Identity,
  by: ActingCaller,
  change: {
    readonly user: User
    readonly role: Role
    readonly newRole: Role
    readonly fields: Partial<UserFields>
  },
): Promise<void> {
  const { user, role, newRole, fields } = change
  const isOfOwner = newRole !== role && (newRole === 'OWNER' || role === 'OWNER')
  const hasEmail = fields.email !== undefined && fields.email !== user.email
  if (isOfOwner || hasEmail || fields.passwordHash !== undefined) await requirePerson(identity, by)
  else if (newRole !== role) await requirePersonBehindToken(identity, by)
}

function isSelf({ principal: { actor } }: ActingCaller, uid: string): boolean {
  return actor.kind === 'user' && actor.userUid === uid
}

function changeActs(
  { passwordHash, ...plain }: Partial<UserFields>,
  { role, newRole }: { readonly role: Role; readonly newRole: Role },
): { act: AuditAct; detail: string }[] {
  const names = Object.keys(plain)
  return [
    ...(passwordHash === undefined ? [] : [{ act: 'password_changed', detail: '' } as const]),
    ...(newRole === role
      ? []
      : [{ act: 'role_changed', detail: `${role} to ${newRole}` } as const]),
    ...(names.length === 0 ? [] : [{ act: 'user_updated', detail: names.join(', ') } as const]),
  ]
}

async function insertUser(
  identity: Identity,
  by: ActingCaller,
  wanted: NewUser & { readonly uid: string },
  also: readonly CatalogWrite[],
): Promise<User> {
  const { orgUid } = by.principal
  const { email, firstName, lastName, role, uid } = wanted
  if (wanted.password === undefined) {
    const field = 'org_user.password'
    refuse('bad_input', { what: `${field} is required for a new account`, field })
  }
  const person = { ...wanted, organizations: namesOf(identity, [{ orgUid }]) }
  const fields: UserFields = {
    email,
    firstName,
    lastName,
    timeZone: checked('timeZoneId', wanted.timeZone, readTimeZone),
    passwordHash: await identity.hasher.hash(
      checkPassword(wanted.password, person),
      taskOwnerOf(by),
    ),
    memberships: [{ orgUid, role }],
  }
  return (await identity.users.insert(fields, { uid, also })).user
}

async function readFields(
  identity: Identity,
  changes: UserChanges,
  about: { readonly user: User; readonly isSelf: boolean; readonly by: ActingCaller },
): Promise<Partial<UserFields>> {
  const { email, firstName, lastName, timeZone, password } = changes
  const { user, isSelf, by } = about
  const organizations = namesOf(identity, user.memberships)
  const names = {
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
  }
  const fields: Partial<UserFields> = {
    ...names,
    ...(email === undefined ? {} : { email: readChangedEmail(email, user) }),
    ...(timeZone === undefined ? {} : { timeZone: checked('timeZoneId', timeZone, readTimeZone) }),
    ...(password === undefined
      ? {}
      : { passwordHash: checkPassword(password, { ...user, ...names, organizations }) }),
  }
  if (Object.keys(fields).length === 0) return fields
  if (!isSelf) requireMayEdit(by.principal, user)
  if (password === undefined) return fields
  if (!isSelf && isDelegate(by.principal)) {
    refuse('forbidden', {
      what: 'An API key or an access token cannot set a password. Sign in, or leave out org_user.password',
    })
  }
  return { ...fields, passwordHash: await identity.hasher.hash(password, taskOwnerOf(by)) }
}

/** A record sent back unchanged is fine, also with an address that would not be taken today. */
function readChangedEmail(email: string, user: User): string {
  return email === user.email ? email : checked('email', email, readEmail)
}

function requireMayEdit(principal: Principal, user: User): void {
  if (user.memberships.length > 1) {
    refuse('forbidden', {
      what: 'This user also belongs to another organization. Only the role can be changed here',
    })
  }
  const [membership] = user.memberships
  if (membership !== undefined) requireMayGive(principal, membership.role)
}

/** The names of organizations, as every colleague knows them. */
function namesOf(
  { organizations }: Identity,
  memberships: readonly Pick<Membership, 'orgUid'>[],
): string[] {
  return memberships.flatMap(({ orgUid }) => organizations.find(orgUid)?.name ?? [])
}

function checkPassword(password: string, person: PasswordPerson): string {
  const weakness = findPasswordWeakness(password, person)
  const field = 'org_user.password'
  if (weakness !== undefined) refuse('bad_input', { what: `${field} ${weakness}`, field })
  return password
}

function checked(field: string, text: string, read: (text: string) => string): string {
  try {
    return read(text)
  } catch (error) {
    if (!(error instanceof SettingMistake)) throw error
    refuse('bad_input', { what: `org_user.${field} ${error.message}`, field: `org_user.${field}` })
  }
}

function planAct(
  { audit }: Identity,
  by: ActingCaller,
  { act, uid, detail }: { readonly act: AuditAct; readonly uid: string; readonly detail: string },
): CatalogWrite {
  return audit.plan(actOf(by, { act, target: uid, detail }))
}
