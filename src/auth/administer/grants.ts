import type { Method } from '../../access/index.ts'
import { refuse } from '../../base/index.ts'
import { findGrant, type Grant, listGrants, revokeGrant } from '../oauth/index.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'
import type { OAuthParts } from './clients.ts'
import { requirePersonBehindToken } from './require-person.ts'

const NAME = 'oauth_grant'

/** One page of what the caller allowed OAuth clients. */
export async function listOwnGrants(
  { oauth }: OAuthParts,
  by: ActingCaller,
  page: { readonly start: number; readonly limit: number },
): Promise<{ grants: readonly Grant[]; totalCount: number }> {
  return listGrants(oauth, { userUid: requireUser(by, 'GET'), ...page })
}

/** Takes back what the caller allowed an OAuth client. */
export async function revokeOwnGrant(
  { oauth, identity }: OAuthParts,
  by: ActingCaller,
  uid: string,
): Promise<void> {
  const userUid = requireUser(by, 'DELETE')
  const grant = await findGrant(oauth, uid)
  if (grant?.userUid !== userUid) {
    refuse('not_found', { what: `Cannot find oauth_grant "${uid.slice(0, 100)}"` })
  }
  await requirePersonBehindToken(identity, by)
  const act = actOf(by, { act: 'grant_revoked', target: uid, detail: grant.clientName })
  await revokeGrant(oauth, uid, [identity.audit.plan(act)])
}

/** The user whose grants are meant: their own business whatever their role, but not a narrow token's. */
function requireUser({ principal: { actor, scope } }: ActingCaller, method: Method): string {
  if (actor.kind !== 'user') {
    refuse('forbidden', { what: 'Grants belong to users. Sign in instead of using an API key' })
  }
  if (scope !== undefined && !scope.gives(NAME, method)) {
    const what = `The scope of this token does not allow ${method} on ${NAME}. Request a wider scope`
    refuse('insufficient_scope', { what })
  }
  return actor.userUid
}
