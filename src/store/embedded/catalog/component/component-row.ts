/** A row of table `component`, and the component in it. */
import { readUid, UID_WORDS } from '../../../../base/plain.ts'
import { jsonOrNull } from '../../../fields/packed-fields.ts'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import {
  type ComponentFields,
  LISTED_NAME_LENGTH,
  type StoredComponent,
} from '../../../ports/component-port.ts'
import type { JsonObject } from '../../../ports/document-key.ts'
import {
  addField,
  addNumber,
  addText,
  addWord,
  CHECK_START,
  endCheck,
  type Field,
} from './row-check.ts'
import type { TextTable } from './text-table.ts'
import { uidOfBytes } from './uid-bytes.ts'

/**
 * The part of a component's name that decides its place in lists, as index component_list has it. SQLite ends it before a
 * character U+0000.
 */
export const LISTED_NAME = `substr(coalesce(name, id, ''), 1, ${LISTED_NAME_LENGTH})`

/** The columns of a row, in the order in which they are inserted. */
export const COMPONENT_COLUMNS = [
  'ref',
  'scope',
  'uid',
  'id',
  'zone',
  'crc',
  'revision',
  'name',
  'folder',
  'owner',
  'created',
  'last_ordinal',
  'addresses',
  'more',
  'rest_crc',
] as const

/** The columns of a row in which most components have something. */
export const PLAIN_COMPONENT_COLUMNS = [
  'ref',
  'scope',
  'uid',
  'id',
  'zone',
  'crc',
  'folder',
  'owner',
  'created',
  'rest_crc',
] as const

/** What a start reads of a row. All other columns have a checksum of their own, so that it need not read them. */
export interface ComponentKey {
  readonly ref: number
  readonly scope: number
  /** Null for none. */
  readonly id: string | null
  /** The number of the time zone's text. */
  readonly zone: number
}

/** The other columns; null is what most components have. */
export interface ComponentRest {
  /** Null for 1. */
  readonly revision: number | null
  /** Null for the ID. */
  readonly name: string | null
  /** With a slash at its end; '' for the root. */
  readonly folder: string
  readonly owner: number | null
  readonly created: number
  /** Null for 0. */
  readonly last_ordinal: number | null
  /** JSON, behind `=` where the ID is the first; null for none. */
  readonly addresses: string | null
  readonly more: string | null
}

/** A row as a statement gives it. */
export interface ComponentRow extends ComponentKey, ComponentRest {
  readonly uid: Uint8Array
  readonly crc: number
  readonly rest_crc: number
}

/** What checksums of an organization's components begin with: so no row passes for one of another's. */
export function organizationCheck(scope: number, orgUid: string): number {
  return addText(addNumber(CHECK_START, scope), orgUid)
}

/** The checksum of what a start reads, with the four words of the UID at a place. */
export function checkOfComponentKey(
  { ref, id, zone }: Omit<ComponentKey, 'scope'>,
  organization: number,
  words: Uint32Array,
  at = 0,
): number {
  let check = addNumber(organization, ref)
  for (let word = at; word < at + UID_WORDS; word++) check = addWord(check, words[word])
  return endCheck(addNumber(addField(check, id), zone))
}

const words = new Uint32Array(UID_WORDS)

/** As checkOfComponentKey(), with the UID as a text; undefined for a text that is none. */
export function checkOfComponent(
  key: ComponentKey & { readonly uid: string },
  orgUid: string,
): number | undefined {
  if (!readUid(key.uid, words)) return undefined
  return checkOfComponentKey(key, organizationCheck(key.scope, orgUid), words)
}

/** The checksum of the other columns. */
export function checkOfComponentRest(ref: number, rest: ComponentRest): number {
  let check = addNumber(CHECK_START, ref)
  for (const field of restFields(rest)) check = addField(check, field)
  return endCheck(check)
}

function restFields(rest: ComponentRest): Field[] {
  const { revision, name, folder, owner, created, last_ordinal, addresses, more } = rest
  return [revision, name, folder, owner, created, last_ordinal, addresses, more]
}

/** The other columns of a component. */
export function componentRest(
  fields: Omit<ComponentFields, 'timeZone'>,
  revision: number,
  texts: TextTable,
): ComponentRest {
  const { id, name, folder, owner, createdAtMs, lastOrdinal, addressedAs, more } = fields
  return {
    revision: revision === 1 ? null : revision,
    name: name === id ? null : name.toWellFormed(),
    folder: folder === '' ? '' : `${folder.toWellFormed()}/`,
    owner: owner === null ? null : texts.numberOf(JSON.stringify([owner.uid, owner.name])),
    created: createdAtMs,
    last_ordinal: lastOrdinal === 0 ? null : lastOrdinal,
    addresses: packAddresses(id, addressedAs),
    more: jsonOrNull(more),
  }
}

/** In the place of an address that is the ID. It has no claim of its own: no two components share an ID. */
export const OWN_ID = '='

/** The address that needs no claim, because it is the ID; undefined for none. */
export function ownAddress({
  id,
  addressedAs,
}: Pick<ComponentFields, 'id' | 'addressedAs'>): string | undefined {
  return id !== '' && addressedAs[0] === id && id.isWellFormed() ? id : undefined
}

function packAddresses(id: string, addressedAs: readonly string[]): string | null {
  if (addressedAs.length === 0) return null
  if (ownAddress({ id, addressedAs }) === undefined) return JSON.stringify(addressedAs)
  return addressedAs.length === 1 ? OWN_ID : OWN_ID + JSON.stringify(addressedAs.slice(1))
}

function unpackAddresses(id: string, packed: string | null): string[] {
  if (packed === null) return []
  if (!packed.startsWith(OWN_ID)) return JSON.parse(packed) as string[]
  return packed === OWN_ID ? [id] : [id, ...(JSON.parse(packed.slice(OWN_ID.length)) as string[])]
}

/** A number with the ID beside it, as the damaged row has it: people know the ID. */
export function numberedName(id: unknown, number: number): string {
  return typeof id === 'string' ? `${JSON.stringify(id)}, number ${number}` : `number ${number}`
}

/** The component of a row; throws CatalogDamaged unless it checks. */
export function componentOfRow(
  row: ComponentRow,
  orgUid: string,
  texts: TextTable,
): StoredComponent {
  // Damage can turn bytes into a text.
  const uid = row.uid instanceof Uint8Array ? uidOfBytes(row.uid) : ''
  const isWhole =
    checkOfComponent({ ...row, uid }, orgUid) === row.crc &&
    checkOfComponentRest(row.ref, row) === row.rest_crc
  if (!isWhole) {
    const name = `${numberedName(row.id, row.ref)}, UID ${uid},`
    throw new CatalogDamaged(`component ${name} of organization ${orgUid} does not check`)
  }
  const owner = row.owner === null ? null : (JSON.parse(texts.textOf(row.owner)) as string[])
  const id = row.id ?? ''
  return {
    kind: 'component',
    orgUid,
    uid,
    revision: row.revision ?? 1,
    id,
    name: row.name ?? id,
    folder: row.folder.slice(0, -1),
    timeZone: texts.textOf(row.zone),
    createdAtMs: row.created,
    owner: owner === null ? null : { uid: owner[0], name: owner[1] },
    lastOrdinal: row.last_ordinal ?? 0,
    addressedAs: unpackAddresses(id, row.addresses),
    more: row.more === null ? {} : (JSON.parse(row.more) as JsonObject),
  }
}
