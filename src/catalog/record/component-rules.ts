/** What a component may be. */
import { ID_LENGTH_MAX } from '../../base/index.ts'
import type { PutComponent, StoredComponent } from '../../store/index.ts'
import {
  type ComponentBody,
  type ComponentInput,
  type ComponentRecord,
  componentBodyOf,
  componentFieldsOf,
} from '../shape/component-shape.ts'
import { readFolder } from '../shape/folder-path.ts'
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
    mainStream: input.mainStream ?? before.mainStream,
    addressedAs: readAddresses(input.addressedAs, before.addressedAs),
  }
  checkId('component.id', body.id)
  checkText('component.name', body.name, NAME_LENGTH_MAX)
  checkText('component.mainStream', body.mainStream, ID_LENGTH_MAX)
  checkText('component.description', body.description, DESCRIPTION_LENGTH_MAX)
  return body
}

/** Doors alone add addresses. A record that is sent back may hold some that were taken away since. */
function readAddresses(
  given: readonly string[] | undefined,
  before: readonly string[],
): readonly string[] {
  if (given === undefined) return before
  const kept = new Set(given)
  return before.filter((address) => kept.has(address))
}

/** The write that stores a component. */
export function componentWrite(
  key: { readonly orgUid: string; readonly uid: string },
  body: ComponentBody,
  expectedRevision: number,
): PutComponent {
  return {
    op: 'put_component',
    kind: 'component',
    orgUid: key.orgUid,
    uid: key.uid,
    expectedRevision,
    ...componentFieldsOf(body),
  }
}

/** A component as callers see it. */
export function showComponent(
  component: StoredComponent,
  streamCount: number,
  stream?: readonly StreamRecord[],
): ComponentRecord {
  const { uid, revision } = component
  const { lastOrdinal: _ordinal, addressedAs, ...body } = componentBodyOf(component)
  const addresses = addressedAs.length === 0 ? {} : { addressedAs }
  const shown = { uid, ...body, ...addresses, revision, streamCount }
  return stream === undefined ? shown : { ...shown, stream }
}
