import { createHmac } from 'node:crypto'

/** What tells the key that secrets are encrypted under from all others, and tells nothing of it: a hash under the key itself. */
export function keyFingerprint(key: Uint8Array): string {
  return createHmac('sha256', key).update('weir secrets').digest('hex')
}
