import { createHash } from 'node:crypto'

/** Claims up to this length are stored as they are: what people look up in the file stays readable. */
const CLAIM_LENGTH_MAX = 64

/**
 * A claim as table and index hold it: a long one as the SHA-256 of its text, since the row and the
 * index by holder repeat it. No claim begins with '#' by itself, and no two texts share a hash.
 */
export function storedClaim(claim: string): string {
  if (claim.length <= CLAIM_LENGTH_MAX) return claim
  return `#${createHash('sha256').update(claim.toWellFormed()).digest('base64url')}`
}
