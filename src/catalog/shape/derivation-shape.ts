import type { Static } from 'typebox'
import { Type } from '../../base/index.ts'
import { EXPRESSION_LENGTH_MAX } from '../../expression/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { STATISTIC_IDS, type StatisticId } from './statistic-ids.ts'

/** As many as an expression that is checked alone may have. */
const VARIABLES_MAX = 1_000

/** Further back would be a mistake: it is more than a week of minutes. */
const OFFSET_MIN = -10_000

const TRIGGERS = ['ALL', 'ANY'] as const

const variableShape = Type.Object({
  name: Type.String({ description: 'As the formula writes it' }),
  componentId: Type.Optional(
    Type.String({ description: "Blank, as componentUid: the derived stream's own component" }),
  ),
  componentUid: Type.Optional(Type.String()),
  streamId: Type.Optional(Type.String({ description: 'The source, by ID or UID' })),
  streamUid: Type.Optional(Type.String()),
  offset: Type.Optional(
    Type.Integer({
      minimum: OFFSET_MIN,
      maximum: 0,
      description: 'Samples, intervals or periods back: -1 is the one before',
    }),
  ),
  cycleId: Type.Optional(
    Type.String({ description: 'With stat: a statistic of periods instead of samples' }),
  ),
  cycleUid: Type.Optional(Type.String()),
  stat: Type.Optional(Type.String({ description: `One of ${STATISTIC_IDS.join(', ')}, or blank` })),
})

/** What a caller may say about how a stream is derived; it is replaced as a whole. */
export const derivationShape = Type.Object({
  expression: Type.String({ maxLength: EXPRESSION_LENGTH_MAX, description: 'The formula' }),
  variables: Type.Optional(Type.Array(variableShape, { maxItems: VARIABLES_MAX })),
  trigger: Type.Optional(
    Type.Enum([...TRIGGERS], {
      description: 'Runs when all sources have news (default), or any of them',
    }),
  ),
  followsCorrections: Type.Optional(
    Type.Boolean({
      description: 'Whether late, overwritten, and deleted samples trigger a recalculation',
    }),
  ),
})
export type DerivationInput = Static<typeof derivationShape>
export type VariableInput = Static<typeof variableShape>

/** A variable as the catalog keeps it. */
export type DerivationVariable = {
  readonly name: string
  /** '' for the derived stream's own component. */
  readonly componentUid: string
  /** '' in templates, whose streams are named by ID. */
  readonly streamUid: string
  /** Of templates only. */
  readonly streamId: string
  readonly offset: number
  /** '' unless a statistic of periods is taken. */
  readonly cycleUid: string
  readonly cycleId: string
  readonly stat: StatisticId | ''
}

/** How a stream is derived, as the catalog keeps it. */
export type Derivation = {
  readonly expression: string
  readonly variables: readonly DerivationVariable[]
  readonly trigger: (typeof TRIGGERS)[number]
  readonly followsCorrections: boolean
}

/**
 * Up to where each source had samples when the formula was saved, by the source's UID; sources without samples are not
 * among them. Appends derive what lies after.
 */
export type LeftAlone = Readonly<Record<string, number>>

/** How a stream is derived, as callers see it: each source by IDs and UIDs, blank IDs where it is gone. */
export type ShownDerivation = Omit<Derivation, 'variables'> & {
  readonly variables: readonly (DerivationVariable & { readonly componentId: string })[]
}

/** What has become of a derived stream. */
export interface DerivationStatus {
  /** When it was derived last, in epoch ms; null when it never was. */
  readonly lastRun: number | null
  /** Why the latest formula that failed did, or why nothing can be derived. */
  readonly lastError: {
    readonly message: string
    /** Of the result that there is none of; null when no sample caused it. */
    readonly time: number | null
    /** What the variables were, by name. */
    readonly values: Readonly<Record<string, number | string | boolean | null>>
  } | null
  readonly errorCount: number
  readonly sampleCount: number
}

/** Who knows what has become of derived streams. */
export interface DerivationStatusBook {
  /** Of a living derived stream, by its handle. */
  read(handle: number): Promise<DerivationStatus>
  /** The times of the newest samples of streams, undefined where there are none. */
  newestOf(handles: readonly StreamHandle[]): Promise<readonly (number | undefined)[]>
}
