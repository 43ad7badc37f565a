import { createHmac } from 'node:crypto'

/** Identifies the key that encrypts secrets without revealing it: a hash under the key itself. */
export function keyFingerprint(key: Uint8Array): string {
  return createHmac('sha256', key).update('weir secrets').digest('hex')
}
