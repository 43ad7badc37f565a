import { randomUUID } from 'node:crypto'
import type { Broadcast } from '../../ports/broadcast-port.ts'
import type { Database } from './database.ts'
import { NoticeChannel } from './notice-channel.ts'

const CHANNEL = 'weir_broadcast'
/** PostgreSQL takes notices below 8,000 bytes. */
const NOTICE_BYTES_MAX = 7_900
/** Texts that wait to be sent; with more, the oldest are lost. */
const WAITING_MAX = 2_000
/** Texts of one statement: below a megabyte. */
const SENT_AT_ONCE = 100
/** The name of a process, and the byte behind it. */
const NAME_LENGTH = 36

/** Tells other processes through PostgreSQL's NOTIFY. */
export class PostgresBroadcast implements Broadcast {
  readonly textBytesMax = NOTICE_BYTES_MAX - NAME_LENGTH
  readonly #database: Database
  readonly #name = randomUUID()
  readonly #channel: NoticeChannel
  readonly #listeners: ((text: string) => void)[] = []
  #waiting: string[] = []
  #sending: Promise<void> | undefined

  constructor(database: Database) {
    this.#database = database
    this.#channel = new NoticeChannel(database, CHANNEL, {
      onNotice: (notice) => {
        if (notice.startsWith(this.#name)) return
        for (const listener of this.#listeners) listener(notice.slice(NAME_LENGTH))
      },
    })
  }

  tell(texts: readonly string[]): void {
    this.#waiting = [...this.#waiting, ...texts].slice(-WAITING_MAX)
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined
    })
  }

  onText(listener: (text: string) => void): void {
    this.#listeners.push(listener)
    if (this.#listeners.length === 1) this.#channel.open()
  }

  async close(): Promise<void> {
    this.#waiting = []
    await this.#sending
    await this.#channel.close()
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const texts = this.#waiting.splice(0, SENT_AT_ONCE).map((text) => this.#name + text)
      const sql = `SELECT pg_notify('${CHANNEL}', text) FROM unnest($1::text[]) AS text`
      // While PostgreSQL is away, what it would tell is lost.
      await this.#database.withClient((client) => client.run(sql, [texts])).catch(() => {})
    }
  }
}
