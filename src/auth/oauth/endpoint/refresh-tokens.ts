import { CatalogConflict } from '../../../store/index.ts'
import type { CallingClient } from '../client-credentials.ts'
import { isSameHash } from '../client-record.ts'
import { findGrant, type Grant, hashClientSecret, putGrant, revokeGrant } from '../grant-record.ts'
import { type OAuthBase, planGrantActs } from '../oauth-base.ts'
import { refuseOAuth } from '../oauth-error.ts'
import { type OAuthParams, requireParam } from '../oauth-params.ts'
import { grantedScopes, SCOPES, type Scope, scopesOf } from '../scope.ts'
import { showTokens, type TokenAnswer } from '../token-answer.ts'
import {
  crowdedOutTokens,
  findRefreshToken,
  newTokens,
  type RefreshToken,
  spendRefreshToken,
} from '../token-record.ts'

/**
 * grant_type=refresh_token: a refresh token works once and is replaced. A used token that comes back proves
 * that two parties hold it, and which of them is the thief cannot be known, so the whole family of
 * tokens ends (RFC 9700, 4.14.2).
 */
export async function refreshTokens(
  base: OAuthBase,
  params: OAuthParams,
  client: CallingClient,
): Promise<TokenAnswer> {
  const { token, grant } = await loadRefreshToken(base, params, client)
  checkBoundSecret(grant, client)
  if (token.isUsed) await refuseReuse(base, grant)
  if (base.clock.now() >= token.endsAtMs) refuseOAuth('invalid_grant', 'refresh_token has expired')
  const asked = params.get('scope')
  const granted = narrow(grant, asked)
  const tokens = newTokens(base, { grantUid: grant.uid, scope: granted.join(' ') })
  try {
    await base.store.commit([
      spendRefreshToken(token),
      putGrant({ ...grant, refreshedAtMs: base.clock.now() }, tokens.grantEndsAtMs),
      ...tokens.writes,
      ...(await crowdedOutTokens(base, grant.uid)),
    ])
  } catch (error) {
    if (!(error instanceof CatalogConflict)) throw error
    await refuseReuse(base, grant)
  }
  return showTokens(base, tokens, { asked, granted })
}

async function loadRefreshToken(
  base: OAuthBase,
  params: OAuthParams,
  client: CallingClient,
): Promise<{ token: RefreshToken; grant: Grant }> {
  const token = await findRefreshToken(base, requireParam(params, 'refresh_token'))
  const grant = token === undefined ? undefined : await findGrant(base, token.grantUid)
  if (token === undefined || grant === undefined || grant.clientId !== client.clientId) {
    const what = 'refresh_token is unknown, expired, revoked, or was issued to another client'
    refuseOAuth('invalid_grant', what)
  }
  return { token, grant }
}

/**
 * The secret that was passed with the code is needed again (contract, 5.3). A registered client has
 * shown its own secret already, which an administrator may have renewed since.
 */
export function checkBoundSecret(grant: Grant, client: CallingClient): void {
  if (grant.secretHash === '' || client.registration?.isConfidential === true) return
  if (client.secret === undefined) {
    const what = 'client_secret is missing. The code was exchanged with one'
    refuseOAuth('invalid_client', what)
  }
  if (!isSameHash(grant.secretHash, hashClientSecret(grant.uid, client.secret))) {
    refuseOAuth('invalid_client', 'client_secret differs from the one the code was exchanged with')
  }
}

async function refuseReuse(base: OAuthBase, grant: Grant): Promise<never> {
  const { uid: grantUid, userUid, clientName } = grant
  const detail = `${clientName}: a refresh token was used twice`
  const news = { act: 'grant_revoked', grantUid, userUid, detail } as const
  await revokeGrant(base, grantUid, await planGrantActs(base, news))
  refuseOAuth('invalid_grant', 'refresh_token was already used. The grant is revoked')
}

/** Known words narrow the new access token; the refresh token keeps the scope of the grant. */
function narrow(grant: Grant, asked: string | undefined): readonly Scope[] {
  const given = scopesOf(grant.scope)
  const wanted = grantedScopes(asked)
  if (asked === undefined || wanted === SCOPES) return given
  if (!wanted.every((scope) => given.includes(scope))) {
    refuseOAuth('invalid_scope', `scope must be within ${given.join(' ')}`)
  }
  return wanted
}
