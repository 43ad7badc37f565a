import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import type { Packing } from './archive-output.ts'
import { BackupDamaged } from './backup-damaged.ts'
import { readTarHeader, TAR_BLOCK_BYTES, type TarEntry, tarPadding } from './tar.ts'

const CUT_SHORT = 'it is cut short'

/** A file of an archive; its pieces must be read before the next file. */
interface ArchiveFile extends Pick<TarEntry, 'path' | 'bytes'> {
  readonly pieces: AsyncIterable<Buffer>
}

/** The files of an archive, one after the other, as they lie in it. */
export async function* filesOfArchive(path: string): AsyncGenerator<ArchiveFile> {
  const input = new ArchiveInput(openPacked(path))
  try {
    for (let isFirst = true; ; isFirst = false) {
      const header = await input.take(TAR_BLOCK_BYTES)
      const entry = header === undefined ? undefined : readTarHeader(header)
      if (entry === 'end') return
      if (entry === undefined) {
        const isCut = header === undefined && !isFirst
        throw new BackupDamaged(isFirst ? 'it is no backup of Weir' : isCut ? CUT_SHORT : DAMAGED)
      }
      if (!entry.isFolder) {
        yield { ...entry, pieces: input.pieces(entry.bytes) }
        await input.take(tarPadding(entry.bytes))
      }
    }
  } finally {
    await input.close()
  }
}

const DAMAGED = 'it is damaged'

/** What unpacking finds wrong has a code of its library. */
function asDamage(error: unknown): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (!/^(?:Z_|ZSTD_)/.test(code)) return error
  return new BackupDamaged(`it is damaged or cut short and cannot be unpacked (${message})`)
}

function openPacked(path: string): AsyncIterable<Buffer> {
  const packing = findPacking(path)
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 })
  if (packing === 'plain') return file
  // The reader receives every failure.
  return pipeline(file, packing === 'gzip' ? createGunzip() : createZstdDecompress(), () => {})
}

/** By its first bytes: people give files other names. */
function findPacking(path: string): Packing {
  const first = Buffer.alloc(4)
  const file = openSync(path, 'r')
  readSync(file, first)
  closeSync(file)
  if (first.readUInt16BE(0) === 0x1f_8b) return 'gzip'
  return first.readUInt32LE(0) === 0xfd_2f_b5_28 ? 'zstd' : 'plain'
}

/** Bytes on demand from pieces of any length. */
class ArchiveInput {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** The next bytes, as many as asked for; undefined when there are fewer. */
  async take(bytes: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = []
    for (let missing = bytes; missing > 0; ) {
      const part = await this.#next(missing)
      if (part === undefined) return undefined
      parts.push(part)
      missing -= part.length
    }
    return Buffer.concat(parts)
  }

  async *pieces(bytes: number): AsyncGenerator<Buffer> {
    for (let missing = bytes; missing > 0; ) {
      const part = await this.#next(missing)
      if (part === undefined) throw new BackupDamaged(CUT_SHORT)
      yield part
      missing -= part.length
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #next(bytesMax: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next().catch((error: unknown) => {
        throw asDamage(error)
      })
      if (next.done === true) return undefined
      this.#rest = next.value
    }
    const part = this.#rest.subarray(0, bytesMax)
    this.#rest = this.#rest.subarray(part.length)
    return part
  }
}
