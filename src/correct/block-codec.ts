/**
 * The samples of a block as bytes: the length of a JSON header (u32), the header, and columns of doubles: times, numbers,
 * times of special values, and their codes. Numbers are little-endian. Texts are in the header.
 */
import type { SampleColumns } from '../store/index.ts'

/** The samples of a block as they were. */
export interface BlockSamples {
  readonly samples: SampleColumns
  /** NaN and the infinities, as codes. */
  readonly specials: SampleColumns
}

interface Header {
  readonly count: number
  readonly specialCount: number
  /** By place, where a sample is a text. */
  readonly texts?: readonly (string | null)[]
}

const LENGTH_BYTES = 4

/** Packs a block. */
export function packBlock({ samples, specials }: BlockSamples): Buffer {
  const texts =
    samples.texts === undefined
      ? undefined
      : Array.from({ length: samples.count }, (_, at) => samples.texts?.[at] ?? null)
  const header: Header = { count: samples.count, specialCount: specials.count, texts }
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(json.length)
  const columns = [
    samples.times.subarray(0, samples.count),
    samples.numbers.subarray(0, samples.count),
    specials.times.subarray(0, specials.count),
    specials.numbers.subarray(0, specials.count),
  ].map(bytesOf)
  return Buffer.concat([length, json, ...columns])
}

/** The block that was packed. */
export function unpackBlock(bytes: Buffer): BlockSamples {
  const jsonBytes = bytes.readUInt32LE(0)
  const json = bytes.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + jsonBytes)
  const { count, specialCount, texts } = JSON.parse(json) as Header
  let at = LENGTH_BYTES + jsonBytes
  const column = (length: number): Float64Array => {
    const values = new Float64Array(length)
    bytesOf(values).set(bytes.subarray(at, at + values.byteLength))
    at += values.byteLength
    return values
  }
  const samples = {
    count,
    times: column(count),
    numbers: column(count),
    texts: texts?.map((text) => text ?? undefined),
  }
  const specials = {
    count: specialCount,
    times: column(specialCount),
    numbers: column(specialCount),
  }
  return { samples, specials }
}

function bytesOf(values: Float64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}
