import { isDelegate } from '../../access/index.ts'
import { refuse } from '../../base/index.ts'
import { OPERATOR } from '../audit-log.ts'
import type { Identity } from '../identity.ts'
import type { ActingCaller } from './acting-caller.ts'

type Proofs = Pick<Identity, 'confirmPassword' | 'confirmSecondFactor'>

/**
 * Refuses with `reauthenticate` unless the person who acts gave their password with the call, and with
 * `second_factor` unless a code came along, where the person has such a factor. For what
 * outlives a session that was left open or a token that was lent: secrets, e-mail addresses, passwords,
 * owners, and the end of an organization. Anyone who uses the command line has the data folder and is not asked.
 */
export async function requirePerson(
  identity: Proofs,
  { principal: { actor }, address, password, otp, callerCheck }: ActingCaller,
): Promise<void> {
  if (actor.kind === 'api_key') {
    refuse('reauthenticate', {
      what: 'API keys and access tokens cannot do this. Sign in and give your password',
    })
  }
  if (actor.userUid === OPERATOR) return
  if (password === undefined) {
    refuse('reauthenticate', {
      what: 'Your password is missing. Send it as "currentPassword" in the body or in the header Weir-Password',
    })
  }
  const { userUid } = actor
  await identity.confirmPassword({ userUid, password, address })
  await identity.confirmSecondFactor({ userUid, otp, address })
  // Passwords wait for their turn to be hashed, and others may take rights away meanwhile.
  await callerCheck?.hold()
}

/** As `requirePerson`, when a token acts: it neither gives access that outlives it nor takes any away by itself. */
export async function requirePersonBehindToken(identity: Proofs, by: ActingCaller): Promise<void> {
  if (by.principal.isToken === true) await requirePerson(identity, by)
}

/**
 * As `requirePerson`, when a token or an API key acts: for what decides which programs may act for
 * people. A key that registers a client could have a user lend it more than the key was given.
 */
export async function requirePersonBehindDelegate(
  identity: Proofs,
  by: ActingCaller,
): Promise<void> {
  if (isDelegate(by.principal)) await requirePerson(identity, by)
}
