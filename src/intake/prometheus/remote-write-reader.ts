/** Reads bodies of Prometheus remote write, versions 1.0 and 2.0, into samples. */
import { isSampleTime } from '../../base/index.ts'
import { findLabelMistake, type MetricMetadata } from '../../catalog/index.ts'
import { type OpenSeries, VALUE_SPECIAL } from '../../feed/index.ts'
import type { Labels, StreamHandle } from '../../store/index.ts'
import { SHOWN_LINE_LENGTH_MAX } from '../door-log.ts'
import { type DoorReader, DoorSlice, type SliceBounds } from '../door-slice.ts'
import type { SeriesCache } from '../series-cache.ts'
import { MetadataReader } from './metadata-reader.ts'
import { ProtoCursor, WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT } from './proto-cursor.ts'
import { addressOfLabels, LabelWriter, readLabels, showLabels } from './series-labels.ts'
import { isSpecialAt, specialTextAt } from './special-value.ts'
import { SymbolTable } from './symbol-table.ts'

/** The version of the protocol of a body. */
export type RemoteWriteVersion = 1 | 2

/**
 * The numbers of the fields, by version. Those of a sample are the same in both. Metadata is a field of the request in
 * 1.0, and of a series in 2.0.
 */
const FIELDS = {
  1: { series: 1, labels: 1, samples: 2, histograms: 4, metadata: 3 },
  2: { series: 5, labels: 1, samples: 2, histograms: 3, metadata: 5 },
} as const
/** A field of samples in version 1.0, as it begins. */
const SAMPLES_KEY = (FIELDS[1].samples << 3) | WIRE_BYTES
const SAMPLE_VALUE = 1
const SAMPLE_TIME = 2

/** The component of a series that has neither an instance nor a job. */
const COMPONENT = 'prometheus'
const NO_LABELS: Labels = {}
const NAME_LABEL = Buffer.from('__name__')
const NONE = -1
/** What a field costs at least, of the bytes that are read at a time. */
const FIELD_BYTES_MIN = 16

const HISTOGRAM = 'Native histograms are not stored. Send classic buckets'
const LONG_LABELS = 'The labels are longer than those of any stream'
const BAD_TIME = 'The time must lie from 1900 to 2261, in milliseconds'

interface Place {
  readonly from: number
  readonly until: number
}

/** Reads a body slice by slice. A known series creates no string and no object. */
export class RemoteWriteReader implements DoorReader {
  readonly #bytes: Buffer
  readonly #fields: (typeof FIELDS)[RemoteWriteVersion]
  readonly #cache: SeriesCache
  readonly #bounds: SliceBounds
  readonly #request: ProtoCursor
  readonly #series: ProtoCursor
  readonly #sample: ProtoCursor
  /** The texts of version 2.0; undefined for 1.0, where labels hold their texts. */
  readonly #symbols: SymbolTable | undefined
  readonly #writer = new LabelWriter()
  readonly #metadata: MetadataReader
  #slice!: DoorSlice
  #cacheGeneration = NONE
  /** Unknown series of the slice, by their labels and by their entry in the cache. */
  readonly #openByLabels = new Map<string, OpenSeries>()
  readonly #openOf = new Map<number, OpenSeries>()
  /** The current series: its number in the body, its message, and where the next sample is searched. */
  #number = 0
  #from = 0
  #until = 0
  #next = NONE
  /** Its labels as fields of version 1.0. */
  #labelBytes: Buffer
  #labelsFrom = 0
  #labelsUntil = 0
  #areLabelsTooLong = false
  /** The entry of the labels of the series before. */
  #head = NONE
  /** Its stream or its open series, or why its samples are rejected. */
  #handle: StreamHandle | 0 = 0
  #open: OpenSeries | undefined
  #mistake = ''

  constructor(
    bytes: Buffer,
    cache: SeriesCache,
    { version, ...bounds }: SliceBounds & { readonly version: RemoteWriteVersion },
  ) {
    this.#bytes = bytes
    this.#labelBytes = bytes
    this.#fields = FIELDS[version]
    this.#cache = cache
    this.#bounds = bounds
    this.#request = new ProtoCursor(bytes)
    this.#series = new ProtoCursor(bytes)
    this.#sample = new ProtoCursor(bytes)
    this.#metadata = new MetadataReader(bytes)
    this.#symbols = version === 2 ? new SymbolTable(bytes) : undefined
    this.#request.enter(0, bytes.length)
  }

  /** Whether all series were read. */
  get isAtEnd(): boolean {
    return this.#next === NONE && this.#request.at >= this.#bytes.length
  }

  /** The metadata of metrics that was read so far. */
  get metrics(): readonly MetricMetadata[] {
    return this.#metadata.metrics
  }

  /** Starts a slice. */
  begin(): DoorSlice {
    this.#openByLabels.clear()
    this.#openOf.clear()
    this.#slice = new DoorSlice()
    return this.#slice
  }

