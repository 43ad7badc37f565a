import { Type } from 'typebox'
import {
  DERIVE_STREAMS_MAX,
  DERIVE_TIMEOUT_MS_MAX,
  FEED_LIMIT_MAX,
  ID_LENGTH_MAX,
} from '../../base/index.ts'
import { STATISTIC_IDS } from '../../feed/index.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const flag = (description: string) =>
  Type.Optional(Type.String({ description: `${description}; present counts, false and 0 do not` }))

/** Where a component stands in a path. */
export const componentPath = Type.Object({
  compId: Type.String({ minLength: 1, maxLength: ID_LENGTH_MAX, description: 'Component ID' }),
})

/** Where a stream stands in a path. */
export const streamPath = Type.Object({
  compId: Type.String({ minLength: 1, maxLength: ID_LENGTH_MAX, description: 'Component ID' }),
  streamId: Type.String({ minLength: 1, maxLength: ID_LENGTH_MAX, description: 'Stream ID' }),
})

/** Where a statistic stands in a path, behind a component or a stream. */
export const statisticPath = Type.Object({
  cycleId: Type.String({ description: 'second, 10sec, minute, … year, or a cycle of your own' }),
  statId: Type.Enum([...STATISTIC_IDS]),
})

/** Parameters of every GET of samples, last values and statistics. */
export const feedQuery = Type.Object({
  sd: text('Start, epoch ms, inclusive; only together with ed'),
  ed: text('End, epoch ms, exclusive; missing: the latest samples'),
  limit: text(`At most this many items over all streams; ${FEED_LIMIT_MAX} by default and at most`),
  format: text('csv or json; without it the header Accept decides, text/csv or JSON'),
  retFData: flag('Adds fData, the value formatted with its unit'),
  retUnit: flag('Adds unit, the symbol'),
  retStreamId: flag('Adds streamId'),
  retCompId: flag('Adds compId'),
  retIntvlSd: flag('Adds sdTime, the start of an interval sample'),
})

/** The answer of every GET of samples, last values and statistics. */
export const feedAnswer = Type.Array(
  Type.Object({
    compId: Type.Optional(Type.String()),
    streamId: Type.Optional(Type.String()),
    time: Type.Integer({ description: 'Epoch ms; of interval samples the end of the interval' }),
    data: Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()]),
    fData: Type.Optional(Type.String()),
    unit: Type.Optional(Type.String()),
    sdTime: Type.Optional(Type.Integer()),
  }),
)

/** What is told beside a success; see WARNING_HEADER. */
export const warningHeaders = {
  'Weir-Warning': {
    type: 'string',
    description:
      'A list of what the caller should know although everything is stored, e.g. how many samples ' +
      'are older than the delete profile keeps and will be deleted',
  },
}

/** The answer of PUT /feed. */
export const putFeedAnswer = Type.Any({
  description: 'Empty, or the last values of the streams that rsid asks for',
  headers: warningHeaders,
})

/** Parameters of PUT /feed; any other name is a stream ID when there is no body. */
export const putFeedQuery = Type.Object(
  {
    compId: text('Component of the samples; mandatory without a body'),
    compTmplId: text('Template for a component that is to be created'),
    compName: text('Name of a component that is to be created'),
    time: text('Epoch ms of the values, delimited, in their order'),
    timeEl: text('Elapsed ms since each value was read, delimited'),
    freq: text('Milliseconds between values; the last one is taken at the upload'),
    data: Type.Optional(
      Type.Array(Type.String(), { description: 'Values by definition order; may repeat' }),
    ),
    rsid: Type.Optional(
      Type.Array(Type.String(), { description: 'Streams whose last values to answer; may repeat' }),
    ),
    delim: text('Between values and between times; a comma by default'),
    folder: text('Folder of a component that is to be created; starts with /Components'),
    dtId: text('Component whose stream dsId defines streams that are to be created'),
    dsId: text('Stream of the component dtId'),
    asPut: flag('Makes a GET count as the PUT'),
    autofillGapsWithNulls: text('false keeps stored values of intervals that are not in the call'),
    derMaxS: text(`Most streams derived within the call, at most ${DERIVE_STREAMS_MAX}`),
    derTout: text(`Time limit of the call in ms, at most ${DERIVE_TIMEOUT_MS_MAX}`),
  },
  { additionalProperties: Type.String({ description: 'Values of the stream with this ID' }) },
)

const value = Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()])
const idText = Type.String({ minLength: 1, maxLength: ID_LENGTH_MAX })
const times = Type.Optional(Type.Array(Type.Integer({ description: 'Epoch ms' })))

/** The two JSON forms of PUT /feed. */
export const putFeedBody = Type.Union([
  Type.Array(
    Type.Object({
      compId: idText,
      streamId: idText,
      data: value,
      time: Type.Optional(Type.Integer({ description: 'Epoch ms; assigned when missing' })),
    }),
  ),
  Type.Object({
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
              data: Type.Array(value),
            }),
          ),
        }),
      ),
    }),
  }),
])

/** What a delete says. */
export const deleteFeedQuery = Type.Object({
  sd: Type.String({ description: 'Start of the range, epoch ms, inclusive' }),
  ed: Type.String({ description: 'End of the range, epoch ms, exclusive' }),
})
