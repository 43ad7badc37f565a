/** Bytes of payloads: short ones lie in their row, long ones in parts, each a partition of its own. */
import { crc32 } from 'node:zlib'
import { type NewPayload, PayloadDamaged } from '../../payload-port.ts'
import type { Cluster } from '../connection/cluster.ts'

/** A page of a thousand rows stays within some megabytes. */
const INLINE_BYTES_MAX = 4 * 1024
const PART_BYTES = 256 * 1024

/** Parts of one payload that are written or read at once. */
const PARTS_AT_ONCE = 8

/** Bytes as they are kept. */
export interface KeptBytes {
  readonly bytes: number
  readonly crc: number
  /** The bytes themselves; undefined when they are in parts. */
  readonly inline: Buffer | undefined
}

/** Where parts are: of which connector, and under which name. */
interface PartsPlace {
  readonly connectorUid: string
  readonly name: string
}

/** Query and body of a payload as bytes. */
export function contentOf({ query, body }: Pick<NewPayload, 'query' | 'body'>): Buffer {
  return Buffer.from(query + (body ?? ''))
}

/** How bytes are kept: in the row when they are short. */
export function keptBytesOf(data: Buffer): KeptBytes {
  const inline = isKeptInParts(data.length) ? undefined : data
  return { bytes: data.length, crc: crc32(data), inline }
}

/** Whether so many bytes are kept in parts. */
function isKeptInParts(bytes: number): boolean {
  return bytes > INLINE_BYTES_MAX
}

/** The parts of long bytes. */
export class PayloadParts {
  readonly #cluster: Cluster

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  /** Keeps long bytes; those that are short are not here. */
  async write({ connectorUid, name }: PartsPlace, data: Buffer): Promise<void> {
    if (!isKeptInParts(data.length)) return
    const cql = 'INSERT INTO payload_part (connector, name, part, data) VALUES (?, ?, ?, ?)'
    await this.#each(data.length, async (part) => {
      const some = data.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
      await this.#cluster.run(cql, [connectorUid, name, part, some])
    })
  }

  /** Bytes as they were kept; rejects with PayloadDamaged when they do not check. */
  async read(place: PartsPlace, { bytes, crc, inline }: KeptBytes, what: string): Promise<Buffer> {
    const data = inline ?? (await this.#readParts(place, bytes))
    if (data.length === bytes && crc32(data) === crc) return data
    throw new PayloadDamaged(`${what} does not check`)
  }

  /** Forgets the parts of long bytes. */
  async delete({ connectorUid, name }: PartsPlace, bytes: number): Promise<void> {
    if (!isKeptInParts(bytes)) return
    const cql = 'DELETE FROM payload_part WHERE connector = ? AND name = ? AND part = ?'
    await this.#each(bytes, (part) => this.#cluster.run(cql, [connectorUid, name, part]))
  }

  async #readParts({ connectorUid, name }: PartsPlace, bytes: number): Promise<Buffer> {
    const cql = 'SELECT data FROM payload_part WHERE connector = ? AND name = ? AND part = ?'
    const read = async (part: number): Promise<Buffer> => {
      const [row] = await this.#cluster.run(cql, [connectorUid, name, part])
      return row === undefined ? Buffer.alloc(0) : (row.data as Buffer)
    }
    return Buffer.concat(await this.#each(bytes, read))
  }

  /** Runs a task for each part, some at once. */
  async #each<T>(bytes: number, task: (part: number) => Promise<T>): Promise<T[]> {
    const results: T[] = []
    const count = Math.ceil(bytes / PART_BYTES)
    for (let from = 0; from < count; from += PARTS_AT_ONCE) {
      const length = Math.min(PARTS_AT_ONCE, count - from)
      const parts = Array.from({ length }, (_, at) => from + at)
      results.push(...(await this.#cluster.inParallel(parts, task)))
    }
    return results
  }
}