  /** Reads about `bytesMax` bytes into the slice. Returns false when the slice is full or all is read. */
  read(orgUid: string, bytesMax: number): boolean {
    this.#cache.begin(orgUid)
    const { generation } = this.#cache
    if (this.#cacheGeneration !== generation) {
      this.#openOf.clear()
      this.#head = NONE
    }
    this.#cacheGeneration = generation
    // Entries of the cache may have changed since the last call.
    if (this.#next !== NONE) this.#resolve()
    let left = bytesMax
    while (left > 0) {
      if (this.#isFull()) return false
      if (this.#next === NONE) {
        if (this.#request.at >= this.#bytes.length) return false
        const hasPoints = this.#enterSeries()
        // Labels of version 2.0 can be much longer than the bytes that refer to them.
        left -= FIELD_BYTES_MIN + this.#labelsUntil - this.#labelsFrom
        if (!hasPoints) continue
      }
      const from = this.#next
      this.#readSamples(from + left)
      left -= (this.#next === NONE ? this.#until : this.#next) - from
    }
    return !this.isAtEnd
  }

  /** Reports to the cache which streams were found or created for the slice. */
  learn(): void {
    if (this.#cacheGeneration === this.#cache.generation) {
      for (const [field, { handle }] of this.#openOf) {
        if (handle !== 0) this.#cache.learn(field, handle)
      }
    }
    this.#openOf.clear()
  }

  /** The series at a place of the body, as a list of rejected points shows it. */
  textAt(from: number, until: number): string {
    this.#findLabels(from, until)
    const text = showLabels(this.#labelBytes, this.#labelsFrom, this.#labelsUntil)
    return text.slice(0, SHOWN_LINE_LENGTH_MAX)
  }

  #isFull(): boolean {
    return this.#slice.isFull(this.#bounds)
  }

  /** Goes to the next field of the request. Returns true if it is a series with samples. */
  #enterSeries(): boolean {
    const request = this.#request
    const { series, metadata } = this.#fields
    if (!request.nextField() || request.wire !== WIRE_BYTES) return false
    const isMetadata = request.field === metadata && this.#symbols === undefined
    if (isMetadata) this.#metadata.read1(request.from, request.end)
    if (request.field !== series) return false
    this.#number += 1
    this.#from = request.from
    this.#until = request.end
    if (this.#isExpected()) return true
    if (!this.#findLabels(this.#from, this.#until)) return false
    this.#next = this.#from
    this.#resolve()
    return true
  }

  /**
   * Whether the series is the known one that followed the one before the last time: most bodies have the series of
   * those before. Then its labels are compared instead of being read.
   */
  #isExpected(): boolean {
    if (this.#symbols !== undefined || this.#head === NONE) return false
    const cache = this.#cache
    const [from, until] = [this.#from, this.#until]
    cache.lookInto(this.#bytes)
    const head = cache.expectHead(from, SAMPLES_KEY, this.#head)
    if (head === NONE) return false
    const samplesFrom = from + cache.bytesOfHead(head)
    if (samplesFrom >= until) return false
    const field = cache.expect(samplesFrom, SAMPLES_KEY, head, NONE)
    const handle = field === NONE ? 0 : cache.handleOf(field)
    if (handle === 0 || !this.#areSamples(samplesFrom, until)) return false
    this.#head = head
    this.#handle = handle
    this.#open = undefined
    this.#mistake = ''
    this.#next = samplesFrom
    this.#labelsFrom = from
    this.#labelsUntil = samplesFrom
    this.#labelBytes = this.#bytes
    this.#areLabelsTooLong = false
    return true
  }

  /** Whether there are only samples: other fields of a series are read with its labels. */
  #areSamples(from: number, until: number): boolean {
    const series = this.#series
    series.enter(from, until)
    while (series.nextField()) {
      if (series.field !== this.#fields.samples || series.wire !== WIRE_BYTES) return false
    }
    return true
  }

  /** Finds the labels of a series, as bytes of version 1.0. Returns whether it has samples. */
  #findLabels(from: number, until: number): boolean {
    const series = this.#series
    const { labels, samples, histograms, metadata } = this.#fields
    const writer = this.#writer
    const symbols = this.#symbols
    writer.clear()
    this.#areLabelsTooLong = false
    let [refsFrom, refsUntil, saidFrom, saidUntil] = [0, 0, 0, 0]
    let labelsFrom = NONE
    let labelsUntil = NONE
    let isScattered = false
    let hasPoints = false
    series.enter(from, until)
    for (let before = from; series.nextField(); before = series.at) {
      if (series.field <= histograms && series.wire !== WIRE_BYTES) series.refuse()
      if (series.field === labels) {
        if (symbols !== undefined) {
          if (!symbols.writeLabels(series, writer)) this.#areLabelsTooLong = true
          refsFrom = series.from
          refsUntil = series.end
        } else if (labelsFrom === NONE) {
          labelsFrom = before
          labelsUntil = series.at
        } else {
          if (labelsUntil !== before) isScattered = true
          labelsUntil = series.at
        }
      } else if (series.field === samples || series.field === histograms) {
        hasPoints = true
      } else if (series.field === metadata && series.wire === WIRE_BYTES) {
        saidFrom = series.from
        saidUntil = series.end
      }
    }
    if (symbols !== undefined && saidUntil > saidFrom) {
      const refs = { from: refsFrom, until: refsUntil }
      this.#readMetadata(symbols, refs, { from: saidFrom, until: saidUntil })
    }
    if (isScattered) this.#gatherLabels(from, until)
    const isWritten = symbols !== undefined || isScattered
    this.#labelBytes = isWritten ? writer.bytes : this.#bytes
    this.#labelsFrom = isWritten ? 0 : Math.max(labelsFrom, 0)
    this.#labelsUntil = isWritten ? writer.length : Math.max(labelsUntil, 0)
    return hasPoints
  }

  #readMetadata(symbols: SymbolTable, refs: Place, said: Place): void {
    const name = symbols.valueOf(NAME_LABEL, refs)
    if (name !== undefined) this.#metadata.read2(name, said, symbols)
  }

  /** Copies labels that are not adjacent. Encoders write them adjacent; the format does not demand it. */
  #gatherLabels(from: number, until: number): void {
    const series = this.#series
    series.enter(from, until)
    for (let before = from; series.nextField(); before = series.at) {
      if (series.field === this.#fields.labels)
        this.#writer.addField(this.#bytes, before, series.at)
    }
  }

  /** Finds the stream of the current series, or what is known of it. */
  #resolve(): void {
    const [from, until] = [this.#labelsFrom, this.#labelsUntil]
    const cache = this.#cache
    cache.lookInto(this.#labelBytes)
    this.#mistake = ''
    this.#open = undefined
    this.#handle = 0
    if (this.#areLabelsTooLong) {
      this.#mistake = LONG_LABELS
      return
    }
    let head = cache.findHead(from, until)
    if (head === NONE) head = cache.addHead(from, until)
    // A series whose samples are read in parts is resolved again.
    if (head !== NONE && head !== this.#head) cache.followHead(head, this.#head)
    this.#head = head
    let field = head === NONE ? NONE : cache.findField(until, until, head)
    if (field !== NONE) this.#handle = cache.handleOf(field)
    else if (head !== NONE) field = cache.addField(until, until, head)
    if (field !== NONE) cache.follow(field, head, NONE)
    if (this.#handle !== 0) return
    this.#open = field === NONE ? undefined : this.#openOf.get(field)
    this.#open ??= this.#openSeries()
    if (field !== NONE && this.#open !== undefined) this.#openOf.set(field, this.#open)
  }

  #openSeries(): OpenSeries | undefined {
    const read = readLabels(this.#labelBytes, this.#labelsFrom, this.#labelsUntil)
    if ('mistake' in read) {
      this.#mistake = read.mistake
      return undefined
    }
    const series = read.labels
    this.#mistake = findLabelMistake(series) ?? ''
    if (this.#mistake !== '') return undefined
    const key = JSON.stringify(Object.entries(series).sort(([a], [b]) => (a < b ? -1 : 1)))
    let open = this.#openByLabels.get(key)
    if (open === undefined) {
      const address = addressOfLabels(series, COMPONENT)
      open = { series, moreLabels: NO_LABELS, isOnChange: false, address, samples: [], handle: 0 }
      this.#openByLabels.set(key, open)
      this.#slice.addSeries(open, key)
    }
    return open
  }

  /** Reads samples of the current series until a place, its end, or until the slice is full. */
  #readSamples(stopAt: number): void {
    const series = this.#series
    const { samples, histograms } = this.#fields
    const { samplesMax } = this.#bounds
    this.#slice.noteLine(this.#slice.samples.count, this.#number, this.#from, this.#until)
    series.enter(this.#next, this.#until)
    while (series.nextField()) {
      if (series.field === samples) this.#readSample(series.from, series.end)
      else if (series.field === histograms) this.#refusePoint(HISTOGRAM)
      if (series.at < stopAt && this.#slice.samples.count < samplesMax) continue
      this.#next = series.at < this.#until ? series.at : NONE
      return
    }
    this.#next = NONE
  }

  #readSample(from: number, until: number): void {
    if (this.#mistake !== '') {
      this.#refusePoint(this.#mistake)
      return
    }
    const bytes = this.#bytes
    const sample = this.#sample
    let time = 0
    let valueAt = NONE
    sample.enter(from, until)
    while (sample.nextField()) {
      if (sample.field === SAMPLE_VALUE && sample.wire === WIRE_FIXED64) valueAt = sample.from
      else if (sample.field === SAMPLE_TIME && sample.wire === WIRE_VARINT) time = sample.int64()
    }
    if (!isSampleTime(time)) {
      this.#refusePoint(BAD_TIME)
      return
    }
    const { samples } = this.#slice
    this.#open?.samples.push(samples.count)
    if (valueAt !== NONE && isSpecialAt(bytes, valueAt)) {
      const text = specialTextAt(bytes, valueAt)
      samples.add(this.#handle, time, { kind: VALUE_SPECIAL, number: 0, text })
    } else {
      samples.addNumber(this.#handle, time, valueAt === NONE ? 0 : bytes.readDoubleLE(valueAt))
    }
  }

  #refusePoint(reason: string): void {
    const [from, until] = [this.#from, this.#until]
    this.#slice.refuseLine({ line: this.#number, from, until, reason })
  }
}
