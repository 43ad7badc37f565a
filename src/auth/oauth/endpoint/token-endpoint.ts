import { authenticateClient } from '../client-credentials.ts'
import type { OAuthBase } from '../oauth-base.ts'
import { refuseOAuth } from '../oauth-error.ts'
import { type ParamSource, readParams, requireParam } from '../oauth-params.ts'
import type { TokenAnswer } from '../token-answer.ts'
import { exchangeCode } from './exchange-code.ts'
import { refreshTokens } from './refresh-tokens.ts'

const KNOWN = [
  'grant_type',
  'code',
  'client_id',
  'client_secret',
  'redirect_uri',
  'refresh_token',
  'state',
  'scope',
  'code_verifier',
]

/**
 * POST /api/oauth_access_token: exchanges a grant code or a refresh token for a pair of tokens.
 *
 * The grants are implemented here, not by a library. One compare-and-set commit spends the code or refresh token and
 * stores its successor; libraries that revoke first and save later cannot guarantee that. The contract also allows
 * clients that are not registered, an optional redirect_uri, and lifetimes in seconds.
 */
export async function answerTokenRequest(
  base: OAuthBase,
  request: { readonly source: ParamSource; readonly authorization: string | undefined },
): Promise<TokenAnswer> {
  const params = readParams(request.source, KNOWN)
  const grantType = requireParam(params, 'grant_type')
  if (grantType !== 'authorization_code' && grantType !== 'refresh_token') {
    refuseOAuth('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token')
  }
  const client = await authenticateClient(base, params, request.authorization)
  return grantType === 'authorization_code'
    ? exchangeCode(base, params, client)
    : refreshTokens(base, params, client)
}
