import type { Static } from 'typebox'
import { STREAMS_PER_RECORD_MAX, Type } from '../../base/index.ts'
import type { ComponentFields } from '../../store/index.ts'
import { catalogFolder, PATH_LENGTH_MAX, storedFolder } from './folder-path.ts'
import {
  descriptionShape,
  idShape,
  locationShape,
  mainStreamShape,
  nameShape,
  revisionShape,
} from './record-checks.ts'
import { changedFrom, type Location, type StreamRecord, streamShape } from './stream-shape.ts'

/** Rules are changed a few times in the life of a device. */
export const ADDRESSES_MAX = 1_000

/** What a caller may say about a component; everything is optional, unknown fields are ignored. */
export const componentShape = Type.Object({
  id: idShape('Unique in the organization, may be blank'),
  name: nameShape,
  description: descriptionShape,
  folder: Type.Optional(
    Type.String({
      maxLength: PATH_LENGTH_MAX,
      description: 'A path that starts with /Components; created if missing',
    }),
  ),
  timeZoneId: Type.Optional(Type.String({ description: "An IANA name; default: the owner's" })),
  location: Type.Optional(Type.Union([Type.Null(), locationShape])),
  mainStream: mainStreamShape,
  addressedAs: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: ADDRESSES_MAX,
      description: 'The texts by which other protocols find it: they can be taken away, not added',
    }),
  ),
  stream: Type.Optional(Type.Array(streamShape, { maxItems: STREAMS_PER_RECORD_MAX })),
  revision: revisionShape,
})
export type ComponentInput = Static<typeof componentShape>

/** A person as records show one. */
export type UserReference = { readonly uid: string; readonly name: string }

/** A component as the catalog keeps it. */
export type ComponentBody = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly folder: string
  readonly timeZoneId: string
  /** Epoch milliseconds. */
  readonly creationDate: number
  readonly ownerUser: UserReference | null
  readonly location: Location | null
  /** ID or UID of the stream that lists of devices show; '': that of the template, or else the first. */
  readonly mainStream: string
  /** The ID of the template that it was made from, as it was then; absent where there was none. */
  readonly template?: string
  /** Of the streams that are gone, the last that was counted from its UID. */
  readonly lastOrdinal: number
  /** The texts by which other protocols find it. */
  readonly addressedAs: readonly string[]
}

/** What the catalog keeps of a component for itself. */
type OwnField = 'lastOrdinal' | 'addressedAs'

/** A component as callers see it; lists leave `stream` out. */
export type ComponentRecord = Omit<ComponentBody, OwnField> & {
  /** Absent where there are none. */
  readonly addressedAs?: readonly string[]
  readonly uid: string
  readonly revision: number
  /** How many streams it has; `stream` shows the first thousand of them. */
  readonly streamCount: number
  readonly stream?: readonly StreamRecord[]
}

/** The fields that a store keeps as JSON, as they are by default. */
const defaults: Pick<ComponentBody, 'description' | 'location' | 'mainStream' | 'template'> = {
  description: '',
  location: null,
  mainStream: '',
  template: undefined,
}

/** What a store keeps of a component. */
export function componentFieldsOf(body: ComponentBody): ComponentFields {
  return {
    id: body.id,
    name: body.name,
    folder: storedFolder(body.folder),
    timeZone: body.timeZoneId,
    createdAtMs: body.creationDate,
    owner: body.ownerUser,
    lastOrdinal: body.lastOrdinal,
    addressedAs: body.addressedAs,
    more: changedFrom(defaults, body),
  }
}

/** The component that a store keeps. */
export function componentBodyOf(fields: ComponentFields): ComponentBody {
  return {
    id: fields.id,
    name: fields.name,
    description: '',
    folder: catalogFolder(fields.folder),
    timeZoneId: fields.timeZone,
    creationDate: fields.createdAtMs,
    ownerUser: fields.owner,
    location: null,
    mainStream: '',
    ...fields.more,
    lastOrdinal: fields.lastOrdinal,
    addressedAs: fields.addressedAs,
  }
}
