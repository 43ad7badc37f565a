import { refuse } from '../../base/index.ts'
import type { Identity } from '../identity.ts'
import { deletesOf, type Invitation } from '../invitations.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'
import { requireSelf } from './require-self.ts'

const NAME = 'invitation'

/** An invitation as the invited person sees it. */
export interface OwnInvitation extends Invitation {
  readonly organizationName: string
}

/** One page of the invitations that wait for the caller's answer. */
export async function listOwnInvitations(
  { invitations, organizations }: Identity,
  by: ActingCaller,
  page: { readonly start: number; readonly limit: number },
): Promise<{ invitations: readonly OwnInvitation[]; totalCount: number }> {
  const found = await invitations.listOwn(requireSelf(by, `GET ${NAME}`), page)
  const named = found.invitations.map((invitation) => ({
    ...invitation,
    organizationName: organizations.find(invitation.orgUid)?.name ?? '',
  }))
  return { invitations: named, totalCount: found.totalCount }
}

/** Accepts an invitation, which makes the caller a member, or declines it, which reveals nothing about the caller. */
export async function answerInvitation(
  identity: Identity,
  by: ActingCaller,
  uid: string,
  isAccepted: boolean,
): Promise<void> {
  const { users, invitations, organizations, audit } = identity
  const userUid = requireSelf(by, `POST ${NAME}`)
  const user = await users.find(userUid)
  const invitation = await invitations.findOwn(userUid, uid)
  if (user === undefined || invitation === undefined) notFound(uid)
  const { orgUid, role, email } = invitation
  if (!isAccepted) {
    const who = { orgUid, actor: `invitation:${uid}`, target: uid, address: '' }
    const act = audit.plan({
      ...who,
      act: 'invitation_declined',
      detail: email,
      callerCheck: by.callerCheck,
    })
    return invitations.delete(invitation, [act])
  }
  if (organizations.find(orgUid) === undefined) notFound(uid)
  const isMember = user.memberships.some((membership) => membership.orgUid === orgUid)
  const entry = actOf(by, { act: 'user_added', target: userUid, detail: `${email} as ${role}` })
  const also = [...deletesOf(invitation), audit.plan({ ...entry, orgUid })]
  if (isMember) return invitations.delete(invitation, [])
  await users.update(user, { memberships: [...user.memberships, { orgUid, role }] }, also)
}

function notFound(uid: string): never {
  refuse('not_found', { what: `Cannot find invitation "${uid.slice(0, 100)}"` })
}
