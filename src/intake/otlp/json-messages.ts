/** How messages of OpenTelemetry are written as JSON, as far as they are read. Other members are skipped. */
import {
  DATA,
  HISTOGRAM_POINT,
  METRIC,
  NUMBER_POINT,
  QUANTILE,
  REQUEST,
  RESOURCE,
  RESOURCE_METRICS,
  SCOPE_METRICS,
  SUMMARY_POINT,
} from './otlp-fields.ts'

/** How a member is written in protobuf. */
type ScalarKind =
  | 'string'
  | 'base64'
  | 'double'
  | 'fixed64'
  | 'sfixed64'
  | 'int64'
  | 'uint32'
  | 'boolean'
  | 'temporality'

/** A member of a message. */
export type Member =
  | { readonly field: number; readonly kind: ScalarKind; readonly isList: boolean }
  | {
      readonly field: number
      readonly kind: 'message'
      readonly isList: boolean
      readonly message: Message
    }

/** The members of a message by their names: those of JSON, and those of protobuf. */
export type Message = Map<string, Member>

/** Names of the only enumeration. */
export const TEMPORALITIES: readonly string[] = [
  'AGGREGATION_TEMPORALITY_UNSPECIFIED',
  'AGGREGATION_TEMPORALITY_DELTA',
  'AGGREGATION_TEMPORALITY_CUMULATIVE',
]

function add(message: Message, name: string, member: Member): void {
  message.set(name, member)
  message.set(
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    member,
  )
}

function scalars(
  members: Readonly<Record<string, readonly [number, ScalarKind, 'list'?]>>,
): Message {
  const message: Message = new Map()
  for (const [name, [field, kind, list]] of Object.entries(members)) {
    add(message, name, { field, kind, isList: list !== undefined })
  }
  return message
}

interface Part {
  readonly name: string
  readonly field: number
  readonly message: Message
}

function addList(to: Message, { name, field, message }: Part): void {
  add(to, name, { field, kind: 'message', isList: true, message })
}

function addOne(to: Message, { name, field, message }: Part): void {
  add(to, name, { field, kind: 'message', isList: false, message })
}

const anyValue = scalars({
  stringValue: [1, 'string'],
  boolValue: [2, 'boolean'],
  intValue: [3, 'int64'],
  doubleValue: [4, 'double'],
  bytesValue: [7, 'base64'],
})
const keyValue = scalars({ key: [1, 'string'] })
const arrayValue: Message = new Map()
const mapValue: Message = new Map()
addOne(keyValue, { name: 'value', field: 2, message: anyValue })
addOne(anyValue, { name: 'arrayValue', field: 5, message: arrayValue })
addOne(anyValue, { name: 'kvlistValue', field: 6, message: mapValue })
addList(arrayValue, { name: 'values', field: 1, message: anyValue })
addList(mapValue, { name: 'values', field: 1, message: keyValue })

const numberPoint = scalars({
  timeUnixNano: [NUMBER_POINT.time, 'fixed64'],
  asDouble: [NUMBER_POINT.double, 'double'],
  asInt: [NUMBER_POINT.integer, 'sfixed64'],
  flags: [NUMBER_POINT.flags, 'uint32'],
})
addList(numberPoint, { name: 'attributes', field: NUMBER_POINT.attributes, message: keyValue })

const histogramPoint = scalars({
  timeUnixNano: [HISTOGRAM_POINT.time, 'fixed64'],
  count: [HISTOGRAM_POINT.count, 'fixed64'],
  sum: [HISTOGRAM_POINT.sum, 'double'],
  bucketCounts: [HISTOGRAM_POINT.bucketCounts, 'fixed64', 'list'],
  explicitBounds: [HISTOGRAM_POINT.bounds, 'double', 'list'],
  flags: [HISTOGRAM_POINT.flags, 'uint32'],
})
addList(histogramPoint, {
  name: 'attributes',
  field: HISTOGRAM_POINT.attributes,
  message: keyValue,
})

const summaryPoint = scalars({
  timeUnixNano: [SUMMARY_POINT.time, 'fixed64'],
  count: [SUMMARY_POINT.count, 'fixed64'],
  sum: [SUMMARY_POINT.sum, 'double'],
  flags: [SUMMARY_POINT.flags, 'uint32'],
})
const quantile = scalars({
  quantile: [QUANTILE.quantile, 'double'],
  value: [QUANTILE.value, 'double'],
})
addList(summaryPoint, { name: 'attributes', field: SUMMARY_POINT.attributes, message: keyValue })
addList(summaryPoint, {
  name: 'quantileValues',
  field: SUMMARY_POINT.quantiles,
  message: quantile,
})

/** A gauge, sum, histogram, or summary with its points. Points that are rejected anyway have no members. */
function dataOf(point: Message): Message {
  const data = scalars({
    aggregationTemporality: [DATA.temporality, 'temporality'],
    isMonotonic: [DATA.isMonotonic, 'boolean'],
  })
  addList(data, { name: 'dataPoints', field: DATA.points, message: point })
  return data
}

const metric = scalars({ name: [METRIC.name, 'string'], unit: [METRIC.unit, 'string'] })
for (const [name, field, point] of [
  ['gauge', METRIC.gauge, numberPoint],
  ['sum', METRIC.sum, numberPoint],
  ['histogram', METRIC.histogram, histogramPoint],
  ['exponentialHistogram', METRIC.exponentialHistogram, new Map()],
  ['summary', METRIC.summary, summaryPoint],
] as const) {
  addOne(metric, { name, field, message: dataOf(point) })
}

const scopeMetrics: Message = new Map()
addList(scopeMetrics, { name: 'metrics', field: SCOPE_METRICS.metrics, message: metric })

const resource: Message = new Map()
addList(resource, { name: 'attributes', field: RESOURCE.attributes, message: keyValue })

const resourceMetrics: Message = new Map()
addOne(resourceMetrics, { name: 'resource', field: RESOURCE_METRICS.resource, message: resource })
addList(resourceMetrics, {
  name: 'scopeMetrics',
  field: RESOURCE_METRICS.scopeMetrics,
  message: scopeMetrics,
})

/** An `ExportMetricsServiceRequest`. */
export const REQUEST_MESSAGE: Message = new Map()
addList(REQUEST_MESSAGE, {
  name: 'resourceMetrics',
  field: REQUEST.resourceMetrics,
  message: resourceMetrics,
})
