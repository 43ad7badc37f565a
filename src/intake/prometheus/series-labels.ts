/** The labels of a series of remote write, and the address that they propose. */
import { isUtf8 } from 'node:buffer'
import type { SeriesAddress } from '../../catalog/index.ts'
import type { Labels } from '../../store/index.ts'
import { ProtoCursor, WIRE_BYTES } from './proto-cursor.ts'

const NAME = '__name__'

/** The field of `TimeSeries` that has a label, and the fields of a label. */
const LABEL_KEY = (1 << 3) | WIRE_BYTES
const LABEL_NAME = 1
const LABEL_VALUE = 2

/** Labels of a series that are read at once. A stream may have fewer, but blank ones do not count. */
const LABELS_READ_MAX = 1_000

/** Labels that were read, or the reason why they cannot be. */
type ReadLabels = { readonly labels: Labels } | { readonly mistake: string }

/** Reads the labels between two places: fields of `TimeSeries` of remote write 1.0. */
export function readLabels(bytes: Buffer, from: number, until: number): ReadLabels {
  const labels = new Map<string, string>()
  const fields = new ProtoCursor(bytes)
  const label = new ProtoCursor(bytes)
  fields.enter(from, until)
  while (fields.nextField()) {
    if (labels.size === LABELS_READ_MAX) return { mistake: 'A stream may have 64 labels' }
    let name = ''
    let value = ''
    label.enter(fields.from, fields.end)
    while (label.nextField()) {
      if (label.wire !== WIRE_BYTES || label.field > LABEL_VALUE) continue
      const text = bytes.subarray(label.from, label.end)
      if (!isUtf8(text)) return { mistake: 'A label is not valid UTF-8' }
      if (label.field === LABEL_NAME) name = text.toString('utf8')
      else value = text.toString('utf8')
    }
    if (name === '') return { mistake: 'A label has no name' }
    if (labels.has(name)) return { mistake: `Label ${JSON.stringify(name)} is there twice` }
    labels.set(name, value)
  }
  // An empty value means that the label is absent.
  const present = [...labels].filter(([, value]) => value !== '')
  if (!present.some(([name]) => name === NAME)) return { mistake: `Label ${NAME} is missing` }
  return { labels: Object.fromEntries(present) }
}

/** The address that a series proposes: `component` if it has neither an instance nor a job. */
export function addressOfLabels(labels: Labels, component: string): SeriesAddress {
  const { [NAME]: stream, instance, job } = labels
  if (instance !== undefined) {
    return { component: instance, stream, used: [NAME, 'instance', 'job'] }
  }
  if (job !== undefined) return { component: job, stream, used: [NAME, 'job'] }
  return { component, stream, used: [NAME] }
}

/** How a list of rejected points shows a series: `up{instance="a"}`. */
export function showLabels(bytes: Buffer, from: number, until: number): string {
  const read = readLabels(bytes, from, until)
  if ('mistake' in read) return ''
  const { [NAME]: name, ...others } = read.labels
  const shown = Object.entries(others).map(([label, value]) => `${label}=${JSON.stringify(value)}`)
  return `${name}{${shown.join(',')}}`
}

/** Where a label has its texts. */
interface LabelPlace {
  readonly nameFrom: number
  readonly nameUntil: number
  readonly valueFrom: number
  readonly valueUntil: number
}

/** Writes labels as fields of `TimeSeries` of remote write 1.0, so that both versions share cached series. */
export class LabelWriter {
  bytes = Buffer.alloc(1_024)
  length = 0

  clear(): void {
    this.length = 0
  }

  /** Adds a label whose texts are in other bytes. */
  addLabel(source: Buffer, place: LabelPlace): void {
    const { nameFrom, nameUntil, valueFrom, valueUntil } = place
    const length = lengthOfField(nameUntil - nameFrom) + lengthOfField(valueUntil - valueFrom)
    this.#makeRoom(lengthOfField(length))
    this.#writeKey(LABEL_KEY, length)
    this.#writeKey((LABEL_NAME << 3) | WIRE_BYTES, nameUntil - nameFrom)
    this.#copy(source, nameFrom, nameUntil)
    this.#writeKey((LABEL_VALUE << 3) | WIRE_BYTES, valueUntil - valueFrom)
    this.#copy(source, valueFrom, valueUntil)
  }

  /** Adds a field as it is. */
  addField(source: Buffer, from: number, until: number): void {
    this.#makeRoom(until - from)
    this.#copy(source, from, until)
  }

  #makeRoom(length: number): void {
    const needed = this.length + length
    if (needed <= this.bytes.length) return
    const grown = Buffer.alloc(Math.max(needed, 2 * this.bytes.length))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
  }

  #copy(source: Buffer, from: number, until: number): void {
    this.length += source.copy(this.bytes, this.length, from, until)
  }

  #writeKey(key: number, length: number): void {
    this.bytes[this.length] = key
    this.length += 1
    let rest = length
    for (; rest >= 0x80; rest >>>= 7) {
      this.bytes[this.length] = (rest & 0x7f) | 0x80
      this.length += 1
    }
    this.bytes[this.length] = rest
    this.length += 1
  }
}

/** Bytes of a field with its key, its length, and its contents. */
function lengthOfField(length: number): number {
  let bytes = 2 + length
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) bytes += 1
  return bytes
}
