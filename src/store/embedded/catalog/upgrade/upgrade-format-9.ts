/** Brings a catalog.db of format 9 to the tables of today, inside of a transaction that is open. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { bytesOfComponent, bytesOfStream } from '../../../fields/counted-bytes.ts'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import type { JsonObject } from '../../../ports/document-key.ts'
import { CHANGES_BEFORE } from '../catalog-changes.ts'
import { checkOfTally, documentNameOf, sealBody } from '../catalog-checks.ts'
import { CatalogScopes } from '../catalog-scopes.ts'
import { tallyBytes } from '../catalog-tally.ts'
import { ComponentReader } from '../component/component-reader.ts'
import { ComponentTable } from '../component/component-table.ts'
import { StreamReader } from '../component/stream-reader.ts'
import { StreamTable } from '../component/stream-table.ts'
import { TextTable } from '../component/text-table.ts'
import { LastNumbers } from '../last-numbers.ts'
import { OldFamilies, type OldRecord } from './format-9.ts'
import { oldComponent, oldStream } from './old-bodies.ts'

const CHECK_DIGITS = 8
const ROWS_PER_STEP = 500
/** What the tables of today replace, all but those that are read. The log of changes is for those who run: nobody does. */
const MAKE_ROOM = `
DROP INDEX document_key;
DROP INDEX document_list;
DROP INDEX document_parent;
DROP INDEX document_expiry;
DROP INDEX claim_holder;
DROP TABLE entry;
INSERT INTO meta SELECT '${CHANGES_BEFORE}', seq FROM sqlite_sequence WHERE name = 'change';
DROP TABLE change;
DROP TABLE tally;
ALTER TABLE document RENAME TO old_document;
ALTER TABLE claim RENAME TO old_claim;
`
const TIDY_UP = `
INSERT INTO claim SELECT c.scope, c.claim, c.ref, c.crc FROM old_claim c JOIN document USING (ref);
DROP TABLE old_claim;
DROP TABLE old_document;
DROP TABLE family;
DROP TABLE family_page;
DROP TABLE shape;
DROP TABLE shape_again;
DROP TABLE roll;
DROP TABLE stream_handle;
`

