/**
 * The checksums of catalog.db: a CRC-32 over everything a row says, its organization by name, so that
 * neither a flipped bit nor a row that stands in another's place goes unseen. docs/format/catalog-db.md.
 */
import { crc32 } from 'node:zlib'
import { CatalogDamaged, type Lease } from '../../ports/catalog-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'

const CHECK_DIGITS = 8
/** SQLite's codes for a damaged file and for one that is no database. */
const DAMAGED_CODES: ReadonlySet<number> = new Set([11, 26])
/** SQLite's code for a statement about tables or columns that are not there. */
const SQLITE_ERROR = 1

/** What a document's checksum covers beside its body. */
interface SealedFields extends DocumentKey {
  readonly parentUid: string
  readonly revision: number
  readonly listKey: string
  readonly expiresAtMs: number | null
}

/** What SQLite cannot store is checked as it will be read back. */
function checkOf(text: string): number {
  return crc32(text.toWellFormed())
}

/** Damage can turn an empty text into an empty blob, which is written alike and is another value. */
function asRead(text: string): string {
  return typeof text === 'object' ? 'no text' : text
}

/** A document's encoding: eight hex digits of checksum, then its JSON. */
export function sealBody(fields: SealedFields, json: string): string {
  return checkOfDocument(fields, json).toString(16).padStart(CHECK_DIGITS, '0') + json
}

/** The JSON of what sealBody wrote; throws CatalogDamaged unless fields and body check. */
export function openBody(fields: SealedFields, body: unknown): string {
  if (typeof body === 'string') {
    const json = body.slice(CHECK_DIGITS)
    const check = checkOfDocument(fields, json).toString(16).padStart(CHECK_DIGITS, '0')
    if (body.startsWith(check)) return json
  }
  throw new CatalogDamaged(`${documentNameOf(fields)} does not check`)
}

function checkOfDocument(fields: SealedFields, json: string): number {
  const { orgUid, kind, uid, parentUid, revision, listKey, expiresAtMs } = fields
  return checkOf(
    `${orgUid}\n${kind}\n${uid}\n${asRead(parentUid)}\n${revision}\n${asRead(listKey)}\n${expiresAtMs}\n${json}`,
  )
}

/** The checksum of a claim: it names its holder, so that it cannot lead to another. */
export function checkOfClaim(claim: string, { orgUid, kind, uid }: DocumentKey): number {
  return checkOf(`${orgUid}\n${kind}\n${uid}\n${claim}`)
}

/** The checksum of a row of the log of changes. */
export function checkOfChanges(cursor: number, orgUid: string, json: string): number {
  return checkOf(`${cursor}\n${orgUid}\n${json}`)
}

/** The checksum of an organization's number. */
export function checkOfScope(scope: number, orgUid: string): number {
  return checkOf(`${scope}\n${asRead(orgUid)}`)
}

/** The checksum of the counts of one kind in one organization. */
export function checkOfTally(row: {
  scope: number
  kind: string
  documents: number
  bytes: number
}): number {
  const { scope, kind, documents, bytes } = row
  return checkOf(`${scope}\n${kind}\n${documents}\n${bytes}`)
}

/** The checksum of a lease. */
export function checkOfLease({ name, holder, fence }: Lease, expiresAtMs: number): number {
  return checkOf(`${name}\n${asRead(holder)}\n${fence}\n${expiresAtMs}`)
}

/** How a document is named to people: by its kind and address, never by what it holds. */
export function documentNameOf({ orgUid, kind, uid }: DocumentKey): string {
  // The UID of a session or token is the hash of a secret; its beginning is enough to find it.
  const shown = String(uid).slice(0, 36)
  return `${kind} ${shown}${orgUid === '' ? '' : ` of organization ${orgUid}`}`
}

/** Runs a read; what SQLite cannot make sense of becomes CatalogDamaged. */
export function readChecked<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const { errcode, code, message } = error as { errcode?: number; code?: string; message: string }
    // An integer beyond 2^53 is never written.
    const isDamage = DAMAGED_CODES.has((errcode ?? 0) & 0xff) || code === 'ERR_OUT_OF_RANGE'
    if (!isDamage) throw error
    throw new CatalogDamaged(`${what} cannot be read: ${message}`, { cause: error })
  }
}

/** As readChecked() for the opening: a statement that SQLite does not understand means damage then. */
export function openChecked<T>(open: () => T): T {
  return readChecked('the database', () => {
    try {
      return open()
    } catch (error) {
      const { errcode, message } = error as { errcode?: number; message: string }
      if (((errcode ?? 0) & 0xff) !== SQLITE_ERROR) throw error
      throw new CatalogDamaged(message, { cause: error })
    }
  })
}
