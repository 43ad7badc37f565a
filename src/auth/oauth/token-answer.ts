import type { OAuthBase } from './oauth-base.ts'
import { type Scope, saysTheSame } from './scope.ts'
import type { NewTokens } from './token-record.ts'

/** The body of a successful token request (contract, 5.3). */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'bearer'
  readonly expires_in: number
  readonly refresh_token: string
  /** Only where it differs from what was asked (RFC 6749, 5.1). */
  readonly scope?: string
}

/** Shows new tokens to the client that asked. */
export function showTokens(
  base: OAuthBase,
  tokens: NewTokens,
  scope: { readonly asked: string | undefined; readonly granted: readonly Scope[] },
): TokenAnswer {
  const answer: TokenAnswer = {
    access_token: tokens.accessToken,
    token_type: 'bearer',
    expires_in: base.settings.accessTokenSeconds,
    refresh_token: tokens.refreshToken,
  }
  const isAsAsked = saysTheSame(scope.asked, scope.granted)
  return isAsAsked ? answer : { ...answer, scope: scope.granted.join(' ') }
}
