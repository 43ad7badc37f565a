/** Hears of commits of all processes as they are made. Who reads the log still polls it: a notice may be lost. */
import type { Database } from '../connection/database.ts'
import { COMMIT_CHANNEL } from './committer.ts'

/** A connection that is lost is made again after this. */
const AGAIN_MS = 1_000

export class CommitNotices {
  readonly #database: Database
  readonly #ownName: string
  readonly #listeners: (() => void)[] = []
  #connection: { end(): Promise<void> } | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** With the name under which this process commits. */
  constructor(database: Database, ownName: string) {
    this.#database = database
    this.#ownName = ownName
  }

  /** Calls a listener after each commit of another process; connects with the first. */
  add(listener: () => void): void {
    this.#listeners.push(listener)
    if (this.#listeners.length === 1) void this.#connect()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#connection?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    try {
      const connection = await this.#database.listen(COMMIT_CHANNEL, {
        onNotice: (name) => {
          if (name !== this.#ownName) this.#tell()
        },
        onEnd: () => this.#connectLater(),
      })
      this.#connection = connection
      if (this.#isClosed) return void connection.end().catch(() => {})
      // What was committed before it listened.
      this.#tell()
    } catch {
      this.#connectLater()
    }
  }

  #connectLater(): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#connect(), AGAIN_MS).unref()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
