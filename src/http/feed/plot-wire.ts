import { FEED_LIMIT_MAX, PLOT_POINTS_MAX, Type } from '../../base/index.ts'
import { STATISTIC_IDS } from '../../feed/statistic/index.ts'
import {
  EXAMPLE_UID,
  msOf,
  named,
  oneOf,
  orNull,
  SAMPLE_TIMES,
  timeOf,
} from '../openapi/answer-schema.ts'

const FORMS = ['samples', 'changes', 'spans', 'periods']
const KINDS = ['number', 'boolean', 'text', 'decimal', 'file']

/** Parameters of a plot. */
export const plotQuery = Type.Object({
  from: Type.Optional(timeOf('Start, inclusive; missing: the first sample')),
  until: Type.Optional(timeOf('End, exclusive; missing: behind the last sample')),
  points: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `At most this many entries; ${FEED_LIMIT_MAX} by default; more than ${PLOT_POINTS_MAX} counts as that`,
    }),
  ),
  cycle: Type.Optional(Type.String({ description: 'Cycle ID, together with stat' })),
  stat: Type.Optional(oneOf([...STATISTIC_IDS], 'A statistic for each period of the cycle')),
})

/** The same, or the two of the feed, for the short form of the answer. */
export const plotByIdQuery = Type.Object({
  ...plotQuery.properties,
  sd: Type.Optional(timeOf('As from; the answer is the short one')),
  ed: Type.Optional(timeOf('As until; the answer is the short one')),
})

const value = Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()])
const times = (description: string) => Type.Optional(Type.Array(msOf(description)))
const values = (description: string) => Type.Optional(Type.Array(value, { description }))
const neighbour = (description: string) =>
  Type.Optional(
    Type.Union([Type.Object({ time: msOf('When'), value }), Type.Null()], { description }),
  )

const whose = Type.Object({ uid: Type.String(), id: Type.String() })

const plot = named('Plot', {
  component: whose,
  stream: whose,
  form: oneOf(FORMS, 'How the samples are told; says which of the lists below are there'),
  kind: oneOf(KINDS, 'What the values are; decimals are texts, files their addresses'),
  valueType: Type.String(),
  unit: Type.String({ description: 'The symbol of the unit; blank without one' }),
  timeZone: Type.String({ description: "The component's" }),
  from: msOf('Where the range begins'),
  until: msOf('Where it ends'),
  spanMs: Type.Optional(Type.Integer({ description: 'How long a span is at about, in ms' })),
  more: Type.Optional(Type.Boolean({ description: 'Of periods: older ones were left out' })),
  firstTime: orNull(msOf('The first sample of the stream')),
  lastTime: orNull(msOf('The last sample of the stream')),
  before: neighbour('The last sample before the range'),
  after: neighbour('The first sample behind the range'),
  start: times('First sample of a span; of intervals and periods where they start'),
  time: times('Of samples and changes'),
  end: times('Last sample of a span or a change; of intervals and periods where they end'),
  count: Type.Optional(Type.Array(Type.Integer(), { description: 'Samples of a span or change' })),
  value: values('Of samples, changes and periods'),
  first: values('Of a span'),
  min: values('Of the numbers of a span'),
  max: values('Of the numbers of a span'),
  last: values('Of a span'),
  mean: values('Of the numbers of a span; of booleans the share that is true'),
})

/** The answer of a plot. */
export const plotAnswer = named(
  'PlotAnswer',
  { message: Type.String({ description: 'Blank' }), plot, success: Type.Literal(true) },
  {
    message: '',
    plot: {
      component: { uid: EXAMPLE_UID, id: 'boiler' },
      stream: { uid: EXAMPLE_UID, id: 'temp' },
      form: 'spans',
      kind: 'number',
      valueType: 'DOUBLE',
      unit: '°C',
      timeZone: 'UTC',
      from: 1767225600000,
      until: 1767312000000,
      spanMs: 86400000,
      firstTime: 1767225600000,
      lastTime: 1767311990000,
      before: null,
      after: null,
      start: [1767225600000],
      end: [1767311990000],
      count: [8640],
      first: [20.5],
      min: [18.2],
      max: [24.1],
      last: [21],
      mean: [20.9],
    },
    success: true,
  },
)

const plainColumns = Type.Object({
  time: Type.Array(msOf('Of the last sample of each entry')),
  min: Type.Array(value, { description: 'The least number, null for texts' }),
  max: Type.Array(value, { description: 'The greatest number, null for texts' }),
  last: Type.Array(value, { description: 'The last value' }),
})

const PLAIN_EXAMPLE = {
  sd: 1767225600000,
  ed: 1767312000000,
  columns: { time: [1767311990000], min: [18.2], max: [24.1], last: [21] },
}

const plainPlot = named(
  'PlainPlot',
  { sd: msOf('Where the range begins'), ed: msOf('Where it ends'), columns: plainColumns },
  PLAIN_EXAMPLE,
)

/** The answer of a plot that may be asked for by `sd` and `ed` as well. */
export const plotAnswers = Type.Union([plotAnswer, plainPlot], { examples: [PLAIN_EXAMPLE] })

/** Parameters of small lines. */
export const sparksQuery = Type.Object({
  from: Type.Optional(timeOf('Start, inclusive; missing: a day before the end', SAMPLE_TIMES)),
  until: Type.Optional(timeOf('End, exclusive; missing: this moment', SAMPLE_TIMES)),
  points: Type.Optional(
    Type.Integer({ minimum: 1, description: '48 by default; more than 200 counts as that' }),
  ),
  start: Type.Optional(Type.Integer({ minimum: 0, description: 'The first stream, from 0 on' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Streams, 200 by default; more counts as that' }),
  ),
})

/** The answer of small lines. */
export const sparksAnswer = named(
  'SparksAnswer',
  {
    message: Type.String({ description: 'Blank' }),
    spark: named('Sparks', {
      from: msOf('Where the range begins'),
      until: msOf('Where it ends'),
      streams: Type.Array(
        Type.Object({
          streamUid: Type.String(),
          mean: Type.Array(Type.Union([Type.Number(), Type.Null()]), {
            description: 'Of each stretch of the range, all as long; null without a number',
          }),
        }),
        { description: 'Those that have numbers in the range' },
      ),
      totalCount: Type.Integer({ description: 'How many streams there are in all' }),
    }),
    success: Type.Literal(true),
  },
  {
    message: '',
    spark: {
      from: 1767225600000,
      until: 1767312000000,
      totalCount: 1,
      streams: [{ streamUid: EXAMPLE_UID, mean: [20.5, null] }],
    },
    success: true,
  },
)
