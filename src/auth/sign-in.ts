import { networkOf } from '../access/index.ts'
import { PASSWORD_LENGTH_MAX, refusal, refuse } from '../base/index.ts'
import type { AuditLog } from './audit-log.ts'
import type { PasswordHasher } from './password.ts'
import { type DeviceParts, readDeviceToken } from './proof/device-token.ts'
import type { CountedFailure, FailureLimiter } from './proof/failure-limiter.ts'
import type { TaskOwner } from './proof/fair-queue.ts'
import type { KnownPlaces } from './proof/known-places.ts'
import type { SecondFactors } from './proof/second-factors.ts'
import type { User, Users } from './users.ts'

/** Somebody who says who they are. */
export interface SignInAttempt {
  readonly email: string
  readonly password: string
  readonly address: string
  /** What the device was given at a sign-in before. */
  readonly device?: string
  /** A code of the second factor, for accounts that have one. */
  readonly otp?: string
}

/** What a sign-in stands on. */
interface SignInDeps {
  readonly users: Users
  readonly hasher: PasswordHasher
  readonly failures: FailureLimiter
  readonly devices: DeviceParts
  readonly places: KnownPlaces
  readonly factors: SecondFactors
  readonly audit: AuditLog
}

/** No user's UID. */
const NOBODY = 'nobody'
/** An account may fail from many addresses ten times as often as from one. */
const ACCOUNT_FACTOR = 10
/** One address may fail with many accounts ten times as often as with one. */
const ADDRESS_FACTOR = 10

/**
 * Who signs in with this password. An unknown account and a wrong password get the same refusal
 * after the same work; failures are throttled per network and account.
 */
export async function signIn(deps: SignInDeps, attempt: SignInAttempt): Promise<User> {
  const user = await findRight(deps, attempt)
  if (user === undefined) {
    throw refusal('unauthorized', { what: 'The email address or password is wrong' })
  }
  await confirmSecondFactor(deps, { ...attempt, userUid: user.uid })
  deps.places.remember(user.uid, networkOf(attempt.address))
  for (const { orgUid } of user.memberships) {
    deps.audit.recordLater(entryOf('sign_in', orgUid, user, attempt.address))
  }
  return user
}

/** Refuses with `reauthenticate` unless the password is the user's; throttled like a sign-in. */
export async function confirmPassword(
  deps: SignInDeps,
  given: { readonly userUid: string; readonly password: string; readonly address: string },
): Promise<void> {
  const { password, address } = given
  const { email = '' } = (await deps.users.find(given.userUid)) ?? {}
  if ((await findRight(deps, { email, password, address })) !== undefined) return
  refuse('reauthenticate', { what: 'Your password is wrong' })
}

/**
 * Refuses with `second_factor` unless a code of the user's second factor is given, when there is one;
 * wrong ones are throttled per account, wherever they come from: anyone who tries knows the password.
 */
export async function confirmSecondFactor(
  { users, failures, factors, audit }: SignInDeps,
  given: { readonly userUid: string; readonly otp?: string; readonly address: string },
): Promise<void> {
  const { userUid, otp = '', address } = given
  if (!(await factors.stateOf(userUid)).isOn) return
  if (otp === '') {
    refuse('second_factor', {
      what: 'The code from your authenticator app is missing',
      field: 'otp',
    })
  }
  const decision = failures.take([{ name: `second_factor ${userUid}`, factor: 1 }])
  if (!decision.isAllowed) {
    refuse('rate_limited', { retryAfterSeconds: decision.retryAfterSeconds })
  }
  if (await factors.use(userUid, otp)) return failures.giveBack(decision)
  const user = await users.find(userUid)
  if (user !== undefined) recordFailure(audit, user, address)
  const what = 'The code is wrong or was already used. Wait for the next one'
  refuse('second_factor', { what, field: 'otp' })
}

/** The user whose password it is; failures are counted and written down. */
async function findRight(deps: SignInDeps, attempt: SignInAttempt): Promise<User | undefined> {
  const { users, failures, audit } = deps
  const user = await users.findByEmail(attempt.email)
  const { counted, owner } = await queuePlaceOf(deps, user, attempt)
  const decision = failures.take(counted)
  if (!decision.isAllowed) {
    refuse('rate_limited', { retryAfterSeconds: decision.retryAfterSeconds })
  }
  const isRight = await verify(deps, user, attempt.password, owner).catch((error: unknown) => {
    // An attempt that was not checked is not a failure.
    failures.giveBack(decision)
    throw error
  })
  if (user === undefined || !isRight) {
    if (user !== undefined) recordFailure(audit, user, attempt.address)
    return undefined
  }
  failures.giveBack(decision)
  return (await isUnchanged(users, user)) ? user : undefined
}

/** Whether a user still is who they were, with the same password: to be asked after a wait. */
export async function isUnchanged(
  users: Users,
  { uid, email, passwordHash }: User,
): Promise<boolean> {
  const found = await users.findByEmail(email)
  return found?.uid === uid && found.passwordHash === passwordHash
}

async function verify(
  { hasher }: SignInDeps,
  user: User | undefined,
  password: string,
  owner: TaskOwner,
): Promise<boolean> {
  const isPossible = password.length <= PASSWORD_LENGTH_MAX
  const isRight = await hasher.verify(isPossible ? password : '', user?.passwordHash, owner)
  return isRight && isPossible
}

/**
 * What a failure of the attempt counts against, and where it waits. A device or a network from which the
 * user has signed in before has tries of its own, so that failures from other networks lock nobody out.
 */
async function queuePlaceOf(
  { devices, places }: SignInDeps,
  user: User | undefined,
  { email, address, device }: SignInAttempt,
): Promise<{ counted: readonly CountedFailure[]; owner: TaskOwner }> {
  const network = networkOf(address)
  const account = email.toLowerCase().slice(0, 256)
  const isKnownPlace = await places.has(user?.uid ?? NOBODY, network)
  const deviceUid = user === undefined ? undefined : readDeviceToken(devices, user, device)
  const ownName =
    deviceUid === undefined ? `sign_in ${network} ${account}` : `sign_in_device ${deviceUid}`
  const own = { name: ownName, factor: 1 }
  if (deviceUid !== undefined || isKnownPlace) {
    return { counted: [own], owner: { name: account, isKnown: true } }
  }
  const counted = [
    own,
    { name: `sign_in_account ${account}`, factor: ACCOUNT_FACTOR },
    { name: `sign_in_address ${network}`, factor: ADDRESS_FACTOR },
  ]
  return { counted, owner: { name: network, isKnown: false } }
}

function recordFailure(audit: AuditLog, user: User, address: string): void {
  for (const { orgUid } of user.memberships) {
    audit.recordLater(entryOf('sign_in_failed', orgUid, user, address))
  }
}

function entryOf(act: 'sign_in' | 'sign_in_failed', orgUid: string, user: User, address: string) {
  return { orgUid, act, actor: `user:${user.uid}`, target: '', address, detail: user.email }
}
