import type { Static } from 'typebox'
import { STREAMS_PER_RECORD_MAX, Type } from '../../base/index.ts'
import type { JsonObject } from '../../store/index.ts'
import { PATH_LENGTH_MAX, ROOT_FOLDER } from './folder-path.ts'
import {
  descriptionShape,
  idShape,
  locationShape,
  nameShape,
  revisionShape,
} from './record-checks.ts'
import { type Location, type StreamRecord, storedBody, streamShape } from './stream-shape.ts'

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
  /** The ID of the template that it was made from, as it was then; absent where there was none. */
  readonly template?: string
  /** Of the streams that are gone, the last that was counted from its UID. */
  readonly lastOrdinal: number
}

/** A component as callers see it; lists leave `stream` out. */
export type ComponentRecord = Omit<ComponentBody, 'lastOrdinal'> & {
  readonly uid: string
  readonly revision: number
  /** How many streams it has; `stream` shows the first thousand of them. */
  readonly streamCount: number
  readonly stream?: readonly StreamRecord[]
}

const defaults: Partial<ComponentBody> = {
  id: '',
  name: '',
  description: '',
  folder: ROOT_FOLDER,
  timeZoneId: 'UTC',
  creationDate: 0,
  ownerUser: null,
  location: null,
  lastOrdinal: 0,
}

/** A component as it is stored: without what is as by default, and without a name that is its ID. */
export function storedComponent(body: ComponentBody): JsonObject {
  return storedBody(body, defaults)
}

/** The component of a stored document, whole again; documents of before have every field. */
export function componentBodyOf({ body }: { readonly body: JsonObject }): ComponentBody {
  return { ...defaults, name: body.id ?? '', ...body } as unknown as ComponentBody
}

/** What a component with an ID claims in its organization. */
export function componentClaim(compId: string): string {
  return `component_id:${compId}`
}
