/** The statements with which the writer makes, changes and deletes components. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { UID_WORDS } from '../../../../base/plain.ts'
import { bytesOfComponent } from '../../../fields/counted-bytes.ts'
import { componentIdClaim } from '../../../fields/unique-texts.ts'
import { CatalogConflict, CatalogDamaged } from '../../../ports/catalog-port.ts'
import type { ComponentFields, CreateComponents } from '../../../ports/component-port.ts'
import type { DocumentKey } from '../../../ports/document-key.ts'
import type { ComponentReader, FoundComponent } from './component-reader.ts'
import {
  COMPONENT_COLUMNS,
  type ComponentRest,
  checkOfComponent,
  checkOfComponentKey,
  checkOfComponentRest,
  componentRest,
  organizationCheck,
  PLAIN_COMPONENT_COLUMNS,
} from './component-row.ts'
import { InsertTogether, type RowValue } from './insert-together.ts'
import type { TextTable } from './text-table.ts'
import { UidBytes, uidBytes } from './uid-bytes.ts'

type ComponentKey = Pick<DocumentKey, 'orgUid' | 'uid'>

const NO_ADDRESSES: readonly string[] = []

/** The table of components. */
export class ComponentTable {
  readonly #reader: ComponentReader
  readonly #texts: TextTable
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #together: InsertTogether
  /** For those of which the other columns are null: each value costs, also one that is null. */
  readonly #plain: InsertTogether

  constructor(db: DatabaseSync, reader: ComponentReader, texts: TextTable) {
    this.#reader = reader
    this.#texts = texts
    this.#statements = prepareAll(db)
    this.#together = new InsertTogether(db, 'component', COMPONENT_COLUMNS)
    this.#plain = new InsertTogether(db, 'component', PLAIN_COMPONENT_COLUMNS)
  }

  /** Makes components whose numbers count on from the first; what they count as. */
  insertMany(scope: number, firstRef: number, create: CreateComponents): number {
    const { orgUid, uids, ids, names, addressedAs, common } = create
    const zone = this.#texts.numberOf(common.timeZone)
    // All but names and addresses is the same for all.
    const empty = { ...common, id: '', name: '', lastOrdinal: 0, addressedAs: NO_ADDRESSES }
    const alike = componentRest(empty, 1, this.#texts)
    const alikeBytes = bytesOfComponent(empty)
    const organization = organizationCheck(scope, orgUid)
    const column = new UidBytes(uids)
    const isPlain = isPlainRest(alike) && names === undefined && addressedAs === undefined
    const values: RowValue[] = []
    let bytes = 0
    for (let at = 0; at < uids.length; at++) {
      const ref = firstRef + at
      const id = ids[at]
      const storedId = id === '' ? null : id.toWellFormed()
      const key = { ref, id: storedId, zone }
      const crc = checkOfComponentKey(key, organization, column.words, at * UID_WORDS)
      values.push(ref, scope, column.bytesAt(at), storedId, zone, crc)
      if (isPlain) {
        bytes += alikeBytes + Buffer.byteLength(id)
        values.push(alike.folder, alike.owner, alike.created, checkOfComponentRest(ref, alike))
        continue
      }
      const own = { id, name: names?.[at] ?? id, addressedAs: addressedAs?.[at] ?? NO_ADDRESSES }
      const fields = { ...empty, ...own }
      bytes += bytesOfComponent(fields)
      pushRest(values, ref, componentRest(fields, 1, this.#texts))
    }
    const areStored = (isPlain ? this.#plain : this.#together).insert(values)
    if (!areStored) this.#refuseFirst(scope, firstRef, create)
    return bytes
  }

  /** Stores one that comes from another store, with its revision. */
  insert(
    { scope, ref }: { readonly scope: number; readonly ref: number },
    component: ComponentKey & ComponentFields,
    revision: number,
  ): void {
    const { orgUid, uid } = component
    const { id, zone } = this.#keyOf(component)
    const crc = checkOfComponent({ ref, scope, uid, id, zone }, orgUid) ?? null
    const values: RowValue[] = [ref, scope, uidBytes(uid) ?? null, id, zone, crc]
    pushRest(values, ref, componentRest(component, revision, this.#texts))
    if (!this.#together.insert(values)) this.#refuse(scope, component, component.id)
  }

  update(
    scope: number,
    { ref, component }: FoundComponent,
    fields: ComponentFields,
    revision: number,
  ): void {
    const { orgUid, uid } = component
    const { id, zone } = this.#keyOf(fields)
    const crc = checkOfComponent({ ref, scope, uid, id, zone }, orgUid) ?? null
    const values: RowValue[] = [id, zone, crc]
    pushRest(values, ref, componentRest(fields, revision, this.#texts))
    const isChanged = this.#statements.update.run(...values, ref).changes === 1
    if (!isChanged) this.#refuse(scope, { orgUid, uid }, fields.id)
  }

  delete(ref: number): void {
    this.#statements.delete.run(ref)
  }

  #keyOf({ id, timeZone }: ComponentFields): { id: string | null; zone: number } {
    return { id: id === '' ? null : id.toWellFormed(), zone: this.#texts.numberOf(timeZone) }
  }

  /** Returns the first that exists already or is listed twice. */
  #refuseFirst(scope: number, firstRef: number, { orgUid, uids, ids }: CreateComponents): never {
    for (const [at, uid] of uids.entries()) {
      // Of those that were stored each is found under its own number; they go with the step.
      if (this.#reader.refOfUid(uid) !== firstRef + at)
        this.#refuse(scope, { orgUid, uid }, ids[at])
    }
    throw new CatalogDamaged('components cannot be stored, and none is in their place')
  }

  #refuse(scope: number, { orgUid, uid }: ComponentKey, id: string): never {
    const holder = id === '' ? 0 : this.#reader.refOfId(scope, id)
    const isId = holder !== 0 && holder !== this.#reader.refOfUid(uid)
    const key = { orgUid, kind: 'component', uid }
    throw new CatalogConflict(key, isId ? componentIdClaim(id) : undefined)
  }
}

function isPlainRest({ revision, name, last_ordinal, addresses, more }: ComponentRest): boolean {
  return [revision, name, last_ordinal, addresses, more].every((field) => field === null)
}

function pushRest(values: RowValue[], ref: number, rest: ComponentRest): void {
  const { revision, name, folder, owner, created, last_ordinal, addresses, more } = rest
  values.push(revision, name, folder, owner, created, last_ordinal, addresses, more)
  values.push(checkOfComponentRest(ref, rest))
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  const kept: readonly string[] = ['ref', 'scope', 'uid']
  const changed = COMPONENT_COLUMNS.filter((name) => !kept.includes(name))
  return {
    update: prepare(`UPDATE OR IGNORE component
      SET ${changed.map((name) => `${name} = ?`).join(', ')} WHERE ref = ?`),
    delete: prepare('DELETE FROM component WHERE ref = ?'),
  }
}
