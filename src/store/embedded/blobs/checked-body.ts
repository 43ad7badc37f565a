import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { BlockReader } from './block-reader.ts'
import { PIECE_BYTES } from './body-files.ts'

/** The bytes of a body as a stream that fails at the first block that does not check. */
export class CheckedBody extends Readable {
  readonly #file: FileHandle
  readonly #reader: BlockReader
  readonly #end: number
  #at: number

  /** Owns the file from here on; `first` is what was read of the range already. */
  constructor(
    file: FileHandle,
    reader: BlockReader,
    range: { readonly first: Buffer; readonly start: number; readonly end: number },
  ) {
    super({ highWaterMark: PIECE_BYTES })
    this.#file = file
    this.#reader = reader
    this.#at = range.start + range.first.length
    this.#end = range.end
    this.push(range.first)
  }

  override _read(): void {
    if (this.#at >= this.#end) {
      this.push(null)
      return
    }
    this.#reader.read(this.#at, this.#end).then(
      (piece) => {
        this.#at += piece.length
        this.push(piece)
      },
      (cause: Error) => this.destroy(cause),
    )
  }

  override _destroy(cause: Error | null, done: (cause: Error | null) => void): void {
    this.#file.close().then(
      () => done(cause),
      (failure: Error) => done(cause ?? failure),
    )
  }
}
