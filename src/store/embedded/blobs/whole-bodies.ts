/**
 * Bodies without block checksums, written by older versions. The file is the body and nothing else, and only its
 * SHA-256 is known. Such a body is read and verified whole before a byte is returned. A scrub appends checksums to it.
 * See docs/format/files.md.
 */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { BlobDamaged, type BlobInfo } from '../../ports/blob-port.ts'
import { readExactly } from './block-reader.ts'
import { BlockSums } from './block-sums.ts'
import { PIECE_BYTES } from './body-files.ts'

/** Bodies whose sums are kept: some kilobytes each for the longest, so that chunked reads hash once. */
const KEPT_MAX = 256

/** Called with each piece. False ends the reading. */
type OnPiece = (piece: Buffer) => Promise<boolean>

/**
 * Reads a whole body; answers the checksums of its blocks, or undefined when `onPiece` ended it.
 * Throws BlobDamaged when it is not the body of that SHA-256.
 */
export async function sumWholeBody(
  file: FileHandle,
  blob: BlobInfo,
  onPiece: OnPiece = async () => true,
): Promise<Uint32Array | undefined> {
  const hash = createHash('sha256')
  const sums = new BlockSums(blob.key)
  const scratch = Buffer.allocUnsafe(Math.min(PIECE_BYTES, blob.bytes))
  for (let at = 0; at < blob.bytes; at += PIECE_BYTES) {
    const bytes = Math.min(PIECE_BYTES, blob.bytes - at)
    const piece = await readExactly(file, blob, { at, bytes, scratch })
    hash.update(piece)
    sums.add(piece)
    if (!(await onPiece(piece))) return undefined
  }
  if (hash.digest('hex') === blob.sha256) return sums.sums
  throw new BlobDamaged(blob.key, 'its SHA-256 differs')
}

/** The checksums of bodies without them that were read through, kept for the reads that follow. */
export class WholeBodySums {
  readonly #byKey = new Map<string, Promise<Uint32Array>>()

  /** As sumWholeBody; readers of one body at the same time share one reading. */
  async sumsOf(file: FileHandle, blob: BlobInfo): Promise<Uint32Array> {
    const known = this.#byKey.get(blob.key)
    if (known !== undefined) {
      try {
        return await known
      } catch (cause) {
        // Another reader's file may have been closed under it; what is damaged shows again here.
        if (cause instanceof BlobDamaged) throw cause
      }
    }
    const summing = sumWholeBody(file, blob).then((sums) => sums ?? new Uint32Array(0))
    this.#byKey.set(blob.key, summing)
    summing.catch(() => this.#byKey.delete(blob.key))
    const [oldest] = this.#byKey.keys()
    if (this.#byKey.size > KEPT_MAX) this.#byKey.delete(oldest)
    return summing
  }
}
