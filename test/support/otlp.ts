/** Encodes metrics of OpenTelemetry as protobuf. */
import { bytesField } from './remote-write.ts'

/** An attribute value, as OTLP JSON writes it. */
export type WrittenValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }
  | { readonly bytesValue: string }
  | { readonly arrayValue: { readonly values: readonly WrittenValue[] } }
  | { readonly kvlistValue: { readonly values: readonly WrittenAttribute[] } }

export interface WrittenAttribute {
  readonly key: string
  readonly value: WrittenValue
}

export interface WrittenPoint {
  readonly attributes?: readonly WrittenAttribute[]
  readonly timeUnixNano?: string
  readonly asDouble?: number | string
  readonly asInt?: string
  readonly count?: string
  readonly sum?: number
  readonly bucketCounts?: readonly string[]
  readonly explicitBounds?: readonly number[]
  readonly quantileValues?: readonly { readonly quantile: number; readonly value: number }[]
  readonly flags?: number
}

interface WrittenData {
  readonly dataPoints: readonly WrittenPoint[]
  readonly aggregationTemporality?: number
  readonly isMonotonic?: boolean
}

export interface WrittenMetric {
  readonly name: string
  readonly unit?: string
  readonly gauge?: WrittenData
  readonly sum?: WrittenData
  readonly histogram?: WrittenData
  readonly exponentialHistogram?: WrittenData
  readonly summary?: WrittenData
}

/** A request as OTLP JSON. */
export interface WrittenMetrics {
  readonly resourceMetrics: readonly {
    readonly resource?: { readonly attributes: readonly WrittenAttribute[] }
    readonly scopeMetrics: readonly { readonly metrics: readonly WrittenMetric[] }[]
  }[]
}

/** A text attribute. */
export function textAttribute(key: string, stringValue: string): WrittenAttribute {
  return { key, value: { stringValue } }
}

/** Metrics of one service. */
export function metricsOf(
  attributes: readonly WrittenAttribute[],
  ...metrics: readonly WrittenMetric[]
): WrittenMetrics {
  return { resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics }] }] }
}

function varintField(field: number, value: bigint | number | boolean): Buffer {
  const bytes = [field << 3]
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}

function fixed(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value))
  return bytes
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}

function fixedField(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 1]), bytes])
}

function valueBytes(value: WrittenValue): Buffer {
  if ('stringValue' in value) return bytesField(1, value.stringValue)
  if ('boolValue' in value) return varintField(2, value.boolValue)
  if ('intValue' in value) return varintField(3, BigInt(value.intValue))
  if ('doubleValue' in value) return fixedField(4, double(value.doubleValue))
  if ('bytesValue' in value) return bytesField(7, Buffer.from(value.bytesValue, 'base64'))
  if ('arrayValue' in value) {
    const { values } = value.arrayValue
    return bytesField(5, ...values.map((one) => bytesField(1, valueBytes(one))))
  }
  const { values } = value.kvlistValue
  return bytesField(6, ...values.map((one) => attributeField(1, one)))
}

function attributeField(field: number, { key, value }: WrittenAttribute): Buffer {
  return bytesField(field, bytesField(1, key), bytesField(2, valueBytes(value)))
}

function pointBytes(point: WrittenPoint, attributeNumber: number): Buffer {
  const { attributes = [], timeUnixNano, asDouble, asInt, count, sum, flags } = point
  const { bucketCounts, explicitBounds, quantileValues = [] } = point
  const parts: Buffer[] = []
  if (timeUnixNano !== undefined) parts.push(fixedField(3, fixed(BigInt(timeUnixNano))))
  if (asDouble !== undefined) parts.push(fixedField(4, double(Number(asDouble))))
  if (asInt !== undefined) parts.push(fixedField(6, fixed(BigInt(asInt))))
  if (count !== undefined) parts.push(fixedField(4, fixed(BigInt(count))))
  if (sum !== undefined) parts.push(fixedField(5, double(sum)))
  if (bucketCounts !== undefined) {
    parts.push(bytesField(6, ...bucketCounts.map((one) => fixed(BigInt(one)))))
  }
  if (explicitBounds !== undefined) parts.push(bytesField(7, ...explicitBounds.map(double)))
  for (const { quantile, value } of quantileValues) {
    parts.push(bytesField(6, fixedField(1, double(quantile)), fixedField(2, double(value))))
  }
  for (const attribute of attributes) parts.push(attributeField(attributeNumber, attribute))
  if (flags !== undefined) parts.push(varintField(attributeNumber + 1, flags))
  return Buffer.concat(parts)
}

function metricBytes(metric: WrittenMetric): Buffer {
  const parts = [bytesField(1, metric.name)]
  if (metric.unit !== undefined) parts.push(bytesField(3, metric.unit))
  const kinds = [
    [5, metric.gauge, 7],
    [7, metric.sum, 7],
    [9, metric.histogram, 9],
    [10, metric.exponentialHistogram, 1],
    [11, metric.summary, 7],
  ] as const
  for (const [field, data, attributeNumber] of kinds) {
    if (data === undefined) continue
    const { dataPoints, aggregationTemporality = 0, isMonotonic = false } = data
    parts.push(
      bytesField(
        field,
        ...dataPoints.map((point) => bytesField(1, pointBytes(point, attributeNumber))),
        varintField(2, aggregationTemporality),
        varintField(3, isMonotonic),
      ),
    )
  }
  return Buffer.concat(parts)
}

/** A request as protobuf. */
export function otlpProtobuf({ resourceMetrics }: WrittenMetrics): Buffer {
  const parts = resourceMetrics.map(({ resource, scopeMetrics }) => {
    const attributes = resource?.attributes ?? []
    const scopes = scopeMetrics.map(({ metrics }) =>
      bytesField(2, ...metrics.map((metric) => bytesField(2, metricBytes(metric)))),
    )
    const head = bytesField(1, ...attributes.map((one) => attributeField(1, one)))
    return bytesField(1, ...(resource === undefined ? [] : [head]), ...scopes)
  })
  return Buffer.concat(parts)
}
