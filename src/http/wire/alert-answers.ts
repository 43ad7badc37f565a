/** Alerts, their states, and their events, as they are answered. */

import { ALERT_STATES, EVENT_CAUSES, SEVERITIES } from '../../alerts/index.ts'
import { Type } from '../../base/index.ts'
import {
  answerWith,
  EXAMPLE_UID,
  msOf,
  named,
  oneOf,
  orNull,
  timeOf,
} from '../openapi/answer-schema.ts'

const duration = (description: string) =>
  Type.Integer({ description: `${description}, in milliseconds` })

/** An alert. */
export const alertRecord = named(
  'Alert',
  {
    uid: Type.String({ description: 'Blank before the record is saved' }),
    id: Type.String({ description: 'Chosen by users, optional' }),
    name: Type.String(),
    description: Type.String(),
    streams: Type.Array(
      named('WatchedStream', {
        componentUid: Type.String(),
        streamUid: Type.String(),
        componentId: Type.String({ description: 'Blank if deleted or not accessible' }),
        streamId: Type.String({ description: 'Blank if deleted or not accessible' }),
      }),
    ),
    template: orNull(Type.Object({ uid: Type.String() })),
    streamId: Type.String({ description: 'The stream of the template' }),
    labels: Type.Record(Type.String(), Type.String()),
    condition: Type.String(),
    clearCondition: Type.String(),
    forMs: duration('How long the condition must hold'),
    silentForMs: duration('Silence after which the alert fires, 0 = not watched'),
    cycle: orNull(Type.Object({ uid: Type.String() })),
    severity: oneOf(SEVERITIES),
    message: Type.String(),
    channels: Type.Array(Type.Object({ uid: Type.String() })),
    notifyClear: Type.Boolean(),
    repeatMs: duration('Time between reminders, 0 = none'),
    maxAgeMs: duration('Greatest age of samples that are evaluated'),
    runningUser: Type.Object(
      { uid: Type.String(), name: Type.String() },
      { description: 'The alert reads streams with the permissions of this user' },
    ),
    enabled: Type.Boolean(),
    startedMs: msOf('Since when it is enabled, read-only'),
    state: oneOf(ALERT_STATES, 'Worst state of its streams, read-only'),
    firingCount: Type.Integer({ description: 'Streams on which it fires, read-only' }),
    pendingCount: Type.Integer({ description: 'Streams on which it is pending, read-only' }),
    problem: Type.String({ description: 'Why it cannot be evaluated, blank if it can, read-only' }),
    mute: orNull(
      named('AlertMute', {
        sinceMs: msOf('When it began'),
        untilMs: orNull(msOf('When it ends, null = when somebody ends it')),
        by: Type.String({ description: 'Name of the user' }),
      }),
    ),
    revision: Type.Integer({ description: 'Number of changes' }),
  },
  {
    uid: EXAMPLE_UID,
    id: 'too-hot',
    name: 'Boiler too hot',
    description: '',
    streams: [
      {
        componentUid: EXAMPLE_UID,
        streamUid: EXAMPLE_UID,
        componentId: 'boiler',
        streamId: 'temp',
      },
    ],
    template: null,
    streamId: '',
    labels: {},
    condition: 'value > 80',
    clearCondition: 'value < 75',
    forMs: 600_000,
    silentForMs: 0,
    cycle: null,
    severity: 'warning',
    message: '{component} has {value} °C',
    channels: [],
    notifyClear: true,
    repeatMs: 0,
    maxAgeMs: 3_600_000,
    runningUser: { uid: EXAMPLE_UID, name: 'Ada Lovelace' },
    enabled: true,
    startedMs: 1_700_000_000_000,
    state: 'OK',
    firingCount: 0,
    pendingCount: 0,
    problem: '',
    mute: null,
    revision: 1,
  },
)

const ofStream = {
  streamUid: Type.String(),
  streamId: Type.String({ description: 'Blank if deleted or not accessible' }),
  componentUid: Type.String(),
  componentId: Type.String({ description: 'Blank if deleted or not accessible' }),
}

const exampleOfStream = {
  streamUid: EXAMPLE_UID,
  streamId: 'temp',
  componentUid: EXAMPLE_UID,
  componentId: 'boiler',
}

/** The state of an alert on one stream. */
export const alertStateRecord = named(
  'AlertState',
  {
    ...ofStream,
    state: oneOf(ALERT_STATES),
    cause: oneOf(['condition', 'silence']),
    startedMs: msOf('Since when the state holds'),
    sampleTime: orNull(msOf('Time of the sample that changed the state')),
    value: orNull(Type.String({ description: 'Its value as text' })),
    acknowledged: orNull(
      named('AlertAcknowledgment', {
        atMs: msOf('When'),
        by: Type.String({ description: 'Name of the user' }),
        comment: Type.String(),
      }),
    ),
  },
  {
    ...exampleOfStream,
    state: 'FIRING',
    cause: 'condition',
    startedMs: 1_700_000_600_000,
    sampleTime: 1_700_000_600_000,
    value: '81.5',
    acknowledged: null,
  },
)

const eventFields = {
  uid: Type.String(),
  alertUid: Type.String(),
  ...ofStream,
  componentName: Type.String(),
  before: oneOf(ALERT_STATES),
  state: oneOf(ALERT_STATES),
  cause: oneOf(EVENT_CAUSES, 'What changed the state'),
  time: msOf('When the change was noticed'),
  startedMs: msOf('Since when the state holds'),
  sampleTime: orNull(msOf('Time of the sample that changed the state')),
  value: orNull(Type.String({ description: 'Its value as text' })),
}

