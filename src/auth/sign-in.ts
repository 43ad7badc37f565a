import { PASSWORD_LENGTH_MAX, type RateFigure, refusal, refuse } from '../base/index.ts'
import type { AuditLog } from './audit-log.ts'
import type { PasswordHasher } from './password.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { User, Users } from './users.ts'

/** Somebody who says who they are. */
export interface SignInAttempt {
  readonly email: string
  readonly password: string
  readonly address: string
}

/** What a sign-in stands on. */
interface SignInDeps {
  readonly users: Users
  readonly hasher: PasswordHasher
  readonly limiter: RateLimiter
  readonly audit: AuditLog
  /** How many failures an address may have with one account; undefined: no limit. */
  readonly failedFigure: RateFigure | undefined
}

/** An account may fail from many addresses ten times as often as from one. */
const ACCOUNT_FACTOR = 10
/** One address may fail with many accounts ten times as often as with one. */
const ADDRESS_FACTOR = 10

/**
 * Who signs in with this password. An unknown account and a wrong password get the same refusal
 * after the same work; failures are throttled per address and account.
 */
export async function signIn(deps: SignInDeps, attempt: SignInAttempt): Promise<User> {
  const user = await findRight(deps, attempt)
  if (user === undefined) {
    throw refusal('unauthorized', { what: 'The e-mail address or the password is wrong' })
  }
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
  refuse('reauthenticate', { what: 'currentPassword is wrong: it proves that this is you' })
}

/** The user whose password it is; failures are counted and written down. */
async function findRight(deps: SignInDeps, attempt: SignInAttempt): Promise<User | undefined> {
  const buckets = failureBuckets(deps.failedFigure, attempt)
  for (const { figure, name } of buckets) takeOrRefuse(deps.limiter, figure, name)
  const user = await deps.users.findByEmail(attempt.email)
  const isRight = await verify(deps, user, attempt.password)
  if (user === undefined || !isRight) {
    if (user !== undefined) recordFailure(deps.audit, user, attempt.address)
    return undefined
  }
  // Only failures count.
  for (const { figure, name } of buckets) deps.limiter.giveBack(figure, name)
  return user
}

async function verify(
  { hasher }: SignInDeps,
  user: User | undefined,
  password: string,
): Promise<boolean> {
  const isPossible = password.length <= PASSWORD_LENGTH_MAX
  const isRight = await hasher.verify(isPossible ? password : '', user?.passwordHash)
  return isRight && isPossible
}

function failureBuckets(figure: RateFigure | undefined, { email, address }: SignInAttempt) {
  if (figure === undefined) return []
  const account = email.toLowerCase().slice(0, 256)
  const wider = (factor: number) => ({ calls: figure.calls * factor, perMs: figure.perMs })
  return [
    { figure, name: `sign_in ${address} ${account}` },
    { figure: wider(ACCOUNT_FACTOR), name: `sign_in_account ${account}` },
    { figure: wider(ADDRESS_FACTOR), name: `sign_in_address ${address}` },
  ]
}

function takeOrRefuse(limiter: RateLimiter, figure: RateFigure, name: string): void {
  const { isAllowed, retryAfterSeconds } = limiter.take(figure, name)
  if (!isAllowed) refuse('rate_limited', { retryAfterSeconds })
}

function recordFailure(audit: AuditLog, user: User, address: string): void {
  for (const { orgUid } of user.memberships) {
    audit.recordLater(entryOf('sign_in_failed', orgUid, user, address))
  }
}

function entryOf(act: 'sign_in' | 'sign_in_failed', orgUid: string, user: User, address: string) {
  return { orgUid, act, actor: `user:${user.uid}`, target: '', address, detail: user.email }
}
