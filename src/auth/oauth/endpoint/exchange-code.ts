import { CatalogConflict } from '../../../store/index.ts'
import type { CallingClient } from '../client-credentials.ts'
import { findCode, type StoredCode, spendCode } from '../code-record.ts'
import {
  crowdedOutGrants,
  type Grant,
  hashClientSecret,
  putGrant,
  revokeGrant,
} from '../grant-record.ts'
import { type OAuthBase, planGrantActs } from '../oauth-base.ts'
import { refuseOAuth } from '../oauth-error.ts'
import { type OAuthParams, requireParam } from '../oauth-params.ts'
import { checkVerifier } from '../pkce.ts'
import { redirectHost } from '../redirect-uri.ts'
import { scopesOf } from '../scope.ts'
import { showTokens, type TokenAnswer } from '../token-answer.ts'
import { newTokens } from '../token-record.ts'

/** grant_type=authorization_code: spends a code once; a second try takes back what it gave. */
export async function exchangeCode(
  base: OAuthBase,
  params: OAuthParams,
  client: CallingClient,
): Promise<TokenAnswer> {
  const code = await loadCode(base, params, client)
  if (code.isUsed) await refuseReuse(base, code)
  checkAge(base, code)
  checkRedirect(code, params.get('redirect_uri'))
  checkVerifier(code.challenge, params.get('code_verifier'))
  const tokens = newTokens(base, { grantUid: code.grantUid, scope: code.scope })
  const grant = grantOf(base, code, client)
  const { uid: grantUid, userUid, clientName: detail } = grant
  const acts = await planGrantActs(base, { act: 'grant_created', grantUid, userUid, detail })
  try {
    await base.store.commit([
      spendCode(base, code),
      putGrant(grant, tokens.grantEndsAtMs),
      ...tokens.writes,
      ...(await crowdedOutGrants(base, grant)),
      ...acts,
    ])
  } catch (error) {
    if (!(error instanceof CatalogConflict)) throw error
    await refuseReuse(base, code)
  }
  const asked = code.askedScope === '' ? undefined : code.askedScope
  return showTokens(base, tokens, { asked, granted: scopesOf(code.scope) })
}

/** A code of another client is as unknown as one that never was: neither is spent by the try. */
async function loadCode(
  base: OAuthBase,
  params: OAuthParams,
  client: CallingClient,
): Promise<StoredCode> {
  const code = await findCode(base, requireParam(params, 'code'))
  if (code === undefined || code.clientId !== client.clientId) {
    refuseOAuth('invalid_grant', 'code is unknown, expired, or was issued to another client')
  }
  return code
}

async function refuseReuse(base: OAuthBase, code: StoredCode): Promise<never> {
  const { grantUid, userUid, clientName } = code
  const detail = `${clientName}: a grant code was used twice`
  const news = { act: 'grant_revoked', grantUid, userUid, detail } as const
  await revokeGrant(base, grantUid, await planGrantActs(base, news))
  refuseOAuth('invalid_grant', 'code was already used. All tokens issued for it are revoked')
}

function checkAge(base: OAuthBase, code: StoredCode): void {
  if (base.clock.now() >= code.endsAtMs) refuseOAuth('invalid_grant', 'code has expired')
}

/** The contract lets redirect_uri be absent here, unlike RFC 6749; a differing one is refused. */
function checkRedirect(code: StoredCode, given: string | undefined): void {
  if (given === undefined || given === code.redirectUri) return
  refuseOAuth('invalid_grant', 'redirect_uri differs from that of the authorization request')
}

function grantOf(base: OAuthBase, code: StoredCode, client: CallingClient): Grant {
  const { grantUid: uid, userUid, clientId, clientName, isRegistered, redirectUri, scope } = code
  const nowMs = base.clock.now()
  return {
    uid,
    revision: 0,
    userUid,
    clientId,
    clientName,
    isRegistered,
    redirectHost: redirectUri === '' ? '' : redirectHost(redirectUri),
    scope,
    secretHash: client.secret === undefined ? '' : hashClientSecret(uid, client.secret),
    createdAtMs: nowMs,
    refreshedAtMs: nowMs,
  }
}
