/** Reads one point of a metric and gives its samples one after the other. */
import { isSampleTime } from '../../base/index.ts'
import type { Labels } from '../../store/index.ts'
import {
  ProtoCursor,
  uint32At,
  WIRE_BYTES,
  WIRE_FIXED64,
  WIRE_VARINT,
} from '../prometheus/proto-cursor.ts'
import { isSpecialAt, STALE_MARKER, specialTextAt } from '../prometheus/special-value.ts'
import { isRounded, millisecondsAt, restAt, signedAt, unsignedAt } from './fixed-numbers.ts'
import { prometheusNumber } from './metric-name.ts'
import { ATTRIBUTE_BYTES_MAX, type MetricWalk } from './metric-walk.ts'
import {
  FLAG_NO_VALUE,
  HISTOGRAM_POINT,
  METRIC,
  NUMBER_POINT,
  QUANTILE,
  SUMMARY_POINT,
} from './otlp-fields.ts'
import type { SeriesKey } from './series-key.ts'

/** What a sample is of its point. */
const PLAIN = 0
const BUCKET = 1
const LAST_BUCKET = 2
const QUANTILE_VALUE = 3
const COUNT = 4
const SUM = 5
const TARGET = 6
const DONE = 7
type SampleKind = 0 | 1 | 2 | 3 | 4 | 5 | 6

const NONE = -1
/** Fields of a point, such as exemplars, quantiles, and attributes. */
const FIELDS_MAX = 100_000

const BAD_TIME = 'The time must lie from 1900 to 2261, in nanoseconds'
const NO_VALUE = 'The point has no value'
const TOO_MANY_FIELDS = `The point has more than ${FIELDS_MAX} fields`
const ATTRIBUTES_TOO_LONG = `The attributes of the point have more than ${ATTRIBUTE_BYTES_MAX} bytes`

/** One sample of a point. */
export interface PointSample {
  kind: SampleKind
  /** The bound of a bucket, or the quantile. */
  bound: number
  /** In milliseconds; NaN where the service assigns it. What was cut of it, in nanoseconds. */
  time: number
  rest: number
  number: number
  /** The bits of a value that is not finite; '' for others. */
  special: string
  /** Whether the number was an integer with more digits. */
  isRounded: boolean
}

/** A list of doubles or integers: one field with all of them, as encoders write it, or several. */
class NumberList {
  bytes: Buffer
  from = 0
  count = 0
  readonly #source: Buffer
  #parts: Buffer[] = []

  constructor(source: Buffer) {
    this.#source = source
    this.bytes = source
  }

  clear(): void {
    this.bytes = this.#source
    this.from = 0
    this.count = 0
    this.#parts = []
  }

