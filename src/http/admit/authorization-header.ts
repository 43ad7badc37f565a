/** The schemes of the Authorization header that carry an API key. */
import { refuse } from '../../base/index.ts'

/** API keys, tokens, and sessions look like this. */
const SECRET = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text has the form of the secrets that the service issues. */
export function isShapedLikeSecret(text: string): boolean {
  return SECRET.test(text)
}

/** The value of `Bearer <value>`; undefined for another scheme. Refuses a repeated one. */
export function readBearer(authorization: string): string | undefined {
  // Several Authorization headers arrive here with commas in between.
  if (/^Bearer\b.*,\s*Bearer\b/i.test(authorization)) refuse('bearer_repeated', {})
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
}

/**
 * The API key of `Token KEY`, or of Basic with the key as password, or as user with a blank
 * password. A value of another shape counts as absent: a proxy in front may use Basic for itself.
 */
export function readTokenOrBasic(
  authorization: string,
): { readonly value: string; readonly place: 'header' | 'basic' } | undefined {
  const token = /^Token +(\S+) *$/i.exec(authorization)?.[1]
  if (token !== undefined) {
    return isShapedLikeSecret(token) ? { value: token, place: 'header' } : undefined
  }
  const { user, password } = readBasic(authorization) ?? { user: '', password: '' }
  const value = password || user
  return isShapedLikeSecret(value) ? { value, place: 'basic' } : undefined
}

/** User and password of a Basic header; without a colon all of it is the user. Undefined: no Basic. */
export function readBasic(
  authorization: string,
): { readonly user: string; readonly password: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/_=-]+) *$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon < 0) return { user: decoded, password: '' }
  return { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) }
}
