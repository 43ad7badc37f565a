/** Reads metrics of OpenTelemetry, encoded as protobuf, into samples. */
import { findLabelMistake } from '../../catalog/index.ts'
import { type OpenSeries, VALUE_NUMBER, VALUE_SPECIAL } from '../../feed/index.ts'
import { type Labels, type StreamHandle, seriesText } from '../../store/index.ts'
import { SHOWN_LINE_LENGTH_MAX } from '../door-log.ts'
import { type DoorReader, DoorSlice, type SliceBounds } from '../door-slice.ts'
import { addressOfLabels } from '../prometheus/series-labels.ts'
import type { SeriesCache } from '../series-cache.ts'
import { type FoundLabels, readPointLabels } from './attribute-labels.ts'
import { MetricWalk } from './metric-walk.ts'
import { PointReader, type PointSample } from './point-reader.ts'
import { SeriesKey } from './series-key.ts'
import { showPoint } from './show-point.ts'

const NAME = '__name__'
const NO_LABELS: Labels = {}
const NONE = -1

/** Begins every key, so that no key is that of a series of another protocol. */
const KEY_MARK = 0
/** The levels of keys. Each names the entry of the level above, so that no long text is compared for each point. */
const RESOURCE_KEY = 0
const METRIC_KEY = 1
const POINT_KEY = 2
/** The mark, the level, and the entry of the level above. */
const KEY_HEAD_BYTES = 6
const METRIC_WIDTH = 4
/** What a sample costs at least, of the bytes that are read at a time. */
const SAMPLE_BYTES = 64

/** The component of a series that has neither an instance nor a job. */
const COMPONENT = 'opentelemetry'

/** Reads a body slice by slice. A known series creates no string and no object. */
export class OtlpReader implements DoorReader {
  readonly #bytes: Buffer
  readonly #cache: SeriesCache
  readonly #bounds: SliceBounds
  readonly #walk: MetricWalk
  readonly #point: PointReader
  readonly #key = new SeriesKey()
  #slice!: DoorSlice
  #cacheGeneration = NONE
  /** Unknown series of the slice, by their labels and by their entry in the cache. */
  readonly #openByText = new Map<string, OpenSeries>()
  readonly #openOf = new Map<number, OpenSeries>()
  /** The metrics of the slice: the place of each, and what lists of rejected points need. */
  #metrics: number[] = []
  /** The number of the current point in the body. */
  #number = 0
  /** Where the keys of the resource, the metric, and the point end; each begins where the one before ends. */
  #resourceKeyEnd = 0
  #metricKeyEnd = 0
  #pointKeyEnd = 0
  /** Their entries in the cache. */
  #resourceHead = NONE
  #metricHead = NONE
  #head = NONE
  /** The newest time of a point of the resource; NaN if its points have no time. */
  #latestTime: number | undefined
  /** The labels of the point without its name, once they are needed. */
  #labels: FoundLabels | undefined

  constructor(bytes: Buffer, cache: SeriesCache, bounds: SliceBounds) {
    this.#bytes = bytes
    this.#cache = cache
    this.#bounds = bounds
    this.#walk = new MetricWalk(bytes)
    this.#point = new PointReader(bytes)
  }

  /** Whether all points were read. */
  get isAtEnd(): boolean {
    return this.#walk.isAtEnd && !this.#point.hasSample
  }

