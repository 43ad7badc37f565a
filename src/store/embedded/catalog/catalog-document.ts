import type { CatalogDocument } from '../../ports/catalog-port.ts'
import type { JsonObject } from '../../ports/document-key.ts'
import { openBody } from './catalog-checks.ts'
import type { CatalogScopes } from './catalog-scopes.ts'

/** The columns of table `document`, as d, that documentOf() reads. */
export const DOCUMENT_COLUMNS = `d.ref, d.scope, d.kind, d.uid, d.parent_uid, d.revision, d.list_key,
  d.expires_at_ms, d.body`

interface DocumentRow {
  ref: number
  scope: number
  kind: string
  uid: string
  parent_uid: string
  revision: number
  list_key: string
  expires_at_ms: number | null
  body: unknown
}

/** The document of a row; throws CatalogDamaged unless the row checks. */
export function documentOf(found: unknown, scopes: CatalogScopes): CatalogDocument {
  const row = found as DocumentRow
  const fields = {
    orgUid: scopes.orgUidOf(row.scope),
    kind: row.kind,
    uid: row.uid,
    parentUid: row.parent_uid,
    revision: row.revision,
    listKey: row.list_key,
    expiresAtMs: row.expires_at_ms,
  }
  const json = openBody(fields, row.body)
  return {
    ...fields,
    expiresAtMs: fields.expiresAtMs ?? undefined,
    body: JSON.parse(json) as JsonObject,
  }
}
