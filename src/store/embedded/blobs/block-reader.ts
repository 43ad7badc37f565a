import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { BlobDamaged, type BlobInfo } from '../../ports/blob-port.ts'
import { BLOCK_BYTES, emptyBlockSum } from './block-sums.ts'
import { codeOf, PIECE_BYTES, readFully } from './body-files.ts'

/** A block that checked: what each of its pieces summed up to, and its bytes when it is one piece. */
interface CheckedBlock {
  readonly index: number
  readonly pieceSums: readonly number[]
  readonly only: Buffer | undefined
}

/**
 * Reads a body in pieces and returns none before its whole block is verified. A block is read once to verify it and
 * again piece by piece. Each piece is compared with the first reading. So a slow reader of a long body keeps one piece
 * in memory, not a block.
 */
export class BlockReader {
  readonly #file: FileHandle
  readonly #blob: BlobInfo
  readonly #sums: Uint32Array
  #checked: CheckedBlock | undefined

  constructor(file: FileHandle, blob: BlobInfo, sums: Uint32Array) {
    this.#file = file
    this.#blob = blob
    this.#sums = sums
  }

  /** Bytes of the body from `at` on, at least one and at most up to `end`; throws BlobDamaged. */
  async read(at: number, end: number): Promise<Buffer> {
    const blockIndex = Math.floor(at / BLOCK_BYTES)
    if (this.#checked?.index !== blockIndex) this.#checked = await this.#check(blockIndex)
    const { pieceSums, only } = this.#checked
    const pieceAt = at - (at % PIECE_BYTES)
    const bytes = this.#pieceBytes(pieceAt)
    const piece = only ?? (await readExactly(this.#file, this.#blob, { at: pieceAt, bytes }))
    const pieceIndex = (pieceAt % BLOCK_BYTES) / PIECE_BYTES
    if (only === undefined && crc32(piece) !== pieceSums[pieceIndex])
      throw new BlobDamaged(this.#blob.key, this.#fault(blockIndex))
    return piece.subarray(at - pieceAt, Math.min(end - pieceAt, bytes))
  }

  /** Verifies the checksum of one block; throws BlobDamaged. Returns its length. */
  async checkBlock(blockIndex: number): Promise<number> {
    await this.#check(blockIndex)
    return Math.min(BLOCK_BYTES, this.#blob.bytes - blockIndex * BLOCK_BYTES)
  }

  async #check(index: number): Promise<CheckedBlock> {
    const start = index * BLOCK_BYTES
    const end = Math.min(start + BLOCK_BYTES, this.#blob.bytes)
    const scratch = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - start))
    const pieceSums: number[] = []
    let sum = emptyBlockSum(this.#blob.key, index)
    for (let at = start; at < end; at += PIECE_BYTES) {
      const bytes = this.#pieceBytes(at)
      const piece = await readExactly(this.#file, this.#blob, { at, bytes, scratch })
      pieceSums.push(crc32(piece))
      sum = crc32(piece, sum)
    }
    if (sum !== this.#sums[index]) throw new BlobDamaged(this.#blob.key, this.#fault(index))
    return { index, pieceSums, only: end - start <= PIECE_BYTES ? scratch : undefined }
  }

  #pieceBytes(at: number): number {
    return Math.min(PIECE_BYTES, this.#blob.bytes - at)
  }

  #fault(blockIndex: number): string {
    return `block ${blockIndex + 1} of ${this.#sums.length} does not check`
  }
}

/** Reads a stretch of a body that must be there; throws BlobDamaged when it is not. */
export async function readExactly(
  file: FileHandle,
  blob: BlobInfo,
  place: { readonly at: number; readonly bytes: number; readonly scratch?: Buffer },
): Promise<Buffer> {
  const { at, bytes, scratch } = place
  const into = scratch?.subarray(0, bytes) ?? Buffer.allocUnsafe(bytes)
  try {
    if ((await readFully(file, into, at)) === bytes) return into
  } catch (cause) {
    // A sector that the disk gives up on is damage like any other.
    if (codeOf(cause) !== 'EIO') throw cause
    throw new BlobDamaged(blob.key, `the disk cannot read its bytes from ${at} on`)
  }
  throw new BlobDamaged(blob.key, `it ends before byte ${at + bytes}`)
}
