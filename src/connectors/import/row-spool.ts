/**
 * Buffers the rows of a result between the database and the runner, in an unnamed file. The database is read at full
 * speed and the runner reads at its own, without all rows in memory. The file disappears with the process.
 */
import type { FileHandle } from 'node:fs/promises'
import { DatabaseFailure, type Row } from '../database/database-port.ts'
import { openUnnamedFile } from '../result/unnamed-file.ts'

/** What one result may take on disk. */
const SPOOL_BYTES_MAX = 2_000_000_000

/** Rows that were fetched, to be read any number of times. */
export class RowSpool {
  readonly #file: FileHandle
  readonly #lengths: number[] = []
  #bytes = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** A spool in a folder, which shows nothing of it. */
  static async open(folder: string): Promise<RowSpool> {
    return new RowSpool(await openUnnamedFile(folder))
  }

  async add(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return
    const bytes = Buffer.from(JSON.stringify(rows))
    if (this.#bytes + bytes.length > SPOOL_BYTES_MAX) {
      const what = `The result of the external SQL is larger than ${SPOOL_BYTES_MAX} bytes. Set maxRows`
      throw new DatabaseFailure('too_large', what)
    }
    await this.#file.write(bytes, 0, bytes.length, this.#bytes)
    this.#lengths.push(bytes.length)
    this.#bytes += bytes.length
  }

  /** All rows, in the batches they came in. */
  async *rows(): AsyncGenerator<readonly Row[], void> {
    let at = 0
    for (const length of this.#lengths) {
      const bytes = Buffer.allocUnsafe(length)
      const { bytesRead } = await this.#file.read(bytes, 0, length, at)
      if (bytesRead !== length) throw new Error('a spool has lost bytes')
      at += length
      yield JSON.parse(bytes.toString('utf8')) as Row[]
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}
