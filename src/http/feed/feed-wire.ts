import {
  BATCH_ENTRIES_MAX,
  DERIVE_STREAMS_MAX,
  DERIVE_TIMEOUT_MS_MAX,
  FEED_LIMIT_MAX,
  ID_LENGTH_MAX,
  QUERY_ENTRIES_MAX,
  SAMPLES_PER_CALL_MAX,
  TEXT_LENGTH_MAX,
  Type,
} from '../../base/index.ts'
import { STATISTIC_IDS } from '../../feed/statistic/index.ts'
import { named, oneOf, SAMPLE_TIMES, timeOf } from '../openapi/answer-schema.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const flag = (description: string) =>
  Type.Optional(Type.Boolean({ description: `${description}. Off if false or 0` }))
const whole = (description: string, minimum: number) =>
  Type.Optional(Type.Integer({ format: 'int64', minimum, description }))
const wholeNumber = (description: string) => Type.Integer({ format: 'int64', description })

/** An ID that a call names: not blank. */
const idOf = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: ID_LENGTH_MAX,
    pattern: '\\S',
    ...(description === '' ? {} : { description }),
  })

/** Where a component stands in a path. */
export const componentPath = Type.Object({
  compId: idOf('Component ID'),
})

/** Where a stream stands in a path. */
export const streamPath = Type.Object({
  compId: idOf('Component ID'),
  streamId: idOf('Stream ID'),
})

/** Where a stream stands in a path by UIDs. */
export const uidPath = Type.Object({ componentUid: Type.String(), uid: Type.String() })

/** Where a statistic stands in a path, behind a component or a stream. */
export const statisticPath = Type.Object({
  cycleId: Type.String({ description: 'second, 10sec, minute, … year, or a custom cycle' }),
  statId: Type.Enum([...STATISTIC_IDS]),
})

/** Parameters of every GET of samples, last values and statistics. */
export const feedQuery = Type.Object({
  sd: Type.Optional(timeOf('Start (inclusive). Requires ed')),
  ed: Type.Optional(timeOf('End (exclusive). Without it, the latest samples')),
  limit: whole(
    `Maximum number of items over all streams, ${FEED_LIMIT_MAX} by default and at most`,
    1,
  ),
  format: Type.Optional(
    oneOf(['csv', 'json'], 'Response format. Default: the Accept header (text/csv or JSON)'),
  ),
  retFData: flag('Adds fData: the value formatted with its unit'),
  retUnit: flag('Adds the unit symbol'),
  retStreamId: flag('Adds streamId'),
  retCompId: flag('Adds compId'),
  retIntvlSd: flag('Adds sdTime, the start of an interval sample'),
})

/** Parameters of GET feed by UIDs, which also serves statistics. */
export const feedByUidQuery = Type.Object({
  ...feedQuery.properties,
  cycle: text('Cycle ID. Requires stat'),
  stat: Type.Optional(oneOf([...STATISTIC_IDS], 'A statistic for each period of the cycle')),
})

const value = Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()])

const sample = named(
  'Sample',
  {
    compId: Type.Optional(Type.String({ description: 'With retCompId' })),
    streamId: Type.Optional(Type.String({ description: 'With retStreamId' })),
    time: wholeNumber('Epoch milliseconds. For interval samples, the end of the interval'),
    data: value,
    fData: Type.Optional(Type.String({ description: 'With retFData' })),
    unit: Type.Optional(Type.String({ description: 'With retUnit' })),
    sdTime: Type.Optional(wholeNumber('With retIntvlSd: start of the interval')),
  },
  { time: 1767225600000, data: 70.1 },
)

const readHeaders = {
  'Weir-More': { type: 'string', description: 'true if the limit removed items' },
  Link: {
    type: 'string',
    description: 'If items were removed, for one stream: URL of the next page, rel="next"',
  },
}

/**
 * The answer of every GET of samples, last values and statistics. CSV is described in words only: with
 * two media types every generated client would have to ask which one came.
 */
export const feedAnswer = {
  description: 'Samples of each stream, newest first. text/csv if requested by format or Accept',
  headers: readHeaders,
  content: {
    'application/json': {
      schema: Type.Array(sample, { examples: [[{ time: 1767225600000, data: 70.1 }]] }),
    },
  },
}

/** Warnings of a successful call; see WARNING_HEADER. */
export const warningHeaders = {
  'Weir-Warning': {
    type: 'string',
    description:
      'Warnings about stored samples, for example how many ' +
      'are older than the retention of the delete profile and will be deleted',
  },
}

