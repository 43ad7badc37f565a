/** The error words of RFC 6749, 6750, 7009 and 7662 that this service answers. */
type OAuthErrorWord =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

/** A refusal in the words of RFC 6749, answered as `error` and `error_description`. */
export class OAuthError extends Error {
  readonly error: OAuthErrorWord
  readonly status: number

  constructor(error: OAuthErrorWord, description: string) {
    super(describe(description))
    this.name = 'OAuthError'
    this.error = error
    this.status = error === 'invalid_client' ? 401 : 400
  }
}

/** Throws the refusal of an error word. */
export function refuseOAuth(error: OAuthErrorWord, description: string): never {
  throw new OAuthError(error, description)
}

/** RFC 6749 allows printable ASCII without the quotation mark and the backslash. */
function describe(description: string): string {
  return description.replaceAll('"', "'").replace(/[^\x20-\x5B\x5D-\x7E]/g, '?')
}
