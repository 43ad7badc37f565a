import type { Static } from 'typebox'
import { Type } from '../../base/index.ts'
import {
  type JsonObject,
  type JsonValue,
  type Labels,
  LOOKBACK_FIELD,
  type StreamDefinition,
  type StreamFields,
} from '../../store/index.ts'
import {
  type Derivation,
  type DerivationStatus,
  derivationShape,
  type LeftAlone,
  type ShownDerivation,
} from './derivation-shape.ts'
import {
  descriptionShape,
  idShape,
  locationShape,
  nameShape,
  referenceShape,
  revisionShape,
} from './record-checks.ts'
import { STREAM_TYPES, type StreamType, streamKindOf } from './stream-kind.ts'
import { VALUE_TYPES, type ValueType, valueCodeOf } from './value-type.ts'

/** How a stream is summed up where a cycle is asked for without a statistic. */
export const ROLLUP_METHODS = ['avg', 'sum', 'min', 'max', 'first', 'last'] as const
export type RollupMethod = (typeof ROLLUP_METHODS)[number]

/** A year: longer than any base interval but some of years. */
const LOOKBACK_MS_MAX = 366 * 86_400_000

const DERIVATION_TYPES = ['NONE', 'FROM_EXPRESSION'] as const
type DerivationType = (typeof DERIVATION_TYPES)[number]

/** What a caller may say about a stream; everything is optional, unknown fields are ignored. */
export const streamShape = Type.Object({
  uid: Type.Optional(
    Type.String({
      description: 'Names the stream to change in a component edit; one from stream/new adds it',
    }),
  ),
  id: idShape('Unique in its component, may be blank'),
  name: nameShape,
  description: descriptionShape,
  streamType: Type.Optional(Type.Enum([...STREAM_TYPES])),
  valueType: Type.Optional(Type.Enum([...VALUE_TYPES])),
  unit: Type.Optional(referenceShape),
  baseCycle: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.String({ description: 'The ID of a cycle' }),
      Type.Object({ uid: Type.Optional(Type.String()), id: Type.Optional(Type.String()) }),
    ]),
  ),
  rollupMethod: Type.Optional(
    Type.String({ description: `One of ${ROLLUP_METHODS.join(', ')}, in any case` }),
  ),
  streamDerivationType: Type.Optional(Type.Enum([...DERIVATION_TYPES])),
  derivation: Type.Optional(Type.Union([Type.Null(), derivationShape])),
  delete_profile: Type.Optional(referenceShape),
  location: Type.Optional(Type.Union([Type.Null(), locationShape])),
  lookbackMs: Type.Optional(
    Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: LOOKBACK_MS_MAX })], {
      description:
        'For how long a sample counts in queries of Prometheus. 5 minutes by default, or twice the base interval',
    }),
  ),
  labels: Type.Optional(
    Type.Unsafe<Labels>({
      type: 'object',
      description: 'Names and texts by which streams are found and told apart; replaced as a whole',
    }),
  ),
  revision: revisionShape,
})
export type StreamInput = Static<typeof streamShape>

export type Location = Static<typeof locationShape>
export type Reference = { readonly uid: string }

/** A stream as the catalog keeps it. */
export type StreamBody = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly streamType: StreamType
  readonly valueType: ValueType
  readonly unit: Reference | null
  readonly baseCycle: { readonly uid: string; readonly id: string } | null
  readonly rollupMethod: RollupMethod
  readonly streamDerivationType: DerivationType
  /** Null unless the stream is derived by an expression. */
  readonly derivation: Derivation | null
  readonly delete_profile: Reference | null
  readonly location: Location | null
  /** For how long a sample counts in queries of Prometheus; absent where the default holds. */
  readonly lookbackMs?: number
  /** Absent where there are none. */
  readonly labels?: Labels
}

/** A stream of a component: with its place in the definition order and its frozen intervals. */
export type PlacedStreamBody = StreamBody & {
  readonly order: number
  /** The base cycle with its zone as JSON, frozen at creation; '' unless an interval stream. */
  readonly grid: string
  /** Of a derived stream whose sources had samples when its formula was saved. */
  readonly leftAlone?: LeftAlone
  /** The labels by which other protocols find it. */
  readonly series?: Labels
}

/** A stream as callers see it. */
export type StreamRecord = Omit<StreamBody, 'derivation'> & {
  /** As the next, of derived streams only. */
  readonly derivation?: ShownDerivation
  readonly derivationStatus?: DerivationStatus
  /** The labels by which other protocols find it; absent unless one of them made or adopted it. */
  readonly series?: Labels
  readonly uid: string
  /** The zone its intervals lie in; '' unless an interval stream. */
  readonly timeZoneId: string
  readonly revision: number
}

/** What a stream is unless said otherwise. */
export const defaultStream: StreamBody = {
  id: '',
  name: '',
  description: '',
  streamType: 'rdm_stream',
  valueType: '',
  unit: null,
  baseCycle: null,
  rollupMethod: 'avg',
  streamDerivationType: 'NONE',
  derivation: null,
  delete_profile: null,
  location: null,
}

/** The fields that a store keeps as JSON, as they are by default. */
const moreDefaults = {
  description: defaultStream.description,
  unit: defaultStream.unit,
  baseCycle: defaultStream.baseCycle,
  rollupMethod: defaultStream.rollupMethod,
  derivation: defaultStream.derivation,
  delete_profile: defaultStream.delete_profile,
  location: defaultStream.location,
  leftAlone: undefined,
  [LOOKBACK_FIELD]: undefined,
}

/** What a store keeps of a stream, beside its place in the component. */
export function definitionOfStream(
  body: Omit<PlacedStreamBody, 'id' | 'name' | 'order'>,
): StreamDefinition {
  return {
    streamKind: streamKindOf(body.streamType),
    valueCode: valueCodeOf(body.valueType),
    isDerived: body.streamDerivationType !== 'NONE',
    hasDeleteProfile: body.delete_profile !== null,
    grid: body.grid,
    more: changedFrom(moreDefaults, body),
  }
}

/** What a store keeps of a stream. */
export function streamFieldsOf(body: PlacedStreamBody): StreamFields {
  return {
    id: body.id,
    name: body.name,
    order: body.order,
    ...definitionOfStream(body),
    ...(body.labels === undefined ? {} : { labels: body.labels }),
    ...(body.series === undefined ? {} : { series: body.series }),
  }
}

/** The stream that a store keeps. */
export function streamBodyOf(fields: StreamFields): PlacedStreamBody {
  return {
    ...defaultStream,
    id: fields.id,
    name: fields.name,
    streamType: STREAM_TYPES[fields.streamKind],
    valueType: VALUE_TYPES[fields.valueCode],
    streamDerivationType: fields.isDerived ? 'FROM_EXPRESSION' : 'NONE',
    ...fields.more,
    order: fields.order,
    grid: fields.grid,
    ...(fields.labels === undefined ? {} : { labels: fields.labels }),
    ...(fields.series === undefined ? {} : { series: fields.series }),
  }
}

/** Of the fields of `defaults`, those of a body that have another value. */
export function changedFrom<Defaults extends object>(
  defaults: Defaults,
  body: Readonly<Partial<Record<keyof Defaults, unknown>>>,
): JsonObject {
  const changed: Record<string, JsonValue> = {}
  for (const field in defaults) {
    const value = body[field]
    if (value !== defaults[field] && value !== undefined) changed[field] = value as JsonValue
  }
  return changed
}
