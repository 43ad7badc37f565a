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
  Type.Optional(Type.Boolean({ description: `${description}; present counts, false and 0 do not` }))
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
  cycleId: Type.String({ description: 'second, 10sec, minute, … year, or a cycle of your own' }),
  statId: Type.Enum([...STATISTIC_IDS]),
})

/** Parameters of every GET of samples, last values and statistics. */
export const feedQuery = Type.Object({
  sd: Type.Optional(timeOf('Start, inclusive, only together with ed')),
  ed: Type.Optional(timeOf('End, exclusive; without it the latest samples')),
  limit: whole(
    `At most this many items over all streams; ${FEED_LIMIT_MAX} by default; more counts as that`,
    1,
  ),
  format: Type.Optional(
    oneOf(['csv', 'json'], 'Without it the header Accept decides, text/csv or JSON'),
  ),
  retFData: flag('Adds fData, the value formatted with its unit'),
  retUnit: flag('Adds unit, the symbol'),
  retStreamId: flag('Adds streamId'),
  retCompId: flag('Adds compId'),
  retIntvlSd: flag('Adds sdTime, the start of an interval sample'),
})

/** Parameters of GET feed by UIDs, which tells statistics, too. */
export const feedByUidQuery = Type.Object({
  ...feedQuery.properties,
  cycle: text('Cycle ID, together with stat'),
  stat: Type.Optional(oneOf([...STATISTIC_IDS], 'A statistic for each period of the cycle')),
})

const value = Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()])

const sample = named(
  'Sample',
  {
    compId: Type.Optional(Type.String({ description: 'With retCompId' })),
    streamId: Type.Optional(Type.String({ description: 'With retStreamId' })),
    time: wholeNumber('Epoch ms; of interval samples the end of the interval'),
    data: value,
    fData: Type.Optional(Type.String({ description: 'With retFData' })),
    unit: Type.Optional(Type.String({ description: 'With retUnit' })),
    sdTime: Type.Optional(wholeNumber('With retIntvlSd: the start of the interval')),
  },
  { time: 1767225600000, data: 70.1 },
)

const readHeaders = {
  'Weir-More': { type: 'string', description: 'true when limit has cut something off' },
  Link: { type: 'string', description: 'Then, of one stream: the call that goes on, rel="next"' },
}

/**
 * The answer of every GET of samples, last values and statistics. CSV is told in words alone: with
 * two media types every generated client would have to ask which one came.
 */
export const feedAnswer = {
  description:
    'Samples, of every stream from latest to earliest; text/csv when format or Accept asks for it',
  headers: readHeaders,
  content: {
    'application/json': {
      schema: Type.Array(sample, { examples: [[{ time: 1767225600000, data: 70.1 }]] }),
    },
  },
}

/** What is told beside a success; see WARNING_HEADER. */
export const warningHeaders = {
  'Weir-Warning': {
    type: 'string',
    description:
      'A list of what the caller should know although everything is stored, e.g. how many samples ' +
      'are older than the delete profile keeps and will be deleted',
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
  compId: Type.Optional(idOf('Component of the samples; mandatory without a body')),
  compTmplId: text('Template for a component that is to be created'),
  compName: text('Name of a component that is to be created'),
  time: text('Times of the values, epoch ms or RFC 3339, delimited, in their order'),
  timeEl: text('Elapsed ms since each value was read, delimited'),
  freq: whole('Milliseconds between values; the last one is taken at the upload', 1),
  data: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: QUERY_ENTRIES_MAX,
      description: 'Values by definition order; may repeat',
    }),
  ),
  rsid: Type.Optional(
    Type.Array(idOf('Stream ID'), {
      maxItems: QUERY_ENTRIES_MAX,
      description: 'Streams whose last values to answer; may repeat',
    }),
  ),
  delim: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Between values and between times; a comma by default',
    }),
  ),
  folder: text('Folder of a component that is to be created; starts with /Components'),
  dtId: text('Template whose stream dsId defines streams that are to be created'),
  dsId: text('Stream of the template dtId'),
  autofillGapsWithNulls: Type.Optional(
    Type.Boolean({ description: 'false keeps stored values of intervals not in the call' }),
  ),
  derMaxS: whole(
    `Most streams derived within the call; more than ${DERIVE_STREAMS_MAX} counts as that`,
    0,
  ),
  derTout: whole(
    `Time limit of the call in ms; more than ${DERIVE_TIMEOUT_MS_MAX} counts as that`,
    0,
  ),
  streams: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      maxProperties: QUERY_ENTRIES_MAX,
      description:
        'Values by stream ID: every name that is no other parameter is a stream ID, so each of ' +
        'these is a parameter of its own',
      examples: [{ temp: '71.5', state: 'on' }],
    }),
  ),
})

/** Parameters of GET /feed, which is a put when it says so. */
export const asPutQuery = Type.Object({
  ...putFeedQuery.properties,
  asPut: Type.Boolean({ description: 'Makes the GET count as the PUT' }),
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
  time: Type.Optional(timeOf('Assigned by the service when missing', SAMPLE_TIMES)),
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
  description: 'Samples of any components and streams; left out, everything is in the URL',
  examples: [[{ compId: 'boiler', streamId: 'temp', time: 1767225600000, data: 70.1 }]],
})

/** What a delete says. */
export const deleteFeedQuery = Type.Object({
  sd: timeOf('Start of the range, inclusive'),
  ed: timeOf('End of the range, exclusive'),
})
