/** The answers of Prometheus' query API, for the description. */
import type { TSchema } from 'typebox'
import { Type } from '../../base/index.ts'
import { named, oneOf } from '../openapi/answer-schema.ts'

const notes = {
  warnings: Type.Optional(Type.Array(Type.String())),
  infos: Type.Optional(Type.Array(Type.String())),
}

/** The envelope around the data of a call. */
function success(title: string, data: TSchema, example: unknown): TSchema {
  const properties = { status: Type.Literal('success'), data, ...notes }
  return named(title, properties, { status: 'success', data: example })
}

const point = Type.Array(Type.Union([Type.Number(), Type.String()]), { minItems: 2, maxItems: 2 })

const resultSeries = named('PrometheusResultSeries', {
  metric: Type.Record(Type.String(), Type.String()),
  value: Type.Optional(point),
  values: Type.Optional(Type.Array(point)),
})

const metric = { __name__: 'temp', component: 'greenhouse' }
const series = { metric, values: [[1767225600, '21.5']] }

export const valueAnswer = success(
  'PrometheusQueryAnswer',
  Type.Object({
    resultType: oneOf(['matrix', 'vector', 'scalar', 'string']),
    result: Type.Array(Type.Union([resultSeries, Type.Number(), Type.String()]), {
      description:
        'Series with their labels and points. A point is its time in seconds, and its value as text. A scalar or string is one point',
    }),
  }),
  { resultType: 'matrix', result: [series] },
)

export const textsAnswer = success('PrometheusTexts', Type.Array(Type.String()), ['__name__'])

const labelRecord = Type.Record(Type.String(), Type.String())

export const seriesAnswer = success('PrometheusSeries', Type.Array(labelRecord), [metric])

export const metadataAnswer = success(
  'PrometheusMetadata',
  Type.Record(
    Type.String(),
    Type.Array(Type.Object({ type: Type.String(), unit: Type.String(), help: Type.String() })),
  ),
  { http_requests_total: [{ type: 'counter', unit: '', help: 'Requests.' }] },
)

export const buildAnswer = success(
  'PrometheusBuild',
  Type.Object({
    version: Type.String({ description: 'The version of Prometheus whose PromQL is answered' }),
    application: Type.Literal('Weir'),
    revision: Type.String(),
    branch: Type.String(),
    buildUser: Type.String(),
    buildDate: Type.String(),
    goVersion: Type.String(),
  }),
  {
    version: '3.14.0',
    application: 'Weir',
    revision: '',
    branch: '',
    buildUser: '',
    buildDate: '',
    goVersion: '',
  },
)

const activeAlert = named('PrometheusAlert', {
  labels: labelRecord,
  annotations: labelRecord,
  state: oneOf(['firing', 'pending']),
  activeAt: Type.String(),
  value: Type.String({ description: 'The value as text. Blank for silence' }),
})

const rule = named('PrometheusRule', {
  type: Type.Literal('alerting'),
  name: Type.String(),
  state: oneOf(['firing', 'pending', 'inactive']),
  query: Type.String({ description: 'The condition of the alert, which is no PromQL' }),
  duration: Type.Number({ description: 'forMs in seconds' }),
  keepFiringFor: Type.Number(),
  labels: labelRecord,
  annotations: labelRecord,
  alerts: Type.Array(activeAlert),
  health: Type.Literal('ok'),
  evaluationTime: Type.Number(),
  lastEvaluation: Type.String(),
})

const ruleGroup = named('PrometheusRuleGroup', {
  name: Type.String(),
  file: Type.String(),
  interval: Type.Number(),
  limit: Type.Integer(),
  evaluationTime: Type.Number(),
  lastEvaluation: Type.String(),
  rules: Type.Array(rule),
})

export const rulesAnswer = success(
  'PrometheusRules',
  Type.Object({ groups: Type.Array(ruleGroup) }),
  { groups: [] },
)

export const alertsAnswer = success(
  'PrometheusAlerts',
  Type.Object({ alerts: Type.Array(activeAlert) }),
  { alerts: [] },
)

export const exemplarsAnswer = success('PrometheusExemplars', Type.Array(Type.Object({})), [])
