import { Readable } from 'node:stream'

/** A response on its way to its reader. */
export class RowsStream extends Readable {
  #wanted: PromiseWithResolvers<void> | undefined

  constructor(begin: string) {
    super()
    // The sender learns of its end; nobody else has to.
    this.on('error', () => {})
    this.once('close', () => this.#wake())
    this.push(begin)
  }

  override _read(): void {
    this.#wake()
  }

  /** Hands text on; resolves when there is room for more, or nobody reads it any longer. */
  async put(text: string): Promise<void> {
    if (this.destroyed || text === '' || this.push(text)) return
    await this.#room()
  }

  /** Resolves when all that was put has been taken, or nobody reads it any longer. */
  async emptied(): Promise<void> {
    while (!this.destroyed && this.readableLength > 0) await this.#room()
  }

  /** Ends the answer with a last text. */
  finish(text: string): void {
    if (this.destroyed) return
    if (text !== '') this.push(text)
    this.push(null)
  }

  #room(): Promise<void> {
    this.#wanted ??= Promise.withResolvers<void>()
    return this.#wanted.promise
  }

  #wake(): void {
    this.#wanted?.resolve()
    this.#wanted = undefined
  }
}
