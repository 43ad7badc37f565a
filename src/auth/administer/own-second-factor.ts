import { refuse } from '../../base/index.ts'
import type { AuditAct } from '../audit-acts.ts'
import type { Identity } from '../identity.ts'
import { type BegunFactor, type FactorState, refuseBegun } from '../proof/second-factors.ts'
import type { ActingCaller } from './acting-caller.ts'
import { requirePerson } from './require-person.ts'
import { requireSelf } from './require-self.ts'

const NAME = 'second_factor'

/** How the caller stands with the second factor. */
export async function getOwnFactor(identity: Identity, by: ActingCaller): Promise<FactorState> {
  return identity.factors.stateOf(requireSelf(by, `GET ${NAME}`))
}

/** Begins a second factor of the caller, who gives their password with it. */
export async function beginOwnFactor(identity: Identity, by: ActingCaller): Promise<BegunFactor> {
  const userUid = requireSelf(by, `PUT ${NAME}`)
  // Before the password: a code of the one that is on would be spent for nothing.
  if ((await identity.factors.stateOf(userUid)).isOn) refuseBegun()
  await requirePerson(identity, by)
  const user = await identity.users.find(userUid)
  return identity.factors.begin(userUid, user?.email ?? '')
}

/** Puts the begun factor in force when the code is right; answers the recovery codes, once. */
export async function confirmOwnFactor(
  identity: Identity,
  by: ActingCaller,
  code: string,
): Promise<readonly string[]> {
  const userUid = requireSelf(by, `POST ${NAME}`)
  const acts = await planActs(identity, by, { act: 'second_factor_on', userUid })
  return identity.factors.confirm(userUid, code, acts)
}

/** Ends the second factor of the caller, who gives their password and a code with it. */
export async function removeOwnFactor(identity: Identity, by: ActingCaller): Promise<void> {
  const userUid = requireSelf(by, `DELETE ${NAME}`)
  const { isOn } = await identity.factors.stateOf(userUid)
  if (!isOn) refuse('not_found', { what: 'The second factor is not on' })
  await requirePerson(identity, by)
  const acts = await planActs(identity, by, { act: 'second_factor_off', userUid })
  await identity.factors.remove(userUid, acts)
}

/** It is the person's, so all their organizations are listed. */
async function planActs(
  { users, audit }: Identity,
  { address, callerCheck }: ActingCaller,
  { act, userUid }: { readonly act: AuditAct; readonly userUid: string },
) {
  const user = await users.find(userUid)
  const about = { act, actor: `user:${userUid}`, target: userUid, address, callerCheck }
  return (user?.memberships ?? []).map(({ orgUid }) => audit.plan({ orgUid, ...about, detail: '' }))
}
