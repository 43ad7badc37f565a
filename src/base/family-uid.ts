/**
 * UIDs that need no index of their own: the head of a family has a UID of version 8 that begins with the
 * time and ends with six zeros; its members have the same with their ordinal in the place of the zeros.
 *
 *   tttttttt-tttt-8ccc-vrrr-rrrrrroooooo   t: milliseconds, c: count inside of one, r: random, o: ordinal
 */
const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const FAMILY_LENGTH = 30
const HEAD_END = '000000'
const DIGIT_0 = 48
const LETTER_A = 97
const COUNTS_PER_MS = 4_096
/** 2020-01-01: from here on 69 years of milliseconds and counts are numbers without loss. */
const FIRST_MS = 1_577_836_800_000
/** How many milliseconds there are numbers for; the first is left out, as 0 is the number of no family. */
const SPAN_MS = (Number.MAX_SAFE_INTEGER + 1) / COUNTS_PER_MS - 1
/** The random part of a UID. */
export const TAIL_BYTES = 5
export const TAIL_DIGITS = TAIL_BYTES * 2
/** Of members in one family: what six hex digits hold. */
export const ORDINAL_END = 2 ** 24

/** The UID of the head of a family, made of 15 hex digits of time and count, and of 16 random ones in a UUID. */
export function familyUidOf(digits: string, random: string): string {
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(12)}-${random.slice(0, 11)}${HEAD_END}`
}

/** Whether the UID is that of a head or member. */
export function isFamilyForm(uid: string): boolean {
  return uid.length === 36 && FORM.test(uid)
}

/** Whether the UID is that of the head of a family. */
export function isHeadUid(uid: string): boolean {
  return uid.endsWith(HEAD_END) && isFamilyForm(uid)
}

/** The UID of a member of the family that a head or another member tells. */
export function memberUidOf(uid: string, ordinal: number): string {
  return uid.slice(0, FAMILY_LENGTH) + ordinal.toString(16).padStart(HEAD_END.length, '0')
}

/** The UID of the head of the family that a member, or the head itself, tells. */
export function headUidOf(uid: string): string {
  return uid.slice(0, FAMILY_LENGTH) + HEAD_END
}

/** Its place among the members of its family, 0 for the head. */
export function ordinalOf(uid: string): number {
  return hexIn(uid, FAMILY_LENGTH, uid.length)
}

/** Time and count of a UID of this form as one number, in the order of the UIDs; undefined when too early or late. */
export function familyNumberOf(uid: string): number | undefined {
  const ms = hexIn(uid, 0, 8) * 65_536 + hexIn(uid, 9, 13)
  const number = (ms - FIRST_MS) * COUNTS_PER_MS + hexIn(uid, 15, 18)
  return number > 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined
}

/**
 * The time that UIDs made at a time begin with: that time. Machines without a battery wake up in 1970, and clocks
 * that are set by hand stand anywhere; a time for which there is no number is moved among those that have one, so that
 * UIDs still grow while the clock runs.
 */
export function familyTimeOf(ms: number): number {
  const passed = ms - FIRST_MS - 1
  if (passed >= 0 && passed < SPAN_MS) return ms
  return FIRST_MS + 1 + (((ms % SPAN_MS) + SPAN_MS) % SPAN_MS)
}

/** The number of the family whose UID was made of a count of milliseconds times 4,096 and more. */
export function familyNumberOfCount(count: number): number {
  return count - FIRST_MS * COUNTS_PER_MS
}

/** Lower-case hex digits of a text as a number: a start and a fleet that signs on read millions of them. */
function hexIn(text: string, from: number, until: number): number {
  let number = 0
  for (let at = from; at < until; at++) {
    const code = text.charCodeAt(at)
    number = number * 16 + (code < LETTER_A ? code - DIGIT_0 : code - LETTER_A + 10)
  }
  return number
}

/** The random digits of a family's UIDs, as familyHeadOf() takes them. */
export function familyTailOf(uid: string): string {
  return uid.slice(19, 23) + uid.slice(24, FAMILY_LENGTH)
}

/** The UID of the head of a family with this number and these random digits. */
export function familyHeadOf(number: number, tail: string): string {
  const count = (number % COUNTS_PER_MS).toString(16).padStart(3, '0')
  const start = startOf(Math.floor(number / COUNTS_PER_MS) + FIRST_MS)
  return `${start}${count}-${tail.slice(0, 4)}-${tail.slice(4)}${HEAD_END}`
}

/** Puts the words of the UID that familyHeadOf() tells in their places, of random digits as two numbers. */
export function familyWordsOf(
  number: number,
  tail: { readonly first: number; readonly last: number },
  words: Uint32Array,
): void {
  const ms = Math.floor(number / COUNTS_PER_MS) + FIRST_MS
  words[0] = Math.floor(ms / 65_536)
  words[1] = ((ms % 65_536) << 16) | 0x8000 | (number % COUNTS_PER_MS)
  words[2] = tail.first
  words[3] = tail.last << 24
}

/** As familyWordsOf(), with the random digits at a place of a text. */
export function familyWordsAt(
  number: number,
  { tails, at }: { readonly tails: string; readonly at: number },
  words: Uint32Array,
): void {
  const first = hexIn(tails, at, at + 8)
  const last = hexIn(tails, at + 8, at + TAIL_DIGITS)
  familyWordsOf(number, { first, last }, words)
}

let lastMs = -1
let lastStart = ''

/** What the UIDs of a millisecond begin with; those of a fleet share a few. */
function startOf(ms: number): string {
  if (ms === lastMs) return lastStart
  const time = ms.toString(16).padStart(12, '0')
  lastMs = ms
  lastStart = `${time.slice(0, 8)}-${time.slice(8)}-8`
  return lastStart
}
