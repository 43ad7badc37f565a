/** Changes of records that somebody asked for, as the audit log needs them. */
import { isDeepStrictEqual } from 'node:util'
import type { Principal } from '../../access/index.ts'
import type { JsonObject, PutDocument } from '../../store/index.ts'

/** One change of one record. */
export interface RecordChange {
  /** The kind of the record, such as `component`. */
  readonly kind: string
  /** What happened to the record, such as `created`, `updated` or `deleted`. */
  readonly verb: string
  readonly uid: string
  /** Names the record for people; never a secret. */
  readonly detail: string
}

/** A caller whose changes are audited. */
export interface Author extends Principal {
  /** Plans the audit entry of a change, for the commit that makes the change. */
  readonly planChange?: (change: RecordChange) => readonly PutDocument[]
  /** Writes the audit entry of a change; resolves when it is durable. */
  readonly announceChange?: (change: RecordChange) => Promise<void>
}

/**
 * The audit entry of a change, for the commit that makes it. A change that takes several commits has it in the
 * first: nothing is changed without an entry, wherever the change is cut short.
 */
export function planChange(author: Author, change: RecordChange): readonly PutDocument[] {
  return author.planChange?.(change) ?? []
}

/** Writes the audit entry of a change that is no commit of the catalog, before the change begins. */
export async function announceChange(author: Author, change: RecordChange): Promise<void> {
  await author.announceChange?.(change)
}

/** As planChange for a record that is saved again: a save that changes no field has no entry. */
export function planUpdate(
  author: Author,
  { name, fields, ...record }: Omit<RecordChange, 'verb' | 'detail'> & NamedFields,
): readonly PutDocument[] {
  if (fields.length === 0) return []
  return planChange(author, { ...record, verb: 'updated', detail: `${name}: ${fields.join(', ')}` })
}

interface NamedFields {
  /** The record for people, its IDs and names in quotes. */
  readonly name: string
  readonly fields: readonly string[]
}

/** No entry: devices create components and streams and give them types, too many to audit each. */
export const BY_DEVICES: readonly PutDocument[] = []

/** No entry: changes no record, such as marks that keep commits from passing each other. */
export const NO_RECORD: readonly PutDocument[] = []

/** IDs as in JSON, since they may hold whatever else is written beside them. */
export function quoted(...ids: readonly string[]): string {
  return ids.map((id) => JSON.stringify(id)).join(' / ')
}

/** Fields that the catalog keeps for itself. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['grid', 'lastOrdinal', 'leftAlone', 'series'])

/** The names of the fields that differ between two bodies of a record. */
export function changedFields(before: object, after: object): string[] {
  const [old, fresh] = [before as JsonObject, after as JsonObject]
  const names = new Set([...Object.keys(old), ...Object.keys(fresh)])
  return [...names].filter(
    (name) => !OWN_FIELDS.has(name) && !isDeepStrictEqual(old[name], fresh[name]),
  )
}
