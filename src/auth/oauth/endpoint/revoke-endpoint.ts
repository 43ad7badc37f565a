import { authenticateClient } from '../client-credentials.ts'
import { findGrant, type Grant, revokeGrant } from '../grant-record.ts'
import { type OAuthBase, planGrantActs } from '../oauth-base.ts'
import { refuseOAuth } from '../oauth-error.ts'
import { type ParamSource, readParams, requireParam } from '../oauth-params.ts'
import { deleteAccessToken, findAccessToken, findRefreshToken } from '../token-record.ts'
import { checkBoundSecret } from './refresh-tokens.ts'

const KNOWN = ['token', 'token_type_hint', 'client_id', 'client_secret']

/**
 * POST /api/oauth_revoke (RFC 7009): a client gives back a token. A refresh token takes its whole
 * grant along, an access token only itself. A token nobody knows is as good as revoked.
 */
export async function revokeToken(
  base: OAuthBase,
  request: { readonly source: ParamSource; readonly authorization: string | undefined },
): Promise<void> {
  const params = readParams(request.source, KNOWN)
  const text = requireParam(params, 'token')
  const client = await authenticateClient(base, params, request.authorization)
  const checkOwner = (grant: Grant) => {
    if (grant.clientId !== client.clientId) {
      refuseOAuth('invalid_grant', 'token was issued to another client')
    }
    checkBoundSecret(grant, client)
  }
  const access = await findAccessToken(base, text)
  const refresh = access === undefined ? await findRefreshToken(base, text) : undefined
  const grantUid = access?.grantUid ?? refresh?.grantUid
  const grant = grantUid === undefined ? undefined : await findGrant(base, grantUid)
  if (grant === undefined) return
  checkOwner(grant)
  if (access !== undefined) {
    await deleteAccessToken(base, text)
    return
  }
  const { uid, userUid, clientName } = grant
  const detail = `${clientName}: given back by the client`
  const news = { act: 'grant_revoked', grantUid: uid, userUid, detail } as const
  await revokeGrant(base, uid, await planGrantActs(base, news))
}
