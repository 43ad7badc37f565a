/** The statements with which single components are read. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import type { StoredComponent } from '../../../ports/component-port.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import { COMPONENT_COLUMNS, type ComponentRow, componentOfRow, OWN_ID } from './component-row.ts'
import type { TextTable } from './text-table.ts'
import { uidBytes } from './uid-bytes.ts'

/** A component that is there. */
export interface FoundComponent {
  /** The number of its row. */
  readonly ref: number
  readonly component: StoredComponent
}

/** Reads components by what is unique of them; one that does not check is not answered. */
export class ComponentReader {
  readonly #scopes: CatalogScopes
  readonly #texts: TextTable
  readonly #statements: ReturnType<typeof prepareAll>

  constructor(db: DatabaseSync, scopes: CatalogScopes, texts: TextTable) {
    this.#scopes = scopes
    this.#texts = texts
    this.#statements = prepareAll(db)
  }

  find(scope: number, uid: string): FoundComponent | undefined {
    const row = this.#statements.byUid.get(uidBytes(uid) ?? null) as ComponentRow | undefined
    if (row === undefined) return undefined
    const found = this.#check(row)
    if (found.component.uid !== uid) {
      throw new CatalogDamaged(`component ${uid} is not where the index says`)
    }
    return row.scope === scope ? found : undefined
  }

  findById(scope: number, id: string): FoundComponent | undefined {
    const row = this.#statements.byId.get(scope, id.toWellFormed()) as ComponentRow | undefined
    if (row === undefined) return undefined
    const found = this.#check(row)
    if (row.scope === scope && found.component.id === id.toWellFormed()) return found
    throw new CatalogDamaged('a component is not where the index of IDs says')
  }

  /** The components whose address without a claim is one of some texts, by the places of these. */
  findOwned(scope: number, addresses: readonly string[]): Map<number, StoredComponent> {
    const found = new Map<number, StoredComponent>()
    const ids = addresses.map((address) => address.toWellFormed())
    for (const { key } of this.#statements.owned.all(scope, JSON.stringify(ids))) {
      const component = this.findById(scope, addresses[key as number])?.component
      if (component !== undefined) found.set(key as number, component)
    }
    return found
  }

  /** The component of a number, undefined for none. */
  findRef(ref: number): FoundComponent | undefined {
    const row = this.#statements.byRef.get(ref) as ComponentRow | undefined
    return row && this.#check(row)
  }

  /** The number of the component that has an ID, 0 for none. */
  refOfId(scope: number, id: string): number {
    return this.findRefById(scope, id)?.ref ?? 0
  }

  /** The number of the component that has an ID, and whether the ID is one of its addresses without a claim. */
  findRefById(scope: number, id: string): { ref: number; isAddress: boolean } | undefined {
    const row = this.#statements.refOfId.get(scope, id.toWellFormed())
    if (row === undefined) return undefined
    return { ref: Number(row.ref), isAddress: String(row.addresses).startsWith(OWN_ID) }
  }

  /** The number of the component that has a UID, 0 for none. */
  refOfUid(uid: string): number {
    return Number(this.#statements.refOfUid.get(uidBytes(uid) ?? null)?.ref ?? 0)
  }

  #check(row: ComponentRow): FoundComponent {
    const orgUid = this.#scopes.orgUidOf(row.scope)
    return { ref: row.ref, component: componentOfRow(row, orgUid, this.#texts) }
  }
}

function prepareAll(db: DatabaseSync) {
  const select = (where: string): StatementSync =>
    db.prepare(`SELECT ${COMPONENT_COLUMNS.join(', ')} FROM component WHERE ${where}`)
  return {
    byUid: select('uid = ?'),
    byId: select('scope = ? AND id = ?'),
    byRef: select('ref = ?'),
    owned: db.prepare(`SELECT key FROM json_each(?2)
      CROSS JOIN component ON scope = ?1 AND component.id = value WHERE addresses GLOB '${OWN_ID}*'`),
    refOfId: db.prepare('SELECT ref, addresses FROM component WHERE scope = ? AND id = ?'),
    refOfUid: db.prepare('SELECT ref FROM component WHERE uid = ?'),
  }
}
