/** Documents, components, and streams as columns of their tables. */

import { definitionOfType } from '../../fields/packed-fields.ts'
import { sortedPairs } from '../../fields/unique-texts.ts'
import type { CatalogDocument } from '../../ports/catalog-port.ts'
import type {
  ComponentFields,
  Labels,
  StoredComponent,
  StoredStream,
} from '../../ports/component-port.ts'
import type { JsonObject } from '../../ports/document-key.ts'
import type { StreamHandle } from '../../ports/sample-port.ts'
import type { SqlRow } from '../connection/database.ts'
import { fromStored, toStored } from '../connection/stored-text.ts'

/** The columns that readDocument() reads, from an alias `d`. */
export const DOCUMENT_FIELDS =
  'd.org, d.kind, d.uid, d.parent, d.revision, d.list_key, d.expires_at_ms, d.body'

/** The document of a row of DOCUMENT_FIELDS. */
export function readDocument(row: SqlRow): CatalogDocument {
  const [org, kind, uid, parent, revision, listKey, expiresAtMs, body] = row as [
    string,
    string,
    string,
    string,
    number,
    string,
    number | null,
    string,
  ]
  return {
    orgUid: fromStored(org),
    kind: fromStored(kind),
    uid: fromStored(uid),
    parentUid: fromStored(parent),
    revision,
    listKey: fromStored(listKey),
    expiresAtMs: expiresAtMs ?? undefined,
    body: JSON.parse(body) as JsonObject,
  }
}

/** The columns that componentOf() reads, from an alias `c`. */
export const COMPONENT_FIELDS = `c.org, c.uid, c.revision, c.id, c.name, c.folder, c.time_zone,
  c.created_at_ms, c.owner, c.last_ordinal, c.addressed_as, c.more`

/** The component of a row of COMPONENT_FIELDS. */
export function componentOf(row: SqlRow): StoredComponent {
  const [org, uid, revision, id, name, folder, timeZone, createdAtMs, owner, lastOrdinal] = row as [
    string,
    string,
    number,
    string | null,
    string,
    string,
    string,
    number,
    string | null,
    number,
  ]
  const [addressedAs, more] = row.slice(10) as (string | null)[]
  return {
    kind: 'component',
    orgUid: fromStored(org),
    uid,
    revision,
    id: fromStored(id ?? ''),
    name: fromStored(name),
    folder: fromStored(folder),
    timeZone: fromStored(timeZone),
    createdAtMs,
    owner: owner === null ? null : (JSON.parse(owner) as ComponentFields['owner']),
    lastOrdinal,
    addressedAs: addressedAs === null ? [] : (JSON.parse(addressedAs) as string[]),
    more: more === null ? {} : (JSON.parse(more) as JsonObject),
  }
}

/** The columns that streamOf() reads, from an alias `s` of streams and `c` of their components. */
export const STREAM_FIELDS = `c.org, c.uid, s.uid, s.handle, s.revision, s.id, s.name, s.place, s.type,
  s.grid, s.labels, s.series, s.more`

/** The stream of a row of STREAM_FIELDS. */
export function streamOf(row: SqlRow): StoredStream {
  const [org, componentUid, uid, handle, revision] = row as [string, string, string, number, number]
  const [id, name, place, type, grid] = row.slice(5) as [
    string | null,
    string | null,
    number,
    number,
    string | null,
  ]
  const [labels, series, more] = row.slice(10) as (string | null)[]
  const ownId = fromStored(id ?? '')
  return {
    kind: 'stream',
    orgUid: fromStored(org),
    uid,
    componentUid,
    handle: handle as StreamHandle,
    revision,
    id: ownId,
    name: name === null ? ownId : fromStored(name),
    order: place,
    ...definitionOfType(type, fromStored(grid ?? '')),
    ...(labels === null ? {} : { labels: JSON.parse(labels) as Labels }),
    ...(series === null ? {} : { series: JSON.parse(series) as Labels }),
    more: more === null ? {} : (JSON.parse(more) as JsonObject),
  }
}

/** Labels as JSON, in the order of their names; null for none. */
export function labelsOrNull(labels: Labels | undefined): string | null {
  return labels === undefined ? null : JSON.stringify(Object.fromEntries(sortedPairs(labels)))
}

/** A text as a column has it, null for an empty one. */
export function storedOrNull(text: string): string | null {
  return text === '' ? null : toStored(text)
}
