/** Texts for maps by what names a record. */
import type { DocumentKey } from '../../ports/document-key.ts'

/** A text for maps by keys. */
export function keyName({ orgUid, kind, uid }: DocumentKey): string {
  return `${orgUid}\n${kind}\n${uid}`
}

/** A text for maps by claims of organizations. */
export function claimName(orgUid: string, claim: string): string {
  return `${orgUid}\n${claim}`
}
