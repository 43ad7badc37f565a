/**
 * The checksums behind a body, as docs/format/files.md describes them: a CRC-32 per block of 1 MiB. It includes the key
 * and the number of the block, so it detects a block of another body or from another place.
 */
import { crc32 } from 'node:zlib'

/** A body is checked in blocks of this length; its last may be shorter. */
export const BLOCK_BYTES = 1_048_576

const MAGIC = Buffer.from('WEIRBODY')
const VERSION = 1
const FOOTER_BYTES = 32
/** Where the footer's own checksum stands. */
const FOOTER_SUM_AT = 28

/** How many blocks a body has. */
function blockCountOf(bodyBytes: number): number {
  return Math.ceil(bodyBytes / BLOCK_BYTES)
}

/** How many bytes stand behind a body. */
export function trailerBytesOf(bodyBytes: number): number {
  return blockCountOf(bodyBytes) * 4 + FOOTER_BYTES
}

/** The checksum of the block that begins as it is empty; crc32 goes on from it. */
export function emptyBlockSum(key: string, blockIndex: number): number {
  return crc32(`${key} ${blockIndex}`)
}

/** Collects the checksums of a body that comes in pieces of any length. */
export class BlockSums {
  readonly #key: string
  readonly #sums: number[] = []
  #bytes = 0

  constructor(key: string) {
    this.#key = key
  }

  get bytes(): number {
    return this.#bytes
  }

  get sums(): Uint32Array {
    return Uint32Array.from(this.#sums)
  }

  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.byteLength; ) {
      const filled = this.#bytes % BLOCK_BYTES
      if (filled === 0) this.#sums.push(emptyBlockSum(this.#key, this.#sums.length))
      const part = chunk.subarray(at, at + BLOCK_BYTES - filled)
      const last = this.#sums.length - 1
      this.#sums[last] = crc32(part, this.#sums[last])
      this.#bytes += part.byteLength
      at += part.byteLength
    }
  }
}

/** The bytes that stand behind a body. */
export function writeTrailer(
  key: string,
  body: { readonly bytes: number; readonly sums: Uint32Array },
): Buffer {
  const trailer = Buffer.alloc(trailerBytesOf(body.bytes))
  body.sums.forEach((sum, index) => {
    trailer.writeUInt32LE(sum, index * 4)
  })
  const footer = trailer.subarray(trailer.length - FOOTER_BYTES)
  MAGIC.copy(footer)
  footer.writeUInt32LE(VERSION, 8)
  footer.writeUInt32LE(BLOCK_BYTES, 12)
  footer.writeBigUInt64LE(BigInt(body.bytes), 16)
  footer.writeUInt32LE(0, 24)
  footer.writeUInt32LE(trailerSum(key, trailer), FOOTER_SUM_AT)
  return trailer
}

/** The checksums of a body's blocks, or undefined when the trailer is not the one of this body. */
export function readTrailer(
  key: string,
  body: { readonly bytes: number },
  trailer: Buffer,
): Uint32Array | undefined {
  const footer = trailer.subarray(trailer.length - FOOTER_BYTES)
  if (footer.readUInt32LE(FOOTER_SUM_AT) !== trailerSum(key, trailer)) return undefined
  const isOurs = MAGIC.equals(footer.subarray(0, 8)) && footer.readUInt32LE(8) === VERSION
  if (!isOurs || footer.readUInt32LE(12) !== BLOCK_BYTES) return undefined
  if (footer.readBigUInt64LE(16) !== BigInt(body.bytes)) return undefined
  const sums = new Uint32Array(blockCountOf(body.bytes))
  for (let index = 0; index < sums.length; index += 1) sums[index] = trailer.readUInt32LE(index * 4)
  return sums
}

function trailerSum(key: string, trailer: Buffer): number {
  return crc32(trailer.subarray(0, trailer.length - 4), crc32(key))
}
