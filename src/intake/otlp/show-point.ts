import { ProtoCursor, WIRE_BYTES } from '../prometheus/proto-cursor.ts'
import { readAttributes } from './attribute-values.ts'
import { HISTOGRAM_POINT, METRIC, NUMBER_POINT } from './otlp-fields.ts'

/** Bytes of a name, bytes of attributes, and fields of a point that are looked at. */
const SHOWN_BYTES_MAX = 4_096
const FIELDS_MAX = 1_000

/** Where the name of a metric is, and the field of the metric that has its points. */
interface MetricPlace {
  readonly nameFrom: number
  readonly nameUntil: number
  readonly dataField: number
}

/** A point as a list shows it: `http.server.duration{http.method="GET"}`. */
export function showPoint(
  bytes: Buffer,
  { nameFrom, nameUntil, dataField }: MetricPlace,
  from: number,
  until: number,
): string {
  const name = bytes.toString('utf8', nameFrom, Math.min(nameUntil, nameFrom + SHOWN_BYTES_MAX))
  const attributeField = attributesOf(dataField)
  const parts: Buffer[] = []
  let length = 0
  const fields = new ProtoCursor(bytes)
  fields.enter(from, until)
  for (let before = from, count = 0; count < FIELDS_MAX && fields.nextField(); count++) {
    const isAttribute = fields.field === attributeField && fields.wire === WIRE_BYTES
    if (isAttribute && length + fields.at - before <= SHOWN_BYTES_MAX) {
      parts.push(bytes.subarray(before, fields.at))
      length += fields.at - before
    }
    before = fields.at
  }
  const { attributes = [] } = readAttributes(Buffer.concat(parts), 0, length)
  return `${name}{${attributes.map(([key, text]) => `${key}=${JSON.stringify(text)}`).join(',')}}`
}

/** The field of a point that has its attributes. */
function attributesOf(dataField: number): number {
  if (dataField === METRIC.histogram) return HISTOGRAM_POINT.attributes
  return dataField === METRIC.exponentialHistogram ? 1 : NUMBER_POINT.attributes
}
