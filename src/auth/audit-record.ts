import type { CatalogDocument } from '../store/index.ts'
import type { AuditAct } from './audit-acts.ts'

/** Who did what to whom, from where, and when. */
export interface AuditRecord {
  readonly orgUid: string
  readonly uid: string
  readonly time: number
  readonly act: AuditAct
  /** `user:<uid>`, `api_key:<uid>`, `command line`, or `invitation:<uid>` of anyone who declined one. */
  readonly actor: string
  /** The UID of what the act was about, '' when it was the actor. */
  readonly target: string
  readonly address: string
  /** A short text for people; never a secret. */
  readonly detail: string
}

/** The kind of the documents that are entries. */
export const AUDIT_KIND = 'audit'

/** The list keys of entries begin with their time. */
export function timeKeyOf(time: number): string {
  return String(time).padStart(15, '0')
}

/** The entry that a document of the log holds. */
export function auditRecordOf({ orgUid, uid, body }: CatalogDocument): AuditRecord {
  return { orgUid, uid, ...(body as unknown as Omit<AuditRecord, 'orgUid' | 'uid'>) }
}
