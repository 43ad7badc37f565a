import { hash, randomBytes, randomFillSync, randomUUID } from 'node:crypto'
import { systemClock } from './clock.ts'
import { RANDOM_BYTES, writeComponentUid } from './counted-uid.ts'

/** A UID for an entity: a random UUID. */
export function newUid(): string {
  return randomUUID()
}

const UID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text has the form of a UID. */
export function isUid(text: string): boolean {
  return UID.test(text)
}

const COUNTS_PER_MS = 4_096
/** Random bytes for UIDs of components: asking for them one by one takes longer than all else. */
const random = new Uint8Array(RANDOM_BYTES * 4_096)
let randomAt = random.length
/** As many milliseconds as a UID has digits for. */
const MS_END = 2 ** 48
/** Those of the last UID, and the count inside of them. */
const last = { ms: 0, count: 0 }

/**
 * A UID that sorts after those this process made before: a UUID of version 7, which begins with the
 * time. Whatever is stored by such UIDs is added at the end of an index, where random ones touch a page
 * each. Its time shows and 62 bits are random, so it is for what is no secret.
 */
export function newOrderedUid(): string {
  advance()
  const digits = last.ms.toString(16).padStart(12, '0') + last.count.toString(16).padStart(3, '0')
  const random = randomUUID().slice(19)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7${digits.slice(12)}-${random}`
}

/** A UID in the same order for a component; those of its streams are counted from it. */
export function newComponentUid(): string {
  advance()
  if (randomAt === random.length) {
    randomFillSync(random)
    randomAt = 0
  }
  const uid = writeComponentUid(last, random, randomAt)
  randomAt += RANDOM_BYTES
  return uid
}

/** Milliseconds and a count inside of them, greater than all before. */
function advance(): void {
  const now = Math.min(Math.max(systemClock.now(), 0), MS_END - 1)
  // A burst, or a clock that went back, counts on ahead of the clock.
  const isFull = last.count + 1 === COUNTS_PER_MS
  if (now > last.ms || isFull) {
    last.ms = Math.max(now, last.ms + 1)
    last.count = 0
  } else {
    last.count += 1
  }
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
