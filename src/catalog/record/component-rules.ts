/** What a component may be. */
import type { CatalogDocument, PutDocument } from '../../store/index.ts'
import { componentEntryOf } from '../index/entry-of.ts'
import { packComponent } from '../index/index-entry.ts'
import {
  type ComponentBody,
  type ComponentInput,
  type ComponentRecord,
  componentBodyOf,
  componentClaim,
  storedComponent,
} from '../shape/component-shape.ts'
import { componentListKey, readFolder } from '../shape/folder-path.ts'
import {
  checkId,
  checkText,
  DESCRIPTION_LENGTH_MAX,
  NAME_LENGTH_MAX,
  readTimeZoneField,
} from '../shape/record-checks.ts'
import type { StreamRecord } from '../shape/stream-shape.ts'
import { pickLocation } from './stream-rules.ts'

/** The body after an input is applied to what was before. */
export function readComponent(input: ComponentInput, before: ComponentBody): ComponentBody {
  const id = input.id ?? before.id
  const body = {
    ...before,
    id,
    name: input.name ?? (before.name || id),
    description: input.description ?? before.description,
    folder:
      input.folder === undefined ? before.folder : readFolder('component.folder', input.folder),
    timeZoneId:
      input.timeZoneId === undefined
        ? before.timeZoneId
        : readTimeZoneField('component.timeZoneId', input.timeZoneId),
    location: input.location === undefined ? before.location : pickLocation(input.location),
  }
  checkId('component.id', body.id)
  checkText('component.name', body.name, NAME_LENGTH_MAX)
  checkText('component.description', body.description, DESCRIPTION_LENGTH_MAX)
  return body
}

/** The write that stores a component. */
export function putComponentOrder(
  key: { readonly orgUid: string; readonly uid: string },
  body: ComponentBody,
  expectedRevision: number,
): PutDocument {
  return {
    ...{ op: 'put', orgUid: key.orgUid, kind: 'component', uid: key.uid },
    body: storedComponent(body),
    claims: body.id === '' ? [] : [componentClaim(body.id)],
    listKey: componentListKey(body.folder, body.name),
    index: packComponent(componentEntryOf(body)),
    expectedRevision,
  }
}

/** A component as callers see it. */
export function showComponent(
  document: CatalogDocument,
  streamCount: number,
  stream?: readonly StreamRecord[],
): ComponentRecord {
  const { lastOrdinal: _, ...body } = componentBodyOf(document)
  const shown = { uid: document.uid, ...body, revision: document.revision, streamCount }
  return stream === undefined ? shown : { ...shown, stream }
}