/** Throws CatalogDamaged at what does not check: it would be lost on the way. */
export function upgradeFormat9(db: DatabaseSync, tables: string): void {
  const lastHandle = Number(
    db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'stream_handle'`).get()?.seq ?? 0,
  )
  const repeated = db.prepare(`SELECT value FROM meta WHERE name = 'last_handle'`).get()?.value ?? 0
  if (lastHandle !== repeated) {
    throw new CatalogDamaged(`the last handle given to a stream is ${lastHandle} or ${repeated}`)
  }
  db.exec(MAKE_ROOM + tables)
  const upgrade = new Upgrade(db, lastHandle)
  upgrade.takeDocuments()
  upgrade.takeFamilies()
  // Streams whose UIDs are not counted may be of components that share a row.
  upgrade.takeStreams()
  upgrade.writeCounts()
  db.exec(TIDY_UP)
}

interface OldDocument {
  readonly ref: number
  readonly scope: number
  readonly orgUid: string
  readonly kind: string
  readonly uid: string
  readonly parentUid: string
  readonly revision: number
  readonly listKey: string
  readonly expiresAtMs: number | null
  readonly handle: number | null
  readonly json: string
}

class Upgrade {
  readonly #scopes: CatalogScopes
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #components: ComponentTable
  readonly #streams: StreamTable
  readonly #reader: StreamReader
  readonly #families: OldFamilies
  readonly #numbers: LastNumbers
  readonly #tallies = new Map<
    string,
    { scope: number; kind: string; documents: number; bytes: number }
  >()

  constructor(db: DatabaseSync, lastHandle: number) {
    this.#scopes = new CatalogScopes(db)
    const scopes = this.#scopes
    const texts = new TextTable(db)
    const components = new ComponentReader(db, scopes, texts)
    this.#components = new ComponentTable(db, components, texts)
    this.#reader = new StreamReader(db, { components, scopes, texts })
    this.#streams = new StreamTable(db, texts)
    this.#families = new OldFamilies(db, scopes)
    this.#numbers = new LastNumbers(db)
    this.#numbers.startAfter(lastHandle)
    this.#statements = prepareAll(db)
  }

  takeDocuments(): void {
    for (const document of this.#documents()) {
      const { ref, scope, kind, uid, parentUid, revision, listKey, expiresAtMs, json } = document
      if (kind === 'stream') continue
      if (kind === 'component') {
        this.#addComponent(scope, { uid, revision, handle: 0, body: JSON.parse(json) })
        continue
      }
      const body = sealBody(document, json)
      this.#statements.insert.run(
        ref,
        scope,
        kind,
        uid,
        parentUid,
        revision,
        listKey,
        expiresAtMs,
        body,
      )
      this.#count(scope, kind, tallyBytes(listKey, body))
    }
  }

  takeFamilies(): void {
    for (const { scope, componentUid, component, streams } of this.#families) {
      if (component !== undefined) this.#addComponent(scope, component)
      for (const stream of streams) this.#addStream(scope, componentUid, stream)
    }
  }

  takeStreams(): void {
    for (const { kind, scope, uid, parentUid, revision, handle, json } of this.#documents()) {
      if (kind !== 'stream') continue
      const body = JSON.parse(json) as JsonObject
      this.#addStream(scope, parentUid, { uid, revision, handle: handle ?? 0, body })
    }
  }

  writeCounts(): void {
    this.#numbers.writeExactly()
    for (const tally of this.#tallies.values()) {
      const { scope, kind, documents, bytes } = tally
      this.#statements.tally.run(scope, kind, documents, bytes, checkOfTally(tally))
    }
  }

  *#documents(): Generator<OldDocument> {
    for (let after = 0; ; ) {
      const rows = this.#statements.documents.all(after, ROWS_PER_STEP)
      for (const row of rows) {
        const orgUid = this.#scopes.orgUidOf(row.scope as number)
        const document = { ...row, orgUid, json: '' } as unknown as OldDocument
        yield { ...document, json: openOld(document, String(row.body)) }
      }
      if (rows.length < ROWS_PER_STEP) return
      after = rows[rows.length - 1].ref as number
    }
  }

  #addComponent(scope: number, { uid, revision, body }: OldRecord): void {
    const fields = oldComponent(body)
    const ref = this.#numbers.takeComponents(1)
    const orgUid = this.#scopes.orgUidOf(scope)
    this.#components.insert({ scope, ref }, { orgUid, uid, ...fields }, revision)
    this.#count(scope, 'component', bytesOfComponent(fields))
  }

  #addStream(scope: number, componentUid: string, stream: OldRecord): void {
    const { uid, handle, revision, body } = stream
    const fields = oldStream(body)
    const owner = this.#reader.ownerOf(scope, componentUid)
    if (
      owner === undefined ||
      !this.#streams.insert(owner, { uid, ...fields }, { handle, revision })
    ) {
      throw new CatalogDamaged(`stream ${uid} has no component, or is there twice`)
    }
    this.#count(scope, 'stream', bytesOfStream(fields))
  }

  #count(scope: number, kind: string, bytes: number): void {
    const key = `${scope} ${kind}`
    const tally = this.#tallies.get(key) ?? { scope, kind, documents: 0, bytes: 0 }
    tally.documents += 1
    tally.bytes += bytes
    this.#tallies.set(key, tally)
  }
}

/** The JSON of a document of format 9; throws CatalogDamaged unless it checks. */
function openOld(document: OldDocument, sealed: string): string {
  const { orgUid, kind, uid, parentUid, revision, listKey, expiresAtMs, handle } = document
  const json = sealed.slice(CHECK_DIGITS)
  const text = `${orgUid}\n${kind}\n${uid}\n${parentUid}\n${revision}\n${listKey}\n${expiresAtMs}\n${handle}\n${json}`
  const check = crc32(text).toString(16).padStart(CHECK_DIGITS, '0')
  if (sealed.startsWith(check)) return json
  throw new CatalogDamaged(`${documentNameOf(document)} does not check`)
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    documents: prepare(`SELECT ref, scope, kind, uid, parent_uid AS parentUid, revision,
      list_key AS listKey, expires_at_ms AS expiresAtMs, handle, body FROM old_document
      WHERE ref > ? ORDER BY ref LIMIT ?`),
    insert: prepare(`INSERT INTO document
      (ref, scope, kind, uid, parent_uid, revision, list_key, expires_at_ms, body)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    tally: prepare('INSERT INTO tally (scope, kind, documents, bytes, crc) VALUES (?, ?, ?, ?, ?)'),
  }
}
