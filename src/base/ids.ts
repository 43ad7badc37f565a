import { hash, randomBytes, randomUUID } from 'node:crypto'

/** A UID for an entity: a random UUID. */
export function newUid(): string {
  return randomUUID()
}

/** A secret shaped like a UUID whose 32 hex digits are all random (a real UUID fixes six bits). */
export function newSecret(): string {
  const hex = randomBytes(16).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** What is kept of a secret that only has to be recognised again: its SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** How many characters a text has, as people count: a pair of surrogates is one. */
export function characterCount(text: string): number {
  let count = 0
  for (const _character of text) count += 1
  return count
}
