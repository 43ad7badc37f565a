import { Mutex } from '../../../base/index.ts'
import { bytesOfTexts } from '../../embedded/samples/text-bytes.ts'
import type { SampleColumns, TextMemory } from '../../ports/sample-port.ts'

/** The memory of one call, shared by the reads that it makes at once. */
export class TextRooms {
  readonly #memory: TextMemory | undefined
  readonly #before: number
  /** One change after the other: each sets what the call holds altogether. */
  readonly #resizing = new Mutex()
  #bytes = 0

  constructor(memory?: TextMemory) {
    this.#memory = memory
    this.#before = memory?.bytes ?? 0
  }

  /** The room of one read. */
  open(): TextRoom {
    return new TextRoom((more) => this.#change(more))
  }

  async #change(more: number): Promise<void> {
    const memory = this.#memory
    if (memory === undefined) return
    await this.#resizing.run(async () => {
      await memory.resize(this.#before + this.#bytes + more)
      this.#bytes += more
    })
  }
}

/** Counts the texts that one read holds while it is under way. */
export class TextRoom {
  readonly #change: (more: number) => Promise<void>
  #bytes = 0

  constructor(change: (more: number) => Promise<void>) {
    this.#change = change
  }

  /** Makes room for `bytes` more bytes. */
  add(bytes: number): Promise<void> {
    return this.keepBytes(this.#bytes + bytes)
  }

  /** Keeps what the samples given out take. */
  keep(columns: SampleColumns): Promise<void> {
    return this.keepBytes(bytesOfTexts(columns))
  }

  /** Keeps room for `bytes` bytes. */
  async keepBytes(bytes: number): Promise<void> {
    const more = bytes - this.#bytes
    if (more === 0) return
    await this.#change(more)
    this.#bytes = bytes
  }
}
