import {
  FEED_LIMIT_MAX,
  PLOT_POINTS_MAX,
  PLOTS_PER_CALL_MAX,
  PLOTS_POINTS_MAX,
  Type,
} from '../../base/index.ts'
import { STATISTIC_IDS } from '../../feed/statistic/index.ts'
import {
  answerWith,
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
  from: Type.Optional(timeOf('Start (inclusive). Default: the first sample')),
  until: Type.Optional(timeOf('End (exclusive). Default: after the last sample')),
  points: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Maximum number of entries, ${FEED_LIMIT_MAX} by default, at most ${PLOT_POINTS_MAX}`,
    }),
  ),
  cycle: Type.Optional(Type.String({ description: 'Cycle ID. Requires stat' })),
  stat: Type.Optional(oneOf([...STATISTIC_IDS], 'A statistic for each period of the cycle')),
})

/** The same, or the two of the feed, for the short form of the answer. */
export const plotByIdQuery = Type.Object({
  ...plotQuery.properties,
  sd: Type.Optional(timeOf('Same as from, with the short response')),
  ed: Type.Optional(timeOf('Same as until, with the short response')),
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
  form: oneOf(FORMS, 'Form of the data. Determines which of the lists below are present'),
  kind: oneOf(KINDS, 'Kind of the values. Decimals are strings, files are URLs'),
  valueType: Type.String(),
  unit: Type.String({ description: 'Unit symbol, blank without a unit' }),
  numberFormat: Type.String({ description: 'Number format of the unit, blank without one' }),
  timeZone: Type.String({ description: "The component's" }),
  from: msOf('Start of the range'),
  until: msOf('End of the range'),
  spanMs: Type.Optional(
    Type.Integer({ description: 'Approximate length of a span in milliseconds' }),
  ),
  more: Type.Optional(
    Type.Boolean({ description: 'Periods only: true if older ones were omitted' }),
  ),
  firstTime: orNull(msOf('First sample of the stream')),
  lastTime: orNull(msOf('Last sample of the stream')),
  before: neighbour('Last sample before the range'),
  after: neighbour('First sample after the range'),
  start: times('First sample of a span, or start of an interval or period'),
  time: times('Samples and changes only'),
  end: times('Last sample of a span or change, or end of an interval or period'),
  count: Type.Optional(
    Type.Array(Type.Integer(), { description: 'Number of samples of a span or change' }),
  ),
  value: values('Samples, changes, and periods only'),
  first: values('Spans only'),
  min: values('Spans of numbers only'),
  max: values('Spans of numbers only'),
  last: values('Spans only'),
  mean: values('Spans of numbers only. For booleans, the share of true'),
})

const PLOT_EXAMPLE = {
  component: { uid: EXAMPLE_UID, id: 'boiler' },
  stream: { uid: EXAMPLE_UID, id: 'temp' },
  form: 'spans',
  kind: 'number',
  valueType: 'DOUBLE',
  unit: '°C',
  numberFormat: '0.0',
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
}

/** The answer of a plot. */
export const plotAnswer = answerWith('PlotAnswer', { plot }, { plot: PLOT_EXAMPLE })

const problem = Type.Object({
  status: Type.Integer({ description: 'The status that a call for this plot alone has' }),
  code: Type.String({ description: 'See docs/errors.md' }),
  message: Type.String(),
})

/** The body of a call for many plots. */
export const plotsBody = named(
  'PlotsBody',
  {
    plot: Type.Array(
      Type.Object({
        componentUid: Type.String(),
        streamUid: Type.String(),
        from: plotQuery.properties.from,
        until: plotQuery.properties.until,
        points: plotQuery.properties.points,
        cycle: plotQuery.properties.cycle,
        stat: plotQuery.properties.stat,
      }),
      {
        maxItems: PLOTS_PER_CALL_MAX,
        description: `At most ${PLOTS_PER_CALL_MAX} plots, with together at most ${PLOTS_POINTS_MAX} points`,
      },
    ),
  },
  {
    plot: [
      {
        componentUid: EXAMPLE_UID,
        streamUid: EXAMPLE_UID,
        from: 1767225600000,
        until: 1767312000000,
        points: 600,
      },
    ],
  },
)

/** The answer of many plots. */
export const plotsAnswer = answerWith(
  'PlotsAnswer',
  {
    answer: Type.Array(
      named('PlotEntry', { plot: Type.Optional(plot), error: Type.Optional(problem) }),
      { description: 'In the order of the request. Each entry has a plot or an error' },
    ),
  },
  {
    answer: [
      { plot: PLOT_EXAMPLE },
      { error: { status: 404, code: 'not_found', message: 'Cannot find the stream' } },
    ],
  },
)

const plainColumns = Type.Object({
  time: Type.Array(msOf('Time of the last sample of each entry')),
  min: Type.Array(value, { description: 'Minimum, null for texts' }),
  max: Type.Array(value, { description: 'Maximum, null for texts' }),
  last: Type.Array(value, { description: 'Last value' }),
})

const PLAIN_EXAMPLE = {
  sd: 1767225600000,
  ed: 1767312000000,
  columns: { time: [1767311990000], min: [18.2], max: [24.1], last: [21] },
}

const plainPlot = named(
  'PlainPlot',
  { sd: msOf('Start of the range'), ed: msOf('End of the range'), columns: plainColumns },
  PLAIN_EXAMPLE,
)

/** The answer of a plot that may be asked for by `sd` and `ed` as well. */
export const plotAnswers = Type.Union([plotAnswer, plainPlot], { examples: [PLAIN_EXAMPLE] })

/** Parameters of small lines. */
export const sparksQuery = Type.Object({
  from: Type.Optional(timeOf('Start (inclusive). Default: one day before the end', SAMPLE_TIMES)),
  until: Type.Optional(timeOf('End (exclusive). Default: now', SAMPLE_TIMES)),
  points: Type.Optional(Type.Integer({ minimum: 1, description: '48 by default, at most 200' })),
  start: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Index of the first stream, from 0' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Number of streams, 200 by default and at most' }),
  ),
})

/** The answer of small lines. */
export const sparksAnswer = answerWith(
  'SparksAnswer',
  {
    spark: named('Sparks', {
      from: msOf('Start of the range'),
      until: msOf('End of the range'),
      streams: Type.Array(
        Type.Object({
          streamUid: Type.String(),
          mean: Type.Array(Type.Union([Type.Number(), Type.Null()]), {
            description: 'One value per equal part of the range, null without a number',
          }),
        }),
        { description: 'Streams with numbers in the range' },
      ),
      totalCount: Type.Integer({ description: 'Total number of streams' }),
    }),
  },
  {
    spark: {
      from: 1767225600000,
      until: 1767312000000,
      totalCount: 1,
      streams: [{ streamUid: EXAMPLE_UID, mean: [20.5, null] }],
    },
  },
)
