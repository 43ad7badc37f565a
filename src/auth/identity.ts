import { type Clock, capRateFigures, type Log, type RateFigures, refusal } from '../base/index.ts'
import type { CatalogStore, DocumentKey } from '../store/index.ts'
import { noteAccessEnded, resumeAccessEndings } from './access-endings.ts'
import { Admission } from './admission.ts'
import { ApiKeys } from './api-keys.ts'
import { AuditLog } from './audit-log.ts'
import { Authenticator, type BearerAuthenticator } from './authenticator.ts'
import type { OrganizationFence } from './commit/organization-fence.ts'
import { ExportLog } from './export-log.ts'
import { Invitations } from './invitations.ts'
import {
  type Bearer,
  type BearerCache,
  type OAuthBase,
  type OAuthMode,
  type OAuthUsers,
  revokeAllOf,
} from './oauth/index.ts'
import { Organizations } from './organizations.ts'
import { type PasswordCost, PasswordHasher } from './password.ts'
import { makeDeviceToken, readDeviceToken } from './proof/device-token.ts'
import { FailureLimiter } from './proof/failure-limiter.ts'
import { KnownPlaces } from './proof/known-places.ts'
import { SecondFactors } from './proof/second-factors.ts'
import { RateLimiter } from './rate-limiter.ts'
import type { SecretBox } from './secret-box.ts'
import { Sessions } from './sessions.ts'
import {
  confirmPassword,
  confirmSecondFactor,
  isUnchanged,
  type SignInAttempt,
  signIn,
} from './sign-in.ts'
import { type User, Users } from './users.ts'

/** What identity stands on. */
interface IdentityDeps {
  readonly store: CatalogStore
  readonly clock: Clock
  readonly log: Log
  readonly box: SecretBox
  /** The service's own figures; an organization may have others. */
  readonly rateFigures: RateFigures
  /** The widest figures an organization can give itself; undefined: the service's own. */
  readonly rateCeiling?: RateFigures
  readonly oauth: OAuthBase
  /** Around the store: closed for organizations that are deleted. */
  readonly fence?: OrganizationFence
  /** Tokens in memory; it must see every commit of the catalog. */
  readonly bearers: BearerCache
  /** What a hash of a password takes, unless it is the usual. */
  readonly passwordCost?: PasswordCost
}

/** Organizations, users, keys and sessions, and who a call comes from. */
export interface Identity {
  /** The rate limits of an organization as they count: its own, up to the operator's. */
  rateFiguresOf(orgUid: string): RateFigures
  readonly organizations: Organizations
  readonly users: Users
  readonly invitations: Invitations
  readonly keys: ApiKeys
  readonly sessions: Sessions
  readonly audit: AuditLog
  /** Who took data out, for the audit log. */
  readonly exports: ExportLog
  readonly hasher: PasswordHasher
  /** Failed sign-ins and credentials. */
  readonly failures: FailureLimiter
  readonly factors: SecondFactors
  /** Who calls, and whether the rate limit has room. */
  readonly admission: Admission
  /** What the OAuth part asks about users. */
  readonly oauthUsers: OAuthUsers
  signIn(attempt: SignInAttempt): Promise<User>
  /** Opens a session of who has signed in; refuses when their password was changed since. */
  openSession(
    user: User,
    from: { readonly address: string; readonly client: string },
  ): Promise<string>
  /** What the device of a sign-in is to keep; undefined: what it brought is still good. */
  renewDevice(user: User, token: string | undefined): string | undefined
  /** Refuses with `second_factor` unless the code is good, for a user who has a second factor. */
  confirmSecondFactor(given: {
    readonly userUid: string
    readonly otp?: string
    readonly address: string
  }): Promise<void>
  /** Refuses with `reauthenticate` unless the password is the user's. */
  confirmPassword(given: {
    readonly userUid: string
    readonly password: string
    readonly address: string
  }): Promise<void>
  /** Ends a user's sessions and all that OAuth clients have from the user; see `planAccessEnding`. */
  endAccessOf(userUid: string): Promise<void>
  /** Whether unregistered OAuth clients may act in an organization. */
  oauthModeOf(orgUid: string): OAuthMode
  /** Applies commits of another process. Tokens are handled by their own cache. */
  forgetWritten(keys: readonly DocumentKey[]): Promise<void>
  close(): Promise<void>
}

