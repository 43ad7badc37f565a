/** Hears of commits of all processes as they are made. Who reads the log still polls it: a notice may be lost. */
import type { Database } from '../connection/database.ts'
import { NoticeChannel } from '../connection/notice-channel.ts'
import { COMMIT_CHANNEL } from './committer.ts'

export class CommitNotices {
  readonly #channel: NoticeChannel
  readonly #listeners: (() => void)[] = []

  /** With the name under which this process commits. */
  constructor(database: Database, ownName: string) {
    this.#channel = new NoticeChannel(database, COMMIT_CHANNEL, {
      onNotice: (name) => {
        if (name !== ownName) this.#notify()
      },
      // What was committed before it listened.
      onConnected: () => this.#notify(),
    })
  }

  /** Calls a listener after each commit of another process; connects with the first. */
  add(listener: () => void): void {
    this.#listeners.push(listener)
    if (this.#listeners.length === 1) this.#channel.open()
  }

  close(): Promise<void> {
    return this.#channel.close()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