/**
 * The answer of PUT /feed. It declares no content: without rsid the body is empty, and a generated
 * client would fail to parse it as the JSON that rsid asks for.
 */
export const putFeedAnswer = {
  // The collector of the description leaves the content of this type out.
  type: 'null',
  description:
    'Stored. The body is empty and has no content type. With rsid it is application/json: an ' +
    'object with the last value of each requested stream by stream ID, as {"setpoint":70,"state":"on"}, ' +
    'and in "missing" a list of the streams that rsid created',
  headers: warningHeaders,
}

/** Parameters of PUT /feed; any other name is a stream ID when there is no body. */
export const putFeedQuery = Type.Object({
  compId: Type.Optional(idOf('Component of the samples. Required without a body')),
  compTmplId: text('Template if the component is created'),
  compName: text('Name if the component is created'),
  time: text('Times of the values, in order, separated by delim: epoch milliseconds or RFC 3339'),
  timeEl: text('Milliseconds since each value was read, separated by delim'),
  freq: whole('Milliseconds between values. The last value has the time of the upload', 1),
  data: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: QUERY_ENTRIES_MAX,
      description: 'Values in the order of the streams. Can be repeated',
    }),
  ),
  rsid: Type.Optional(
    Type.Array(idOf('Stream ID'), {
      maxItems: QUERY_ENTRIES_MAX,
      description: 'Streams whose last values are returned. Can be repeated',
    }),
  ),
  delim: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Separator of values and times, a comma by default',
    }),
  ),
  folder: text('Folder if the component is created. Starts with /Components'),
  dtId: text('Template of the stream dsId, which defines created streams'),
  dsId: text('Stream of the template dtId'),
  autofillGapsWithNulls: Type.Optional(
    Type.Boolean({
      description: 'false keeps stored values of intervals that are not in the request',
    }),
  ),
  derMaxS: whole(
    `Maximum number of streams calculated during the request, at most ${DERIVE_STREAMS_MAX}`,
    0,
  ),
  derTout: whole(`Time limit of the request in milliseconds, at most ${DERIVE_TIMEOUT_MS_MAX}`, 0),
  streams: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      maxProperties: QUERY_ENTRIES_MAX,
      description:
        'Values by stream ID. Every name that is not another parameter is a stream ID, so each of ' +
        'these is a parameter of its own',
      examples: [{ temp: '71.5', state: 'on' }],
    }),
  ),
})

/** Parameters of GET /feed, which is a put when it says so. */
export const asPutQuery = Type.Object({
  ...putFeedQuery.properties,
  asPut: Type.Boolean({ description: 'Treats the GET as a PUT' }),
})

const idText = idOf('')
const incomingValue = Type.Union([
  Type.Number(),
  Type.String({ maxLength: TEXT_LENGTH_MAX }),
  Type.Boolean(),
  Type.Null(),
])
const samplesMax = { maxItems: SAMPLES_PER_CALL_MAX }
const times = Type.Optional(Type.Array(timeOf('Time of each value', SAMPLE_TIMES), samplesMax))

const incomingSample = named('IncomingSample', {
  compId: idText,
  streamId: idText,
  data: incomingValue,
  time: Type.Optional(timeOf('Assigned by the service if missing', SAMPLE_TIMES)),
})

const batch = named('FeedBatch', {
  feed: Type.Object({
    component: Type.Array(
      Type.Object({
        componentId: Type.Optional(idText),
        componentUid: Type.Optional(Type.String()),
        compTmplId: Type.Optional(Type.String()),
        time: times,
        defaults: Type.Optional(Type.Object({ name: Type.Optional(Type.String()) })),
        stream: Type.Array(
          Type.Object({
            streamId: Type.Optional(idText),
            streamUid: Type.Optional(Type.String()),
            time: times,
            data: Type.Array(incomingValue, samplesMax),
          }),
          { maxItems: BATCH_ENTRIES_MAX },
        ),
      }),
      { maxItems: BATCH_ENTRIES_MAX },
    ),
  }),
})

const sampleList = Type.Array(incomingSample, samplesMax)

/** The two JSON forms of PUT /feed. */
export const putFeedBody = Type.Union([sampleList, batch], {
  title: 'FeedBody',
  description: 'Samples of any components and streams. Optional if the samples are in the URL',
  examples: [[{ compId: 'boiler', streamId: 'temp', time: 1767225600000, data: 70.1 }]],
})

/** What a delete says. */
export const deleteFeedQuery = Type.Object({
  sd: timeOf('Start of the range (inclusive)'),
  ed: timeOf('End of the range (exclusive)'),
})
