/** The statements with which the writer changes documents and what they claim. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { storedClaim } from '../../fields/stored-claim.ts'
import { CatalogDamaged } from '../../ports/catalog-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import { checkOfClaim, documentNameOf, sealBody } from './catalog-checks.ts'
import { DOCUMENT_COLUMNS, documentOf } from './catalog-document.ts'
import type { PutRequest } from './catalog-protocol.ts'
import type { CatalogScopes } from './catalog-scopes.ts'
import { tallyBytes } from './catalog-tally.ts'

/** What is stored of a document as far as a write must know it. */
export interface StoredDocument {
  /** The number of its row. */
  readonly ref: number
  readonly revision: number
  readonly parentUid: string
  /** What it counts as in the tally. */
  readonly bytes: number
}

/** The table of documents. */
export class DocumentTable {
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #scopes: CatalogScopes

  constructor(db: DatabaseSync, scopes: CatalogScopes) {
    this.#statements = prepareAll(db)
    this.#scopes = scopes
  }

  /** What is stored under a key; a row that does not check is not built upon. */
  find(scope: number, key: DocumentKey): StoredDocument | undefined {
    const row = this.#statements.select.get(scope, key.kind, key.uid)
    if (row === undefined) return undefined
    const { kind, uid, revision, parentUid, listKey } = documentOf(row, this.#scopes)
    if (kind !== key.kind.toWellFormed() || uid !== key.uid.toWellFormed()) {
      throw new CatalogDamaged(`${documentNameOf(key)} is not where the index says`)
    }
    const bytes = tallyBytes(listKey, row.body as string)
    return { ref: row.ref as number, revision, parentUid, bytes }
  }

  /** Stores what is not there; undefined when it is. */
  insert(scope: number, order: PutRequest, revision: number): StoredDocument | undefined {
    const { kind, uid, parentUid = '', listKey = '', expiresAtMs = null } = order
    const body = sealed(order, revision)
    const { lastInsertRowid, changes } = this.#statements.insert.run(
      scope,
      kind,
      uid,
      parentUid,
      listKey,
      expiresAtMs,
      body,
      revision,
    )
    if (changes === 0) return undefined
    const bytes = tallyBytes(listKey, body)
    return { ref: Number(lastInsertRowid), revision, parentUid, bytes }
  }

  update(order: PutRequest, { ref }: StoredDocument, revision: number): StoredDocument {
    const { parentUid = '', listKey = '', expiresAtMs = null } = order
    const body = sealed(order, revision)
    this.#statements.update.run(parentUid, listKey, expiresAtMs, body, revision, ref)
    return { ref, revision, parentUid, bytes: tallyBytes(listKey, body) }
  }

  delete(ref: number): void {
    this.#statements.delete.run(ref)
  }

  /** Makes the claims of a holder; returns the one that another holds. */
  insertClaims(
    scope: number,
    claims: readonly string[],
    holder: DocumentKey & { readonly ref: number },
  ): string | undefined {
    for (const claim of new Set(claims)) {
      const stored = storedClaim(claim)
      const crc = checkOfClaim(stored, holder)
      if (this.#statements.claim.run(scope, stored, holder.ref, crc).changes === 0) return claim
    }
    return undefined
  }

  /** The place of the first of some claims that anyone holds. */
  findClaimed(scope: number, claims: readonly string[]): number | undefined {
    const stored = claims.map((claim) => storedClaim(claim).toWellFormed())
    const found = this.#statements.claimed.get(scope, JSON.stringify(stored))
    return found?.key as number | undefined
  }

  /** Lets go of all that a holder claims. */
  releaseClaims(ref: number): void {
    this.#statements.releaseClaims.run(ref)
  }

  selectExpired(nowMs: number, limit: number): DocumentKey[] {
    return this.#statements.selectExpired.all(nowMs, limit).map((row) => ({
      orgUid: row.org_uid as string,
      kind: row.kind as string,
      uid: row.uid as string,
    }))
  }
}

function sealed(order: PutRequest, revision: number): string {
  const { orgUid, kind, uid, parentUid = '', listKey = '', expiresAtMs = null, body } = order
  return sealBody({ orgUid, kind, uid, parentUid, revision, listKey, expiresAtMs }, body)
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    select: prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.scope = ? AND d.kind = ? AND d.uid = ?`),
    insert: prepare(`INSERT INTO document
      (scope, kind, uid, parent_uid, list_key, expires_at_ms, body, revision)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, kind, uid) DO NOTHING`),
    update: prepare(`UPDATE document SET parent_uid = ?, list_key = ?, expires_at_ms = ?, body = ?,
      revision = ? WHERE ref = ?`),
    delete: prepare('DELETE FROM document WHERE ref = ?'),
    claim: prepare(`INSERT INTO claim (scope, claim, ref, crc) VALUES (?, ?, ?, ?)
      ON CONFLICT DO NOTHING`),
    claimed: prepare(`SELECT key FROM json_each(?2)
      CROSS JOIN claim c ON c.scope = ?1 AND c.claim = value LIMIT 1`),
    releaseClaims: prepare('DELETE FROM claim WHERE ref = ?'),
    selectExpired:
      prepare(`SELECT s.org_uid, d.kind, d.uid FROM document d JOIN scope s USING (scope)
      WHERE d.expires_at_ms <= ? ORDER BY d.expires_at_ms LIMIT ?`),
  }
}
