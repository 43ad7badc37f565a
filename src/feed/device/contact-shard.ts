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
  /** The UIDs, 16 bytes each, in base64. */
  readonly uids: string
  /** The first contact, and how much later each contact is. */
  readonly from: number
  readonly after: readonly number[]
}

const UID_BYTES = 16
const UID_DIGITS = 2 * UID_BYTES

/** Packs contacts: there is one for each component. */
export function packContacts(contacts: readonly Contact[]): JsonObject {
  let from = contacts[0]?.at ?? 0
  for (const { at } of contacts) if (at < from) from = at
  const digits = contacts.map(({ uid }) => uid).join('')
  return {
    uids: Buffer.from(digits.replaceAll('-', ''), 'hex').toString('base64'),
    from,
    after: contacts.map(({ at }) => at - from),
  }
}

/** The contacts of a body. */
export function unpackContacts(body: JsonObject): Contact[] {
  const { contacts } = body as unknown as Partial<ContactsByUid>
  if (contacts !== undefined) return Object.entries(contacts).map(([uid, at]) => ({ uid, at }))
  const { uids, from, after } = body as unknown as PackedContacts
  const digits = Buffer.from(uids, 'base64').toString('hex')
  return after.map((later, place) => ({
    uid: uidAt(digits, place * UID_DIGITS),
    at: from + later,
  }))
}

function uidAt(digits: string, at: number): string {
  const part = (from: number, until: number) => digits.slice(at + from, at + until)
  return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`
}
