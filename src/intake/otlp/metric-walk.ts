/** Walks over the metrics of a body, field by field, so that it can pause anywhere. */
import { isUtf8 } from 'node:buffer'
import { findLabelMistake } from '../../catalog/index.ts'
import { ProtoCursor, WIRE_BYTES, WIRE_VARINT } from '../prometheus/proto-cursor.ts'
import { NO_RESOURCE, type ResourceFacts, readResource } from './attribute-labels.ts'
import { type MetricKind, prometheusName } from './metric-name.ts'
import {
  DATA,
  METRIC,
  REQUEST,
  RESOURCE,
  RESOURCE_METRICS,
  SCOPE_METRICS,
  TEMPORALITY_CUMULATIVE,
} from './otlp-fields.ts'

/** The levels of messages, each in the one before. */
const IN_REQUEST = 0
const IN_RESOURCE = 1
const IN_SCOPE = 2
const IN_METRIC = 3
const IN_DATA = 4
type Level = 0 | 1 | 2 | 3 | 4

/** What a field costs at least, of the bytes that are read at a time. */
const FIELD_BYTES = 8
/** Attributes of a point or resource: as many labels of the greatest length as a stream can have, and more. */
export const ATTRIBUTE_BYTES_MAX = 1 << 20
/** Names and units in a body. A label is much shorter. */
const NAME_BYTES_MAX = 16 * 1024

const NAME = '__name__'

const EXPONENTIAL = 'Exponential histograms are not stored. Send explicit buckets'
const NOT_CUMULATIVE = 'The temporality must be cumulative. Configure the exporter for it'
const NAME_TOO_LONG = 'The name or unit of the metric is too long'
const NO_NAME = 'The name of the metric has no letter or digit'
const NOT_UTF8 = 'The name or unit of the metric is not valid UTF-8'
const ATTRIBUTES_TOO_LONG = `The attributes of the resource have more than ${ATTRIBUTE_BYTES_MAX} bytes`

/** What a step has found: the scopes of a resource, the points of a metric, a point, or the end of a resource. */
type Found = 'scopes' | 'metric' | 'point' | 'resource' | undefined

