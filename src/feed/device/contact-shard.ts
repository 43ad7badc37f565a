/** The body of a document with the last contacts of some components. */
import type { JsonObject } from '../../store/index.ts'

/** When a component last sent samples. */
interface Contact {
  readonly uid: string
  readonly at: number
}

/** In format 10 of the catalog. */
interface ContactsByUid {
  readonly contacts: Readonly<Record<string, number>>
}

interface PackedContacts {
  /** The UIDs in base64, without zeros that all of them end with. */
  readonly uids: string
  /** How many hex digits each has there. */
  readonly digits: number
  /** The first contact, and how much later each contact is. */
  readonly from: number
  readonly after: readonly number[]
}

const UID_DIGITS = 32
/** UIDs that the service makes for components end so. */
const COMMON_END = '000000'

/** Packs contacts: there is one for each component. */
export function packContacts(contacts: readonly Contact[]): JsonObject {
  let from = contacts[0]?.at ?? 0
  for (const { at } of contacts) if (at < from) from = at
  const areOurs = contacts.every(({ uid }) => uid.endsWith(COMMON_END))
  const digits = areOurs ? UID_DIGITS - COMMON_END.length : UID_DIGITS
  const uids = contacts.map(({ uid }) => uid.replaceAll('-', '').slice(0, digits)).join('')
  return {
    uids: Buffer.from(uids, 'hex').toString('base64'),
    digits,
    from,
    after: contacts.map(({ at }) => at - from),
  }
}

/** The contacts of a body. */
export function unpackContacts(body: JsonObject): Contact[] {
  const { contacts } = body as unknown as Partial<ContactsByUid>
  if (contacts !== undefined) return Object.entries(contacts).map(([uid, at]) => ({ uid, at }))
  const { uids, digits, from, after } = body as unknown as PackedContacts
  const all = Buffer.from(uids, 'base64').toString('hex')
  return after.map((later, place) => {
    const own = all.slice(place * digits, (place + 1) * digits)
    return { uid: uidOf(own.padEnd(UID_DIGITS, '0')), at: from + later }
  })
}

function uidOf(digits: string): string {
  const ends = [0, 8, 12, 16, 20, UID_DIGITS]
  return ends
    .slice(1)
    .map((end, at) => digits.slice(ends[at], end))
    .join('-')
}
