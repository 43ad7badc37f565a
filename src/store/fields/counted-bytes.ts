/** What components and streams count as in the bytes of an organization, the same in every store. */
import type { ComponentFields, StreamFields } from '../ports/component-port.ts'

/** What is there whatever a row says: numbers and keys. */
const COMPONENT_BYTES = 40
const STREAM_BYTES = 20

/** The bytes of a component: of its texts, and 40 for the rest. */
export function bytesOfComponent(
  fields: Pick<ComponentFields, 'id' | 'name' | 'folder' | 'addressedAs' | 'more'>,
): number {
  const { id, name, folder, addressedAs, more } = fields
  const bytes = COMPONENT_BYTES + bytesOfNames(id, name) + Buffer.byteLength(folder)
  return bytes + (addressedAs.length === 0 ? 0 : jsonBytes(addressedAs)) + bytesOfObject(more)
}

/** The bytes of a stream: of its texts, and 20 for the rest. */
export function bytesOfStream(
  fields: Pick<StreamFields, 'id' | 'name' | 'labels' | 'series' | 'more'>,
): number {
  const { id, name, labels, series, more } = fields
  const bytes = STREAM_BYTES + bytesOfNames(id, name) + bytesOfObject(more)
  const labelsBytes = bytesOfObject(labels)
  return bytes + labelsBytes + (series === labels ? labelsBytes : bytesOfObject(series))
}

function bytesOfNames(id: string, name: string): number {
  return Buffer.byteLength(id) + (name === id ? 0 : Buffer.byteLength(name))
}

/** Those of its JSON, none for an empty one. */
function bytesOfObject(object: object | undefined): number {
  for (const _ in object) return jsonBytes(object)
  return 0
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
