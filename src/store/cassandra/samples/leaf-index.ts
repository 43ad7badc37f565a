import { crc32 } from 'node:zlib'
import { ByteReader } from '../../embedded/chunk/byte-reader.ts'
import { ByteWriter } from '../../embedded/chunk/byte-writer.ts'
import { DamagedBytes } from '../../embedded/chunk/index.ts'

/** First byte of every index of a leaf. */
const MANIFEST_VERSION = 2
const CRC_BYTES = 4

/** No leaf has more chunks, and none more replaced ones that wait to be deleted. */
const ENTRIES_MAX = 1_000_000

/** Names a row of a leaf's partition. */
export interface ChunkKey {
  readonly gen: number
  readonly place: number
}

/** A chunk of a leaf, with what statistics need to know of it. */
export interface ManifestEntry extends ChunkKey {
  readonly start: number
  readonly last: number
  readonly count: number
  readonly bytes: number
  /** Empty where the chunk has to be decoded. */
  readonly summary: Uint8Array
}

/** A row that was replaced and waits to be deleted. */
export interface ReplacedChunk extends ChunkKey {
  /** When it was, by the clock that all processes share. */
  readonly atMs: number
}

/** The chunks of a leaf in the order of time, and rows that were replaced. */
export interface Manifest {
  readonly entries: readonly ManifestEntry[]
  readonly replaced: readonly ReplacedChunk[]
}

/** Packs the index of a leaf. */
export function packManifest(stream: number, { entries, replaced }: Manifest): Uint8Array {
  const writer = new ByteWriter()
  writer.u8(MANIFEST_VERSION)
  writer.varint(stream)
  writer.varint(entries.length)
  for (const entry of entries) {
    writeKey(writer, entry)
    writer.zigzag(entry.start)
    writer.varint(entry.last - entry.start)
    writer.varint(entry.count)
    writer.varint(entry.bytes)
    writer.varint(entry.summary.length)
    writer.bytes(entry.summary)
  }
  writer.varint(replaced.length)
  for (const chunk of replaced) {
    writeKey(writer, chunk)
    writer.varint(chunk.atMs)
  }
  writer.u32(crc32(writer.view()))
  return writer.finish()
}

/** Unpacks the index of a leaf; throws DamagedBytes when it does not check or is another stream's. */
export function unpackManifest(stream: number, bytes: Uint8Array): Manifest {
  const end = bytes.length - CRC_BYTES
  const isIntact =
    end > 0 && crc32(bytes.subarray(0, end)) === new ByteReader(bytes.subarray(end)).u32()
  if (!isIntact) throw new DamagedBytes('Cannot read the index of a leaf: its checksum differs')
  const reader = new ByteReader(bytes, { start: 0, end })
  if (reader.u8() !== MANIFEST_VERSION || reader.varint() !== stream) {
    throw new DamagedBytes('Cannot read the index of a leaf: it belongs elsewhere')
  }
  const entries = Array.from({ length: reader.countUpTo(ENTRIES_MAX) }, () => readEntry(reader))
  const replaced = Array.from({ length: reader.countUpTo(ENTRIES_MAX) }, () => ({
    ...readKey(reader),
    atMs: reader.varint(),
  }))
  return { entries, replaced }
}

function writeKey(writer: ByteWriter, { gen, place }: ChunkKey): void {
  writer.varint(gen)
  writer.zigzag(place)
}

function readKey(reader: ByteReader): ChunkKey {
  return { gen: reader.varint(), place: reader.zigzag() }
}

function readEntry(reader: ByteReader): ManifestEntry {
  const key = readKey(reader)
  const start = reader.zigzag()
  return {
    ...key,
    start,
    last: start + reader.varint(),
    count: reader.varint(),
    bytes: reader.varint(),
    summary: reader.bytes(reader.varint()),
  }
}
