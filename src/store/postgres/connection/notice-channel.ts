import type { Database } from './database.ts'

/** A connection that is lost is made again after this. */
const AGAIN_MS = 1_000

/** Hears the notices of one channel, over a connection of its own that is made again when it is lost. */
export class NoticeChannel {
  readonly #database: Database
  readonly #channel: string
  readonly #onNotice: (text: string) => void
  readonly #onConnected: () => void
  #connection: { end(): Promise<void> } | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    database: Database,
    channel: string,
    listener: { readonly onNotice: (text: string) => void; readonly onConnected?: () => void },
  ) {
    this.#database = database
    this.#channel = channel
    this.#onNotice = listener.onNotice
    this.#onConnected = listener.onConnected ?? (() => {})
  }

  /** Begins to listen, as soon as the database is there. */
  open(): void {
    void this.#connect()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#connection?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    try {
      const connection = await this.#database.listen(this.#channel, {
        onNotice: this.#onNotice,
        onEnd: () => this.#connectLater(),
      })
      this.#connection = connection
      if (this.#isClosed) return void connection.end().catch(() => {})
      this.#onConnected()
    } catch {
      this.#connectLater()
    }
  }

  #connectLater(): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#connect(), AGAIN_MS).unref()
  }
}