  add({ from, end }: ProtoCursor): void {
    if (this.count > 0 && this.#parts.length === 0) this.#keep(this.from, 8 * this.count)
    if (this.#parts.length > 0) this.#keep(from, end - from)
    this.from = from
    this.count = Math.floor((end - from) / 8)
  }

  /** Puts lists of several fields together. */
  end(): void {
    if (this.#parts.length === 0) return
    this.bytes = Buffer.concat(this.#parts)
    this.from = 0
    this.count = Math.floor(this.bytes.length / 8)
  }

  #keep(from: number, length: number): void {
    this.#parts.push(this.#source.subarray(from, from + length))
  }
}

/** Knows one point at a time. */
export class PointReader {
  readonly #bytes: Buffer
  readonly #fields: ProtoCursor
  readonly #quantiles: ProtoCursor
  readonly #bounds: NumberList
  readonly #counts: NumberList
  /** Places of values, or -1. */
  #doubleAt = NONE
  #integerAt = NONE
  #countAt = NONE
  #sumAt = NONE
  #timeAt = NONE
  #hasSum = false
  #isStale = false
  /** What comes next. */
  #next: SampleKind | typeof DONE = DONE
  #bucket = 0
  #cumulative = 0
  #until = 0
  readonly #sample: PointSample = {
    kind: PLAIN,
    bound: 0,
    time: 0,
    rest: 0,
    number: 0,
    special: '',
    isRounded: false,
  }

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#fields = new ProtoCursor(bytes)
    this.#quantiles = new ProtoCursor(bytes)
    this.#bounds = new NumberList(bytes)
    this.#counts = new NumberList(bytes)
  }

  /** Whether take() has a sample. */
  get hasSample(): boolean {
    return this.#next !== DONE
  }

  /** The time of the point, as that of its samples. */
  get time(): number {
    return this.#sample.time
  }

  get isTarget(): boolean {
    return this.#sample.kind === TARGET
  }

  /** Begins the current point of a walk and adds its attributes to a key. Returns why it is rejected, or ''. */
  begin({ dataField, pointFrom, pointUntil }: MetricWalk, key: SeriesKey): string {
    this.#clear(pointUntil)
    const keyLengthMax = key.length + ATTRIBUTE_BYTES_MAX
    const fields = this.#fields
    fields.enter(pointFrom, pointUntil)
    let count = 0
    for (let before = pointFrom; fields.nextField(); before = fields.at) {
      count += 1
      if (count > FIELDS_MAX) return TOO_MANY_FIELDS
      if (!this.#noteField(dataField)) continue
      if (key.length + fields.at - before > keyLengthMax) return ATTRIBUTES_TOO_LONG
      key.addBytes(this.#bytes, before, fields.at)
    }
    const mistake = this.#readTime()
    if (mistake !== '') return mistake
    if (dataField === METRIC.histogram) {
      this.#bounds.end()
      this.#counts.end()
      this.#afterBucket()
    } else if (dataField === METRIC.summary) {
      this.#quantiles.enter(pointFrom, pointUntil)
      this.#toQuantile()
    } else {
      if (this.#doubleAt === NONE && this.#integerAt === NONE && !this.#isStale) return NO_VALUE
      this.#next = PLAIN
    }
    return ''
  }

  /** Begins the point that describes a resource. */
  beginTarget(time: number): void {
    this.#clear(0)
    this.#sample.time = time
    this.#sample.kind = TARGET
    this.#next = TARGET
  }

  /** Leaves out the samples that are left. */
  drop(): void {
    this.#next = DONE
  }

  /** The next sample, until the next call. */
  take(): PointSample {
    const sample = this.#sample
    sample.kind = this.#next as SampleKind
    sample.bound = 0
    sample.isRounded = false
    switch (sample.kind) {
      case PLAIN:
        this.#takePlain()
        this.#next = DONE
        break
      case BUCKET:
        this.#takeBucket()
        break
      case QUANTILE_VALUE:
        this.#takeQuantile()
        break
      case LAST_BUCKET:
        this.#setUnsigned(this.#countAt)
        this.#next = COUNT
        break
      case COUNT:
        this.#setUnsigned(this.#countAt)
        this.#next = this.#hasSum ? SUM : DONE
        break
      case SUM:
        this.#setDouble(this.#sumAt)
        this.#next = DONE
        break
      case TARGET:
        sample.number = 1
        sample.special = ''
        this.#next = DONE
    }
    if (this.#isStale) sample.special = STALE_MARKER
    return sample
  }

  /** What a sample's series adds to the name and the labels of the metric. */
  labelsOf({ kind, bound }: PointSample): { readonly suffix: string; readonly extra: Labels } {
    switch (kind) {
      case BUCKET:
        return { suffix: '_bucket', extra: { le: prometheusNumber(bound) } }
      case LAST_BUCKET:
        return { suffix: '_bucket', extra: { le: '+Inf' } }
      case QUANTILE_VALUE:
        return { suffix: '', extra: { quantile: prometheusNumber(bound) } }
      case COUNT:
        return { suffix: '_count', extra: {} }
      case SUM:
        return { suffix: '_sum', extra: {} }
      default:
        return { suffix: '', extra: {} }
    }
  }

  #clear(until: number): void {
    this.#doubleAt = NONE
    this.#integerAt = NONE
    this.#countAt = NONE
    this.#sumAt = NONE
    this.#timeAt = NONE
    this.#isStale = false
    this.#hasSum = false
    this.#next = DONE
    this.#bucket = 0
    this.#cumulative = 0
    this.#until = until
    this.#bounds.clear()
    this.#counts.clear()
    this.#sample.kind = PLAIN
  }

  /** Notes the current field. Returns whether it is an attribute. */
  #noteField(dataField: number): boolean {
    if (dataField === METRIC.histogram) return this.#noteOfHistogram()
    return dataField === METRIC.summary ? this.#noteOfSummary() : this.#noteOfNumber()
  }

  #noteOfNumber(): boolean {
    const { field, wire, from } = this.#fields
    if (wire === WIRE_FIXED64) {
      if (field === NUMBER_POINT.time) this.#timeAt = from
      if (field === NUMBER_POINT.double) {
        this.#doubleAt = from
        this.#integerAt = NONE
      } else if (field === NUMBER_POINT.integer) {
        this.#integerAt = from
        this.#doubleAt = NONE
      }
    } else if (wire === WIRE_VARINT && field === NUMBER_POINT.flags) {
      this.#noteFlags(from)
    }
    return wire === WIRE_BYTES && field === NUMBER_POINT.attributes
  }

  #noteOfHistogram(): boolean {
    const fields = this.#fields
    const { field, wire, from } = fields
    if (wire === WIRE_VARINT && field === HISTOGRAM_POINT.flags) this.#noteFlags(from)
    if (wire !== WIRE_FIXED64 && wire !== WIRE_BYTES) return false
    if (field === HISTOGRAM_POINT.bucketCounts) this.#counts.add(fields)
    else if (field === HISTOGRAM_POINT.bounds) this.#bounds.add(fields)
    if (wire === WIRE_BYTES) return field === HISTOGRAM_POINT.attributes
    if (field === HISTOGRAM_POINT.time) this.#timeAt = from
    else if (field === HISTOGRAM_POINT.count) this.#countAt = from
    else if (field === HISTOGRAM_POINT.sum) {
      this.#sumAt = from
      this.#hasSum = true
    }
    return false
  }

  #noteOfSummary(): boolean {
    const { field, wire, from } = this.#fields
    this.#hasSum = true
    if (wire === WIRE_FIXED64) {
      if (field === SUMMARY_POINT.time) this.#timeAt = from
      else if (field === SUMMARY_POINT.count) this.#countAt = from
      else if (field === SUMMARY_POINT.sum) this.#sumAt = from
    } else if (wire === WIRE_VARINT && field === SUMMARY_POINT.flags) {
      this.#noteFlags(from)
    }
    return wire === WIRE_BYTES && field === SUMMARY_POINT.attributes
  }