const exampleEvent = {
  uid: EXAMPLE_UID,
  alertUid: EXAMPLE_UID,
  ...exampleOfStream,
  componentName: 'Boiler',
  before: 'PENDING',
  state: 'FIRING',
  cause: 'sample',
  time: 1_700_000_600_150,
  startedMs: 1_700_000_600_000,
  sampleTime: 1_700_000_600_000,
  value: '81.5',
}

/** A change of a state. */
export const alertEventRecord = named(
  'AlertEvent',
  { ...eventFields, message: Type.String() },
  { ...exampleEvent, message: 'Boiler has 81.5 °C' },
)

/** Streams that one call names: all of a large board. */
const BOARD_STREAMS_MAX = 1_000
/** Lists that one call names: one for each panel of a board. */
const BOARD_LISTS_MAX = 100
/** Alerts of a list: more than a panel shows. */
const BOARD_LIST_MAX = 100

/** The longest path of a folder. */
const PLACE_LENGTH_MAX = 1_024

const placeText = (description: string) =>
  Type.Optional(Type.String({ maxLength: PLACE_LENGTH_MAX, description }))

/** Streams of charts with their ranges, and lists of panels. */
export const boardAlertsBody = named(
  'BoardAlertsBody',
  {
    event: Type.Optional(
      Type.Array(
        Type.Object({
          streamUid: Type.String(),
          from: timeOf('Start (inclusive)'),
          until: timeOf('End (exclusive)'),
        }),
        { maxItems: BOARD_STREAMS_MAX, description: 'The streams whose events are returned' },
      ),
    ),
    list: Type.Optional(
      Type.Array(
        Type.Object({
          state: Type.Optional(
            Type.Enum(['FIRING', 'ALL'], {
              description: 'FIRING: where alerts fire. ALL: pending and other alerts, too',
            }),
          ),
          template: placeText('Template ID of the components. Blank: all'),
          folder: placeText('Folder of the components. Blank: all'),
          label: placeText('Label of the components, such as site=north. Blank: all'),
          limit: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: BOARD_LIST_MAX,
              description: 'Alerts to return, 50 by default',
            }),
          ),
        }),
        { maxItems: BOARD_LISTS_MAX, description: 'Lists of alerts' },
      ),
    ),
  },
  {
    list: [{ state: 'FIRING', folder: '/Components/Hall 1' }],
    event: [{ streamUid: EXAMPLE_UID, from: 1_700_000_000_000, until: 1_700_003_600_000 }],
  },
)

const exampleBoardEvent = { ...exampleEvent, alertName: 'Boiler too hot', severity: 'warning' }

const exampleBoardAlert = {
  alertUid: EXAMPLE_UID,
  alertName: 'Boiler too hot',
  severity: 'warning',
  state: 'FIRING',
  isMuted: false,
  isAcknowledged: false,
  startedMs: 1_700_000_600_000,
  ...exampleOfStream,
  value: '81.5',
}
const boardListExample = { alert: [exampleBoardAlert], totalCount: 1, firingCount: 1, error: '' }

const boardList = named(
  'BoardAlertList',
  {
    alert: Type.Array(
      named(
        'BoardAlert',
        {
          alertUid: Type.String(),
          alertName: Type.String(),
          severity: oneOf(SEVERITIES),
          state: oneOf(ALERT_STATES),
          isMuted: Type.Boolean(),
          isAcknowledged: Type.Boolean(),
          startedMs: orNull(msOf('Since when the state holds')),
          ...ofStream,
          value: orNull(Type.String({ description: 'Value of the sample that changed the state' })),
        },
        exampleBoardAlert,
      ),
      { description: 'Firing ones first, then by severity, then the newest. OK: without a stream' },
    ),
    totalCount: Type.Integer({ description: 'Rows of the list without its limit. 0 if that is 0' }),
    firingCount: Type.Integer({ description: 'Alerts that fire' }),
    error: Type.String({ description: 'Why there is no list, otherwise blank' }),
  },
  boardListExample,
)

/** Events and lists of alerts, as a board shows them. */
export const boardAlertsAnswer = answerWith(
  'BoardAlertsAnswer',
  {
    event: Type.Array(
      named(
        'BoardAlertEvent',
        { ...eventFields, alertName: Type.String(), severity: oneOf(SEVERITIES) },
        exampleBoardEvent,
      ),
      { description: 'When alerts began and stopped to fire, the newest first' },
    ),
    isCut: Type.Boolean({ description: 'Whether older events were left out' }),
    list: Type.Array(boardList, { description: 'In the order of the request' }),
  },
  { event: [exampleBoardEvent], isCut: false, list: [boardListExample] },
)

/** When an alert would have fired. */
export const alertPreviewRecord = named(
  'AlertPreview',
  {
    from: msOf('Begin of the time that was looked at'),
    until: msOf('Its end'),
    streamCount: Type.Integer({ description: 'Streams that the alert would watch' }),
    streams: Type.Array(
      named('PreviewedStream', {
        ...ofStream,
        sampleCount: Type.Integer(),
        firingCount: Type.Integer({ description: 'How often it would have begun to fire' }),
        firings: Type.Array(
          Type.Object({
            from: msOf('When it would have begun to fire'),
            until: orNull(msOf('When it would have ended, null = it would still fire')),
          }),
          { description: 'The first 100' },
        ),
        error: Type.String({ description: 'Why the condition failed on a sample, else blank' }),
      }),
      { description: 'The first 20' },
    ),
    isCut: Type.Boolean({ description: 'Whether streams or samples were left out' }),
  },
  {
    from: 1_699_395_200_000,
    until: 1_700_000_000_000,
    streamCount: 1,
    streams: [
      {
        ...exampleOfStream,
        sampleCount: 10_080,
        firingCount: 1,
        firings: [{ from: 1_699_500_000_000, until: 1_699_503_600_000 }],
        error: '',
      },
    ],
    isCut: false,
  },
)