  /** Starts a slice. */
  begin(): DoorSlice {
    this.#openByText.clear()
    this.#openOf.clear()
    this.#slice = new DoorSlice()
    this.#metrics = this.#metrics.slice(-METRIC_WIDTH)
    if (this.#point.hasSample) this.#notePoint()
    return this.#slice
  }

  /** Reads about `bytesMax` bytes into the slice. Returns false when the slice is full or all is read. */
  read(orgUid: string, bytesMax: number): boolean {
    this.#cache.begin(orgUid)
    const { generation } = this.#cache
    // Others may use the cache between two calls.
    this.#cache.lookInto(this.#key.bytes)
    if (this.#cacheGeneration !== generation) this.#renewHeads()
    this.#cacheGeneration = generation
    let left = bytesMax
    while (left > 0) {
      if (this.#isFull()) return false
      if (this.#point.hasSample) {
        this.#addSample()
        left -= SAMPLE_BYTES
      } else {
        if (this.#walk.isAtEnd) return false
        left -= this.#step()
      }
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

  /** The metric and the attributes of a point, as a list of rejected points shows them. */
  textAt(from: number, until: number): string {
    const metrics = this.#metrics
    let at = 0
    let end = metrics.length / METRIC_WIDTH
    while (end - at > 1) {
      const middle = (at + end) >> 1
      if (metrics[middle * METRIC_WIDTH] <= from) at = middle
      else end = middle
    }
    const [, nameFrom = 0, nameUntil = 0, dataField = 0] = metrics.slice(
      at * METRIC_WIDTH,
      (at + 1) * METRIC_WIDTH,
    )
    const text = showPoint(this.#bytes, { nameFrom, nameUntil, dataField }, from, until)
    return text.slice(0, SHOWN_LINE_LENGTH_MAX)
  }

  #isFull(): boolean {
    const { samples, refusedCount } = this.#slice
    const { samplesMax } = this.#bounds
    return samples.count + refusedCount >= samplesMax || this.#slice.isFull(this.#bounds)
  }

  /** Goes to the next field of the body. Returns what it costs, in bytes. */
  #step(): number {
    const walk = this.#walk
    const found = walk.next()
    if (found === 'metric') this.#beginMetric(walk.name)
    else if (found === 'scopes') this.#beginResource()
    else if (found === 'point') this.#beginPoint()
    else if (found === 'resource') this.#addTargetInfo()
    return walk.cost
  }

  #beginResource(): void {
    const { job = '', instance = '' } = this.#walk.resource.labels
    const key = this.#key
    key.cut(0)
    this.#beginKey(RESOURCE_KEY, NONE)
    key.addText(job)
    key.addText(instance)
    this.#resourceKeyEnd = key.length
    this.#resourceHead = this.#findHead(0, key.length)
  }

  #beginMetric(name: string): void {
    const key = this.#key
    const from = this.#resourceKeyEnd
    key.cut(from)
    this.#beginKey(METRIC_KEY, this.#resourceHead)
    key.addText(name)
    this.#metricKeyEnd = key.length
    this.#metricHead = this.#resourceHead === NONE ? NONE : this.#findHead(from, key.length)
  }

  #beginKey(level: number, above: number): void {
    this.#key.addByte(KEY_MARK)
    this.#key.addByte(level)
    this.#key.addInteger(above)
  }

  #endPointKey(): void {
    this.#pointKeyEnd = this.#key.length
    this.#head =
      this.#metricHead === NONE ? NONE : this.#findHead(this.#metricKeyEnd, this.#pointKeyEnd)
  }

  /** The entry of a key, -1 if the cache has no room for it. */
  #findHead(from: number, until: number): number {
    const cache = this.#cache
    cache.lookInto(this.#key.bytes)
    const head = cache.findHead(from, until)
    return head === NONE ? cache.addHead(from, until) : head
  }

  /** Finds the entries of the current keys again, after the cache has dropped all entries. */
  #renewHeads(): void {
    this.#openOf.clear()
    const key = this.#key
    const ends = [this.#resourceKeyEnd, this.#metricKeyEnd, this.#pointKeyEnd]
    const heads = [NONE, NONE, NONE]
    let from = 0
    for (const [level, end] of ends.entries()) {
      if (end <= from) break
      const above = level === 0 ? NONE : heads[level - 1]
      if (level > 0 && above === NONE) break
      key.setInteger(above, from + 2)
      heads[level] = this.#findHead(from, end)
      from = end
    }
    this.#resourceHead = heads[0]
    this.#metricHead = heads[1]
    this.#head = heads[2]
  }

  #beginPoint(): void {
    const walk = this.#walk
    const { metricFrom, nameFrom, nameUntil, dataField } = walk
    this.#number += 1
    if (this.#metrics.at(-METRIC_WIDTH) !== metricFrom) {
      this.#metrics.push(metricFrom, nameFrom, nameUntil, dataField)
    }
    if (walk.mistake !== '') {
      this.#refusePoint(walk.mistake)
      return
    }
    const key = this.#key
    key.cut(this.#metricKeyEnd)
    this.#beginKey(POINT_KEY, this.#metricHead)
    const mistake = this.#point.begin(walk, key)
    if (mistake !== '') {
      this.#refusePoint(mistake)
      return
    }
    this.#endPointKey()
    this.#labels = undefined
    const { time } = this.#point
    const latest = this.#latestTime
    if (latest === undefined || !(time <= latest)) this.#latestTime = time
    this.#notePoint()
  }

  /** Adds the sample of `target_info` at the newest time of the resource, at its end. */
  #addTargetInfo(): void {
    const { resource } = this.#walk
    const time = this.#latestTime
    this.#latestTime = undefined
    if (resource.target === undefined || time === undefined) return
    this.#beginMetric('target_info')
    this.#beginKey(POINT_KEY, this.#metricHead)
    this.#key.addBytes(resource.bytes, 0, resource.bytes.length)
    this.#endPointKey()
    this.#labels = { labels: resource.target }
    this.#point.beginTarget(time)
    this.#notePoint()
  }