  #noteFlags(from: number): void {
    this.#isStale = (uint32At(this.#bytes, from) & FLAG_NO_VALUE) !== 0
  }

  /** Reads the time. A point without one gets that of its arrival. */
  #readTime(): string {
    const sample = this.#sample
    const at = this.#timeAt
    const time = at === NONE ? 0 : millisecondsAt(this.#bytes, at)
    sample.rest = at === NONE ? 0 : restAt(this.#bytes, at)
    const isAssigned = time === 0 && sample.rest === 0
    sample.time = isAssigned ? Number.NaN : time
    return isAssigned || isSampleTime(time) ? '' : BAD_TIME
  }

  #takePlain(): void {
    const sample = this.#sample
    const at = this.#integerAt
    if (at === NONE) {
      this.#setDouble(this.#doubleAt)
    } else {
      sample.special = ''
      sample.number = signedAt(this.#bytes, at)
      sample.isRounded = isRounded(this.#bytes, at, sample.number)
    }
  }

  #takeBucket(): void {
    const at = 8 * this.#bucket
    const { bytes, from } = this.#bounds
    this.#cumulative += unsignedAt(this.#counts.bytes, this.#counts.from + at)
    const sample = this.#sample
    sample.bound = bytes.readDoubleLE(from + at)
    sample.number = this.#cumulative
    sample.special = ''
    this.#bucket += 1
    this.#afterBucket()
  }

  #afterBucket(): void {
    const isBucket = this.#bucket < Math.min(this.#bounds.count, this.#counts.count)
    this.#next = isBucket ? BUCKET : LAST_BUCKET
  }

  #takeQuantile(): void {
    const { from, end } = this.#quantiles
    const fields = this.#fields
    let valueAt = NONE
    fields.enter(from, end)
    while (fields.nextField()) {
      if (fields.wire !== WIRE_FIXED64) continue
      if (fields.field === QUANTILE.quantile) {
        this.#sample.bound = this.#bytes.readDoubleLE(fields.from)
      } else if (fields.field === QUANTILE.value) {
        valueAt = fields.from
      }
    }
    this.#setDouble(valueAt)
    this.#toQuantile()
  }

  /** Goes to the next quantile, or to the count behind the last one. */
  #toQuantile(): void {
    const quantiles = this.#quantiles
    while (quantiles.at < this.#until) {
      quantiles.nextField()
      if (quantiles.field !== SUMMARY_POINT.quantiles || quantiles.wire !== WIRE_BYTES) continue
      this.#next = QUANTILE_VALUE
      return
    }
    this.#next = COUNT
  }

  /** Sets the sample to a double of the body, 0 if it is missing. */
  #setDouble(at: number): void {
    const sample = this.#sample
    const isSpecial = at !== NONE && isSpecialAt(this.#bytes, at)
    sample.special = isSpecial ? specialTextAt(this.#bytes, at) : ''
    sample.number = at === NONE || isSpecial ? 0 : this.#bytes.readDoubleLE(at)
  }

  #setUnsigned(at: number): void {
    const sample = this.#sample
    sample.special = ''
    sample.number = at === NONE ? 0 : unsignedAt(this.#bytes, at)
  }
}
