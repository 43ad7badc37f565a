import { ID_LENGTH_MAX, Type } from '../../base/index.ts'
import {
  descriptionShape,
  idShape,
  nameShape,
  referenceShape,
  revisionShape,
} from '../../catalog/shape/index.ts'

/** How serious an alert is, from the least. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const
type Severity = (typeof SEVERITIES)[number]

/** Streams that one alert names. More belong to a template or have labels. */
const ALERT_STREAMS_MAX = 1_000
/** Channels of one alert. */
const ALERT_CHANNELS_MAX = 20
/** Some pages of text, so that reading a condition stays a matter of milliseconds. */
export const CONDITION_LENGTH_MAX = 10_000
/** As much as an email or a chat message shows. */
export const MESSAGE_LENGTH_MAX = 2_000

const DAY_MS = 86_400_000
/** A year and a month: what happens once a year can be watched. */
const DURATION_MS_MAX = 400 * DAY_MS
/** A shorter silence is shorter than the tick of the timers. */
export const SILENCE_MS_MIN = 1_000
/** A sample takes a moment to arrive. */
export const MAX_AGE_MS_MIN = 1_000
/** More reminders an hour than 60 help nobody. */
export const REPEAT_MS_MIN = 60_000
const MAX_AGE_MS_DEFAULT = 3_600_000

const duration = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: DURATION_MS_MAX, description }))

const watchedStreamShape = Type.Object({
  componentUid: Type.Optional(Type.String()),
  componentId: Type.Optional(Type.String({ description: 'Instead of componentUid' })),
  streamUid: Type.Optional(Type.String()),
  streamId: Type.Optional(Type.String({ description: 'Instead of streamUid' })),
})

/** What a caller may say about an alert. */
export const alertShape = Type.Object({
  id: idShape('Unique in the organization, may be blank'),
  name: nameShape,
  description: descriptionShape,
  streams: Type.Optional(
    Type.Array(watchedStreamShape, {
      maxItems: ALERT_STREAMS_MAX,
      description: 'The streams that are watched, by UID or ID. Or set template, or labels',
    }),
  ),
  template: Type.Optional(
    Type.Unsafe<{ readonly uid: string } | null>({
      ...referenceShape,
      description: 'Watch streamId in every component that was made from this template',
    }),
  ),
  streamId: Type.Optional(
    Type.String({ maxLength: ID_LENGTH_MAX, description: 'The stream of the template' }),
  ),
  labels: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      description: 'Watch every stream that has all these labels',
    }),
  ),
  condition: Type.Optional(
    Type.String({
      maxLength: CONDITION_LENGTH_MAX,
      description: 'An expression over the sample, such as value > 30. Blank: silence only',
    }),
  ),
  clearCondition: Type.Optional(
    Type.String({
      maxLength: CONDITION_LENGTH_MAX,
      description: 'The alert stops firing when this holds. Blank: when condition does not hold',
    }),
  ),
  forMs: duration('How long the condition must hold before the alert fires'),
  silentForMs: duration('Fire if no sample arrives for so long. 0: silence is not watched'),
  cycle: Type.Optional(
    Type.Unsafe<{ readonly uid: string } | null>({
      ...referenceShape,
      description: 'A CUSTOM cycle whose periods are the active times. null: always active',
    }),
  ),
  severity: Type.Optional(Type.Enum([...SEVERITIES])),
  message: Type.Optional(
    Type.String({
      maxLength: MESSAGE_LENGTH_MAX,
      description: 'Text of notices, with {value}, {time}, {component}, {stream}, and others',
    }),
  ),
  channels: Type.Optional(
    Type.Array(Type.Object({ uid: Type.String() }), {
      maxItems: ALERT_CHANNELS_MAX,
      description: 'Where notices are sent',
    }),
  ),
  notifyClear: Type.Optional(
    Type.Boolean({ description: 'Send a notice when the alert stops firing, too' }),
  ),
  repeatMs: duration('Send a reminder so often while the alert fires. 0: none'),
  maxAgeMs: duration('Samples that are older than this when they arrive change no state'),
  runningUser: Type.Optional(
    Type.Unsafe<{ readonly uid: string } | null>({
      ...referenceShape,
      description: 'The alert reads streams with the permissions of this user',
    }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: 'If false, nothing is evaluated' })),
  revision: revisionShape,
})

/** A stream that an alert names. */
export interface WatchedStream {
  readonly componentUid: string
  readonly streamUid: string
}

/** An alert as the catalog keeps it. */
export type AlertBody = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly streams: readonly WatchedStream[]
  readonly template: { readonly uid: string } | null
  readonly streamId: string
  readonly labels: Readonly<Record<string, string>>
  readonly condition: string
  readonly clearCondition: string
  readonly forMs: number
  readonly silentForMs: number
  readonly cycle: { readonly uid: string } | null
  readonly severity: Severity
  readonly message: string
  readonly channels: readonly { readonly uid: string }[]
  readonly notifyClear: boolean
  readonly repeatMs: number
  readonly maxAgeMs: number
  readonly runningUser: { readonly uid: string }
  readonly enabled: boolean
  /** Since when it is enabled: silence counts from here at the earliest. */
  readonly startedMs: number
}

/** An alert that nothing is said of. */
export const ALERT_DEFAULTS: AlertBody = {
  id: '',
  name: '',
  description: '',
  streams: [],
  template: null,
  streamId: '',
  labels: {},
  condition: '',
  clearCondition: '',
  forMs: 0,
  silentForMs: 0,
  cycle: null,
  severity: 'warning',
  message: '',
  channels: [],
  notifyClear: true,
  repeatMs: 0,
  maxAgeMs: MAX_AGE_MS_DEFAULT,
  runningUser: { uid: '' },
  enabled: true,
  startedMs: 0,
}

/** An alert with where it is kept. */
export type Alert = AlertBody & {
  readonly uid: string
  readonly orgUid: string
  readonly revision: number
}
