/**
 * UIDs of components and their streams. The UID of a stream is computed from that of its component, so streams need no
 * index of UIDs. The UID of a component has version 8, begins with the time, and ends with six zeros. Its streams have
 * the same UID with their ordinal in place of the zeros.
 *
 * tttttttt-tttt-8ccc-vrrr-rrrrrroooooo   t: milliseconds, c: count inside of one, r: random, o: ordinal
 *
 * Components from other stores may have UIDs of another form. Their streams have unrelated UIDs.
 */
const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const COMMON_LENGTH = 30
const COMPONENT_END = '000000'
/** Of streams of one component: what six hex digits hold. */
export const ORDINAL_END = 2 ** 24

/** Random bytes of a component's UID. */
export const RANDOM_BYTES = 5

/** Room in which UIDs are written: as bytes they cost no text for each of their parts. */
const room = Buffer.from('tttttttt-tttt-8ccc-vrrr-rrrrrr000000')
/** Where the digits go of the time, from the last to the first, of the count and of the random bytes. */
const TIME_PLACES = [12, 11, 10, 9, 7, 6, 5, 4, 3, 2, 1, 0]
const COUNT_PLACES = [15, 16, 17]
const RANDOM_PLACES = [19, 20, 21, 22, 24, 25, 26, 27, 28, 29]
const HEX_CODES = Buffer.from('0123456789abcdef')
/** The first random digit has the variant of a UUID in its upper bits. */
const VARIANT = 8

/** The time that stands in the room. */
let roomMs = -1

/** The UID of a component, made of milliseconds, a count below 4096 inside of one, and RANDOM_BYTES from a place on. */
export function writeComponentUid(
  time: { readonly ms: number; readonly count: number },
  random: Uint8Array,
  at: number,
): string {
  if (time.ms !== roomMs) {
    let rest = time.ms
    for (const place of TIME_PLACES) {
      room[place] = HEX_CODES[rest % 16]
      rest = Math.floor(rest / 16)
    }
    roomMs = time.ms
  }
  room[COUNT_PLACES[0]] = HEX_CODES[time.count >>> 8]
  room[COUNT_PLACES[1]] = HEX_CODES[(time.count >>> 4) & 15]
  room[COUNT_PLACES[2]] = HEX_CODES[time.count & 15]
  for (let byte = 0; byte < RANDOM_BYTES; byte++) {
    const value = random[at + byte]
    const high = byte === 0 ? VARIANT + ((value >>> 4) & 3) : value >>> 4
    room[RANDOM_PLACES[2 * byte]] = HEX_CODES[high]
    room[RANDOM_PLACES[2 * byte + 1]] = HEX_CODES[value & 15]
  }
  return room.toString('latin1')
}

/** Whether the UID is of this form: of a component, or counted from one. */
export function isCountedForm(uid: string): boolean {
  return uid.length === 36 && FORM.test(uid)
}

/** Whether UIDs of streams can be counted from this one. */
export function countsStreams(uid: string): boolean {
  return uid.endsWith(COMPONENT_END) && isCountedForm(uid)
}

/** The UID of a stream of a component. */
export function countedUidOf(componentUid: string, ordinal: number): string {
  return (
    componentUid.slice(0, COMMON_LENGTH) + ordinal.toString(16).padStart(COMPONENT_END.length, '0')
  )
}

/** The UID of the component that a UID of this form is counted from. */
export function componentUidOf(uid: string): string {
  return uid.slice(0, COMMON_LENGTH) + COMPONENT_END
}

/** By how much a UID of this form is counted from that of its component: 0 for the component's own. */
export function ordinalOf(uid: string): number {
  return Number.parseInt(uid.slice(COMMON_LENGTH), 16)
}

/** The ordinal of a UID that is counted from that of a component, else 0. */
export function countedOrdinal(componentUid: string, uid: string): number {
  return isCountedForm(uid) && componentUidOf(uid) === componentUid ? ordinalOf(uid) : 0
}
