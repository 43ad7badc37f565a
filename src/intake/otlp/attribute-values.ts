/** Attributes of OpenTelemetry as texts. */
import { isUtf8 } from 'node:buffer'
import { ProtoCursor, WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT } from '../prometheus/proto-cursor.ts'
import { prometheusNumber } from './metric-name.ts'

/** The fields of a `KeyValue`. */
const KEY = 1
const VALUE = 2

/** The fields of an `AnyValue`. */
const STRING = 1
const BOOLEAN = 2
const INTEGER = 3
const DOUBLE = 4
const ARRAY = 5
const MAP = 6
const BYTES = 7
/** The field of an array, or of a map, that holds an element. */
const ELEMENT = 1

/** Attributes of one point or resource; a stream has at most 64 labels. */
const ATTRIBUTES_MAX = 256
/** How deep lists and maps lie in each other. */
const DEPTH_MAX = 32

/** An attribute, or why it cannot be read. */
type Attribute = readonly [key: string, text: string]

/** Attributes in the order of their bytes, or why they cannot be read. */
type ReadAttributes =
  | { readonly attributes: readonly Attribute[]; readonly mistake?: undefined }
  | { readonly attributes?: undefined; readonly mistake: string }

/** Why attributes cannot be read. */
class AttributeMistake extends Error {}

/** Reads the fields between two places as attributes, whatever their number in the message is. */
export function readAttributes(bytes: Buffer, from: number, until: number): ReadAttributes {
  try {
    return { attributes: attributesOf(bytes, from, until) }
  } catch (error) {
    if (error instanceof AttributeMistake) return { mistake: error.message }
    throw error
  }
}

function attributesOf(bytes: Buffer, from: number, until: number): Attribute[] {
  const attributes: Attribute[] = []
  const fields = new ProtoCursor(bytes)
  fields.enter(from, until)
  while (fields.nextField()) {
    if (attributes.length === ATTRIBUTES_MAX) {
      throw new AttributeMistake(`There are more than ${ATTRIBUTES_MAX} attributes`)
    }
    const { key, valueFrom, valueUntil } = readPair(bytes, fields)
    if (key === '') throw new AttributeMistake('An attribute has no key')
    attributes.push([key, textOf(bytes, valueFrom, valueUntil)])
  }
  return attributes
}

/** Reads a `KeyValue`: the current field of a cursor. A missing value is an empty one. */
function readPair(bytes: Buffer, { from, end }: ProtoCursor) {
  const pair = new ProtoCursor(bytes)
  let key = ''
  let valueFrom = end
  let valueUntil = end
  pair.enter(from, end)
  while (pair.nextField()) {
    if (pair.wire !== WIRE_BYTES) continue
    if (pair.field === KEY) key = stringAt(bytes, pair.from, pair.end)
    if (pair.field === VALUE) {
      valueFrom = pair.from
      valueUntil = pair.end
    }
  }
  return { key, valueFrom, valueUntil }
}

/** The text of an `AnyValue`: lists and maps are JSON, bytes are Base64. */
function textOf(bytes: Buffer, from: number, until: number): string {
  const value = lastField(bytes, from, until)
  if (value === undefined) return ''
  return value.field === STRING ? stringAt(bytes, value.from, value.end) : jsonOf(bytes, value, 0)
}

/** The field of an `AnyValue` that counts: the last one. */
function lastField(bytes: Buffer, from: number, until: number): ProtoCursor | undefined {
  const value = new ProtoCursor(bytes)
  value.enter(from, until)
  let isFound = false
  while (value.at < until) isFound = value.nextField()
  return isFound ? value : undefined
}

/** A value as JSON, but for bytes at the top, which are bare. */
function jsonOf(bytes: Buffer, value: ProtoCursor, depth: number): string {
  if (depth > DEPTH_MAX) throw new AttributeMistake('An attribute has lists in too many lists')
  const { field, wire, from, end } = value
  if (wire === WIRE_VARINT && field === BOOLEAN) return String(value.int64() !== 0)
  if (wire === WIRE_VARINT && field === INTEGER) return integerAt(bytes, from)
  if (wire === WIRE_FIXED64 && field === DOUBLE) return doubleText(bytes.readDoubleLE(from), depth)
  if (wire !== WIRE_BYTES) return depth === 0 ? '' : 'null'
  switch (field) {
    case STRING:
      return JSON.stringify(stringAt(bytes, from, end))
    case BYTES: {
      const text = bytes.toString('base64', from, end)
      return depth === 0 ? text : JSON.stringify(text)
    }
    case ARRAY:
      return `[${elementsOf(bytes, value, depth).join(',')}]`
    case MAP:
      return `{${membersOf(bytes, value, depth).join(',')}}`
    default:
      return depth === 0 ? '' : 'null'
  }
}

function elementsOf(bytes: Buffer, list: ProtoCursor, depth: number): string[] {
  const elements: string[] = []
  for (const { from, end } of fieldsOf(bytes, list)) {
    const value = lastField(bytes, from, end)
    elements.push(value === undefined ? 'null' : jsonOf(bytes, value, depth + 1))
  }
  return elements
}

function membersOf(bytes: Buffer, map: ProtoCursor, depth: number): string[] {
  const members: [key: string, json: string][] = []
  for (const field of fieldsOf(bytes, map)) {
    const { key, valueFrom, valueUntil } = readPair(bytes, field)
    const value = lastField(bytes, valueFrom, valueUntil)
    members.push([key, value === undefined ? 'null' : jsonOf(bytes, value, depth + 1)])
  }
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return members.map(([key, json]) => `${JSON.stringify(key)}:${json}`)
}

/** The elements of a list or map, one after the other. */
function* fieldsOf(bytes: Buffer, { from, end }: ProtoCursor): Generator<ProtoCursor> {
  const fields = new ProtoCursor(bytes)
  fields.enter(from, end)
  while (fields.nextField()) {
    if (fields.field === ELEMENT && fields.wire === WIRE_BYTES) yield fields
  }
}

function stringAt(bytes: Buffer, from: number, until: number): string {
  const text = bytes.subarray(from, until)
  if (!isUtf8(text)) throw new AttributeMistake('An attribute is not valid UTF-8')
  return text.toString('utf8')
}

function doubleText(value: number, depth: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value)
  const text = prometheusNumber(value)
  return depth === 0 ? text : JSON.stringify(text)
}

/** The varint at a place in decimal digits. */
function integerAt(bytes: Buffer, from: number): string {
  let value = 0n
  for (let at = from, shift = 0n; ; at++, shift += 7n) {
    value |= BigInt(bytes[at] & 0x7f) << shift
    if (bytes[at] < 0x80) return String(BigInt.asIntN(64, value))
  }
}