/** Opens the identity part over a catalog; organizations are read into memory. */
export async function openIdentity(deps: IdentityDeps): Promise<Identity> {
  const { clock, rateFigures, oauth } = deps
  const organizations = new Organizations(deps)
  await organizations.load()
  const users = new Users(deps)
  const invitations = new Invitations(deps)
  const keys = new ApiKeys(deps)
  const sessions = new Sessions(deps)
  const audit = new AuditLog(deps)
  const exports = new ExportLog({ ...deps, audit })
  const hasher = new PasswordHasher(deps.passwordCost)
  const limiter = new RateLimiter(clock)
  const failures = new FailureLimiter({ clock, figure: rateFigures.failed })
  const places = new KnownPlaces(deps)
  const factors = new SecondFactors(deps)
  const oauthModeOf = (orgUid: string) =>
    // An organization may be stricter than its service, never laxer.
    organizations.find(orgUid)?.oauth === 'strict' ? 'strict' : oauth.settings.mode
  const bearers = bearerAuthenticator(deps.bearers, oauthModeOf)
  const authenticator = new Authenticator({
    keys,
    sessions,
    users,
    organizations,
    failures,
    bearers,
  })
  const figuresOf = rateFiguresReader(organizations, deps)
  const countChanges = () =>
    keys.generation +
    sessions.generation +
    users.generation +
    organizations.generation +
    deps.bearers.generation
  const signInDeps = { users, hasher, failures, devices: deps, places, factors, audit }
  const enter = (attempt: SignInAttempt) => signIn(signInDeps, attempt)
  const endAccessOf = async (userUid: string) => {
    await sessions.endAllOf(userUid)
    await revokeAllOf(oauth, userUid)
    await places.forget(userUid)
    await noteAccessEnded(deps.store, userUid)
  }
  await resumeAccessEndings(deps.store, endAccessOf)
  return {
    organizations,
    users,
    invitations,
    keys,
    sessions,
    audit,
    exports,
    hasher,
    failures,
    factors,
    rateFiguresOf: figuresOf,
    admission: new Admission({ authenticator, limiter, figuresOf, countChanges }),
    oauthUsers: oauthUsers({ users, organizations, oauthModeOf, signIn: enter }),
    signIn: enter,
    openSession: (user, from) => openSession({ users, sessions }, user, from),
    renewDevice: (user, token) =>
      readDeviceToken(deps, user, token) === undefined ? makeDeviceToken(deps, user) : undefined,
    confirmSecondFactor: (given) => confirmSecondFactor(signInDeps, given),
    confirmPassword: (given) => confirmPassword(signInDeps, given),
    endAccessOf,
    oauthModeOf,
    forgetWritten: (written) => forgetWritten({ users, sessions, keys, organizations }, written),
    close: async () => {
      await sessions.close()
      await places.close()
      await exports.close()
      await audit.close()
    },
  }
}

async function forgetWritten(
  parts: Pick<Identity, 'users' | 'sessions' | 'keys' | 'organizations'>,
  written: readonly DocumentKey[],
): Promise<void> {
  parts.users.forgetWritten(written)
  parts.sessions.forgetWritten(written)
  await parts.keys.forgetWritten(written)
  await parts.organizations.forgetWritten(written)
}

/** A changed password ends the sessions that it finds; one that comes later has to see to it itself. */
async function openSession(
  { users, sessions }: Pick<Identity, 'users' | 'sessions'>,
  user: User,
  from: { readonly address: string; readonly client: string },
): Promise<string> {
  const token = await sessions.open(user.uid, from)
  if (await isUnchanged(users, user)) return token
  await sessions.end(token)
  throw refusal('unauthorized', { what: 'The email address or password is wrong' })
}

/** An organization's figures under the ceiling; what was worked out is kept with its record. */
function rateFiguresReader(
  organizations: Organizations,
  { rateFigures, rateCeiling = rateFigures }: IdentityDeps,
): (orgUid: string) => RateFigures {
  const capped = new WeakMap<RateFigures, RateFigures>()
  return (orgUid) => {
    const own = organizations.find(orgUid)?.rateFigures
    if (own === undefined) return rateFigures
    return capped.getOrInsertComputed(own, () => capRateFigures(own, rateCeiling))
  }
}

function bearerAuthenticator(
  bearers: BearerCache,
  oauthModeOf: (orgUid: string) => OAuthMode,
): BearerAuthenticator {
  const show = (bearer: Bearer | undefined) => {
    if (bearer === undefined) return undefined
    const { grant, scope } = bearer
    const acceptsOrganization = (orgUid: string) =>
      bearer.accepts({ orgUid, mode: oauthModeOf(orgUid) })
    return { userUid: grant.userUid, scope, acceptsOrganization }
  }
  return {
    peekGrant: (token) => show(bearers.peek(token)),
    findGrant: async (token) => show(await bearers.find(token)),
  }
}

function oauthUsers(
  deps: Pick<Identity, 'users' | 'organizations' | 'oauthModeOf' | 'signIn'>,
): OAuthUsers {
  const show = (user: User) => ({ userUid: user.uid, email: user.email, name: nameOf(user) })
  return {
    modeOf: async (orgUid) => deps.oauthModeOf(orgUid),
    signIn: async (attempt) => show(await deps.signIn(attempt)),
    findUser: async (userUid) => {
      const user = await deps.users.find(userUid)
      return user === undefined ? undefined : show(user)
    },
    organizationsOf: async (userUid) => {
      const user = await deps.users.find(userUid)
      const memberships = user?.memberships ?? []
      const open = memberships.filter(({ orgUid }) => !deps.organizations.isGone(orgUid))
      return open.map(({ orgUid, role }) => ({
        orgUid,
        role,
        name: deps.organizations.find(orgUid)?.name ?? '',
        mode: deps.oauthModeOf(orgUid),
      }))
    },
  }
}

/** A user's name as people read it: the e-mail address when there is no other. */
export function nameOf(user: Pick<User, 'firstName' | 'lastName' | 'email'>): string {
  return `${user.firstName} ${user.lastName}`.trim() || user.email
}
