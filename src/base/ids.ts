import { hash, randomBytes, randomFillSync, randomUUID } from 'node:crypto'
import { systemClock } from './clock.ts'
import { familyNumberOfCount, familyTimeOf, familyUidOf, TAIL_BYTES } from './family-uid.ts'

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
/** The milliseconds of the last UID, with the count inside of them below. */
let lastCount = 0

/**
 * A UID that sorts after those this process made before: a UUID of version 7, which begins with the
 * time. Whatever is stored by such UIDs is added at the end of an index, where random ones touch a page
 * each. Its time shows and 62 bits are random, so it is for what is no secret.
 */
export function newOrderedUid(): string {
  const digits = nextDigits()
  const random = randomUUID().slice(19)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7${digits.slice(12)}-${random}`
}

/** A UID in the same order for the head of a family, whose members' UIDs are counted from it. */
export function newFamilyUid(): string {
  return familyUidOf(nextDigits(), randomUUID().slice(19))
}

/** UIDs of heads of families: numbers that count on from the first, and the random digits of each. */
export interface NewFamilies {
  readonly firstNumber: number
  /** As familyHeadOf() takes them, one after the other. */
  readonly tails: string
}

/** As newFamilyUid(), for so many at once; familyHeadOf() tells the UIDs. */
export function newFamilies(count: number): NewFamilies {
  const first = countOn(count)
  let tails = ''
  for (let left = count; left > 0; left -= TAILS_AT_ONCE) {
    tails += nextTails(Math.min(left, TAILS_AT_ONCE))
  }
  return { firstNumber: familyNumberOfCount(first), tails }
}

const TAILS_AT_ONCE = 1_000
const random = Buffer.alloc(TAILS_AT_ONCE * TAIL_BYTES)
/** Random bytes that were not used yet: asking for few costs as much as for many. */
let randomLeft = 0

function nextTails(count: number): string {
  if (randomLeft < count * TAIL_BYTES) {
    randomFillSync(random)
    for (let at = 0; at < random.length; at += TAIL_BYTES) random[at] = (random[at] & 0x3f) | 0x80
    randomLeft = random.length
  }
  randomLeft -= count * TAIL_BYTES
  return random.toString('hex', randomLeft, randomLeft + count * TAIL_BYTES)
}

function nextDigits(): string {
  return countOn(1).toString(16).padStart(15, '0')
}

/** The first of so many counts that nobody else has. */
function countOn(count: number): number {
  // A burst, or a clock that went back, counts on ahead of the clock.
  const first = Math.max(familyTimeOf(systemClock.now()) * COUNTS_PER_MS, lastCount + 1)
  lastCount = first + count - 1
  return first
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