/** Goes through resources, scopes, metrics, and points. */
export class MetricWalk {
  readonly #bytes: Buffer
  readonly #cursors: readonly ProtoCursor[]
  #level: Level = IN_REQUEST
  /** Whether the message is read for what its parts need, before its parts are read. */
  #isScanning = false
  /** Where the message of a level starts. */
  readonly #starts = [0, 0, 0, 0, 0]
  /** What the last step cost, in bytes. */
  cost = 0
  /** Of the current resource. */
  resource: ResourceFacts = NO_RESOURCE
  /** Of the current metric: its message, its data, and its name for Prometheus. */
  metricFrom = 0
  metricUntil = 0
  nameFrom = 0
  nameUntil = 0
  #unitFrom = 0
  #unitUntil = 0
  #dataFrom = 0
  #dataUntil = 0
  /** The field of the metric that has its points. */
  dataField = 0
  #temporality = 0
  #isMonotonic = false
  name = ''
  /** Why the points of the metric are rejected. */
  mistake = ''
  /** The current point. */
  pointFrom = 0
  pointUntil = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#cursors = [0, 1, 2, 3, 4].map(() => new ProtoCursor(bytes))
    this.#cursors[IN_REQUEST].enter(0, bytes.length)
  }

  /** Whether all was read. */
  get isAtEnd(): boolean {
    return this.#level === IN_REQUEST && this.#cursors[IN_REQUEST].at >= this.#bytes.length
  }

  /** Reads one field. */
  next(): Found {
    const level = this.#level
    const cursor = this.#cursors[level]
    this.cost = FIELD_BYTES
    if (!cursor.nextField()) return this.#leave(level)
    if (this.#isScanning) {
      this.#scan(level, cursor)
      return undefined
    }
    if (cursor.wire !== WIRE_BYTES) return undefined
    return this.#enterPart(level, cursor)
  }

  #enterPart(level: Level, { field, from, end }: ProtoCursor): Found {
    if (level === IN_REQUEST && field === REQUEST.resourceMetrics) {
      this.resource = NO_RESOURCE
      this.#enter(IN_RESOURCE, { from, end, isScanning: true })
    } else if (level === IN_RESOURCE && field === RESOURCE_METRICS.scopeMetrics) {
      this.#enter(IN_SCOPE, { from, end, isScanning: false })
    } else if (level === IN_SCOPE && field === SCOPE_METRICS.metrics) {
      this.#beginMetric(from, end)
    } else if (level === IN_DATA && field === DATA.points) {
      this.pointFrom = from
      this.pointUntil = end
      this.cost += end - from
      return 'point'
    }
    return undefined
  }

  #enter(level: Level, place: { from: number; end: number; isScanning: boolean }): void {
    this.#level = level
    this.#starts[level] = place.from
    this.#isScanning = place.isScanning
    this.#cursors[level].enter(place.from, place.end)
  }

  #beginMetric(from: number, end: number): void {
    this.metricFrom = from
    this.metricUntil = end
    this.nameFrom = 0
    this.nameUntil = 0
    this.#unitFrom = 0
    this.#unitUntil = 0
    this.dataField = 0
    this.#temporality = 0
    this.#isMonotonic = false
    this.#enter(IN_METRIC, { from, end, isScanning: true })
  }

  /** The end of a message, or of its first reading. */
  #leave(level: Level): Found {
    const cursor = this.#cursors[level]
    if (level === IN_METRIC) {
      if (this.dataField === 0) this.#leaveTo(IN_SCOPE)
      else this.#enter(IN_DATA, { from: this.#dataFrom, end: this.#dataUntil, isScanning: true })
      return undefined
    }
    if (this.#isScanning) {
      cursor.enter(this.#starts[level], cursor.until)
      this.#isScanning = false
      if (level === IN_RESOURCE) return 'scopes'
      this.#nameMetric()
      return 'metric'
    }
    if (level === IN_DATA) this.#leaveTo(IN_SCOPE)
    else if (level === IN_SCOPE) this.#leaveTo(IN_RESOURCE)
    else if (level === IN_RESOURCE) {
      this.#leaveTo(IN_REQUEST)
      return 'resource'
    }
    return undefined
  }

  #leaveTo(level: Level): void {
    this.#level = level
    this.#isScanning = false
  }

  #scan(level: Level, cursor: ProtoCursor): void {
    if (level === IN_RESOURCE) {
      const isResource = cursor.field === RESOURCE_METRICS.resource && cursor.wire === WIRE_BYTES
      if (isResource) this.#readResource(cursor.from, cursor.end)
    } else if (level === IN_METRIC) {
      this.#scanMetric(cursor)
    } else if (cursor.wire === WIRE_VARINT) {
      if (cursor.field === DATA.temporality) this.#temporality = cursor.int64()
      else if (cursor.field === DATA.isMonotonic) this.#isMonotonic = cursor.int64() !== 0
    }
  }

  #readResource(from: number, end: number): void {
    if (end - from > ATTRIBUTE_BYTES_MAX) {
      this.resource = { ...NO_RESOURCE, mistake: ATTRIBUTES_TOO_LONG }
      return
    }
    this.cost += end - from
    const parts: Buffer[] = []
    const fields = new ProtoCursor(this.#bytes)
    fields.enter(from, end)
    for (let before = from; fields.nextField(); before = fields.at) {
      if (fields.field !== RESOURCE.attributes || fields.wire !== WIRE_BYTES) continue
      parts.push(this.#bytes.subarray(before, fields.at))
    }
    this.resource = readResource(Buffer.concat(parts))
  }

  #scanMetric({ field, wire, from, end }: ProtoCursor): void {
    if (wire !== WIRE_BYTES) return
    switch (field) {
      case METRIC.name:
        this.nameFrom = from
        this.nameUntil = end
        break
      case METRIC.unit:
        this.#unitFrom = from
        this.#unitUntil = end
        break
      case METRIC.gauge:
      case METRIC.sum:
      case METRIC.histogram:
      case METRIC.exponentialHistogram:
      case METRIC.summary:
        this.dataField = field
        this.#dataFrom = from
        this.#dataUntil = end
        break
    }
  }

  #nameMetric(): void {
    this.name = ''
    this.mistake = this.resource.mistake ?? this.#findMistake()
    if (this.mistake !== '') return
    const bytes = this.#bytes
    const nameLength = this.nameUntil - this.nameFrom
    const unitLength = this.#unitUntil - this.#unitFrom
    if (Math.max(nameLength, unitLength) > NAME_BYTES_MAX) {
      this.mistake = NAME_TOO_LONG
      return
    }
    this.cost += nameLength + unitLength
    const nameBytes = bytes.subarray(this.nameFrom, this.nameUntil)
    const unitBytes = bytes.subarray(this.#unitFrom, this.#unitUntil)
    if (!isUtf8(nameBytes) || !isUtf8(unitBytes)) {
      this.mistake = NOT_UTF8
      return
    }
    const name = prometheusName(nameBytes.toString(), unitBytes.toString(), this.#kind())
    this.name = name ?? ''
    this.mistake = name === undefined ? NO_NAME : (findLabelMistake({ [NAME]: name }) ?? '')
  }

  #findMistake(): string {
    if (this.dataField === METRIC.exponentialHistogram) return EXPONENTIAL
    const hasTemporality = this.dataField === METRIC.sum || this.dataField === METRIC.histogram
    if (hasTemporality && this.#temporality !== TEMPORALITY_CUMULATIVE) return NOT_CUMULATIVE
    return ''
  }

  #kind(): MetricKind {
    switch (this.dataField) {
      case METRIC.sum:
        return this.#isMonotonic ? 'counter' : 'sum'
      case METRIC.histogram:
        return 'histogram'
      case METRIC.summary:
        return 'summary'
      default:
        return 'gauge'
    }
  }
}