  #notePoint(): void {
    const { pointFrom: from, pointUntil: until } = this.#walk
    this.#slice.noteLine(this.#slice.samples.count, this.#number, from, until)
  }

  /** Adds the next sample of the point. */
  #addSample(): void {
    const sample = this.#point.take()
    const field = this.#findField(sample)
    const cache = this.#cache
    const handle = field === NONE ? 0 : cache.handleOf(field)
    const open = handle === 0 ? this.#findOpen(sample, field) : undefined
    if (typeof open === 'string') {
      this.#point.drop()
      this.#refusePoint(open)
      return
    }
    this.#put(handle, sample, open)
    const { time, rest } = sample
    if (field !== NONE && !Number.isNaN(time) && cache.sharesMillisecond(field, time, rest)) {
      this.#slice.sharedMilliseconds += 1
    }
  }

  #put(handle: StreamHandle | 0, sample: PointSample, open: OpenSeries | undefined): void {
    const { samples } = this.#slice
    const { time, number, special } = sample
    if (sample.isRounded) this.#slice.roundedIntegers += 1
    open?.samples.push(samples.count)
    if (special !== '') {
      samples.add(handle, time, { kind: VALUE_SPECIAL, number: 0, text: special })
    } else if (Number.isNaN(time)) {
      samples.add(handle, time, { kind: VALUE_NUMBER, number, text: undefined })
    } else {
      samples.addNumber(handle, time, number)
    }
  }

  /** The entry of a sample's series in the cache, -1 if there is none. */
  #findField({ kind, bound }: PointSample): number {
    if (this.#head === NONE) return NONE
    const key = this.#key
    const from = this.#pointKeyEnd
    key.cut(from)
    key.addByte(kind)
    key.addDouble(bound)
    const cache = this.#cache
    cache.lookInto(key.bytes)
    const field = cache.findField(from, key.length, this.#head)
    return field === NONE ? cache.addField(from, key.length, this.#head) : field
  }

  /** The open series of a sample, or why it cannot be opened. */
  #findOpen(sample: PointSample, field: number): OpenSeries | string {
    const known = field === NONE ? undefined : this.#openOf.get(field)
    if (known !== undefined) return known
    const { resource } = this.#walk
    const place = { from: this.#metricKeyEnd + KEY_HEAD_BYTES, until: this.#pointKeyEnd }
    this.#labels ??= readPointLabels(this.#key.bytes, place, resource.labels)
    if (this.#labels.mistake !== undefined) return this.#labels.mistake
    const { suffix, extra } = this.#point.labelsOf(sample)
    const series = { ...this.#labels.labels, ...extra }
    if (!this.#point.isTarget) series[NAME] = this.#walk.name + suffix
    const mistake = findLabelMistake(series)
    if (mistake !== undefined) return mistake
    const open = this.#openSeries(series)
    if (field !== NONE) this.#openOf.set(field, open)
    return open
  }

  #openSeries(series: Labels): OpenSeries {
    const text = seriesText(series)
    let open = this.#openByText.get(text)
    if (open === undefined) {
      const address = addressOfLabels(series, COMPONENT)
      open = { series, moreLabels: NO_LABELS, isOnChange: false, address, samples: [], handle: 0 }
      this.#openByText.set(text, open)
      this.#slice.addSeries(open, text)
    }
    return open
  }

  #refusePoint(reason: string): void {
    const { pointFrom: from, pointUntil: until } = this.#walk
    this.#slice.refuseLine({ line: this.#number, from, until, reason })
  }
}
