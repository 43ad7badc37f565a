import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, createZstdCompress } from 'node:zlib'
import { TAR_BLOCK_BYTES, tarPadding, writeTarHeader } from './tar.ts'

/** How an archive is packed. */
export type Packing = 'plain' | 'gzip' | 'zstd'

const ENDINGS: ReadonlyArray<readonly [string, Packing]> = [
  ['.tar', 'plain'],
  ['.tar.gz', 'gzip'],
  ['.tgz', 'gzip'],
  ['.tar.zst', 'zstd'],
]

/** How an archive of that name is packed; undefined: the name is no archive's. */
export function packingOf(path: string): Packing | undefined {
  return ENDINGS.find(([ending]) => path.endsWith(ending))?.[1]
}

/** Writes a tar archive, packed or not, file by file. */
export class ArchiveOutput {
  readonly #into: Writable
  readonly #written: Promise<void>
  #fileBytes = 0

  constructor(path: string, packing: Packing) {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    const packer = packing === 'gzip' ? createGzip() : createZstdCompress()
    this.#into = packing === 'plain' ? file : packer
    this.#written =
      packing === 'plain'
        ? new Promise((resolve, reject) => file.once('close', resolve).once('error', reject))
        : pipeline(packer, file)
    // Reported by the next write or close.
    this.#written.catch(() => {})
  }

  async begin(path: string, bytes: number): Promise<void> {
    this.#fileBytes = bytes
    await this.write(writeTarHeader({ path, bytes, mtimeMs: Date.now() }))
  }

  /** The chunk must not change afterwards. */
  async write(chunk: Uint8Array): Promise<void> {
    const taken = new Promise<void>((resolve) => {
      if (this.#into.write(chunk)) resolve()
      else this.#into.once('drain', resolve)
    })
    const failed = this.#written.then(() => {
      throw new Error('BUG: an archive was written to behind its end')
    })
    failed.catch(() => {})
    await Promise.race([failed, taken])
  }

  async endFile(): Promise<void> {
    await this.write(Buffer.alloc(tarPadding(this.#fileBytes)))
  }

  /** Ends the archive. */
  async close(): Promise<void> {
    await this.write(Buffer.alloc(2 * TAR_BLOCK_BYTES))
    this.#into.end()
    await this.#written
  }

  destroy(): void {
    this.#into.destroy()
  }
}
