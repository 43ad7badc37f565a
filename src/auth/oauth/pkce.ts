import { createHash, timingSafeEqual } from 'node:crypto'
import { refuseOAuth } from './oauth-error.ts'
import type { OAuthParams } from './oauth-params.ts'

/**
 * The S256 challenge of an authorization request, '' when it has none. `plain` is refused: anyone who
 * sees the request could redeem the code (RFC 9700, 2.1.1), and RFC 7636 makes it the default, so
 * the method must be named.
 */
export function readChallenge(params: OAuthParams): string {
  const challenge = params.get('code_challenge')
  const method = params.get('code_challenge_method')
  if (challenge === undefined) {
    if (method !== undefined) refuseOAuth('invalid_request', 'code_challenge is missing')
    return ''
  }
  if (method !== 'S256') refuseOAuth('invalid_request', 'code_challenge_method must be S256')
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    refuseOAuth('invalid_request', 'code_challenge must be a SHA-256 in base64url, 43 characters')
  }
  return challenge
}

/**
 * Refuses a token request whose verifier does not prove that it comes from who asked for the code.
 * A verifier where no challenge was given is refused too: it shows that the challenge was taken out
 * on the way (PKCE downgrade, RFC 9700, 2.1.1 and 4.8.2).
 */
export function checkVerifier(challenge: string, verifier: string | undefined): void {
  if (challenge === '') {
    if (verifier === undefined) return
    refuseOAuth(
      'invalid_grant',
      'code_verifier is given, but the authorization request had no code_challenge',
    )
  }
  if (verifier === undefined) refuseOAuth('invalid_grant', 'code_verifier is missing')
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) {
    refuseOAuth('invalid_grant', 'code_verifier must have 43 to 128 unreserved characters')
  }
  const given = createHash('sha256').update(verifier).digest()
  if (!isSame(given, challenge)) {
    refuseOAuth('invalid_grant', 'code_verifier does not match the code_challenge')
  }
}

function isSame(digest: Buffer, challenge: string): boolean {
  const expected = Buffer.from(challenge, 'base64url')
  return expected.length === digest.length && timingSafeEqual(digest, expected)
}
