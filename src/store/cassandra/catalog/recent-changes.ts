import type { CatalogChange } from '../../catalog-port.ts'
import type { CommitLog, LogEntry, LogHead } from './commit-log.ts'

/** Changes kept in memory: those that are asked for again and again are the newest. */
const KEPT_MAX = 10_000

/** The changes of the log by their cursors. */
export class RecentChanges {
  readonly #log: CommitLog
  readonly #kept: CatalogChange[] = []
  #head: LogHead

  constructor(log: CommitLog, head: LogHead) {
    this.#log = log
    this.#head = head
  }

  /** Notes the changes of the next entry, which this process itself or another has made. */
  add(entry: LogEntry, isOwn: boolean): void {
    this.#head = entry.head
    for (const change of changesOf(entry)) {
      this.#kept.push(isOwn ? { ...change, isOwn } : change)
    }
    if (this.#kept.length > 2 * KEPT_MAX) this.#kept.splice(0, this.#kept.length - KEPT_MAX)
  }

  /** Changes behind a cursor, in order, at most so many: those that are kept. */
  async after(cursor: number, limit: number): Promise<CatalogChange[]> {
    if (cursor >= this.#head.cursor) return []
    const first = this.#kept[0]
    if (first !== undefined && first.cursor <= cursor + 1) {
      const from = cursor + 1 - first.cursor
      return this.#kept.slice(from, from + limit)
    }
    return await this.#read(cursor, limit)
  }

  async #read(cursor: number, limit: number): Promise<CatalogChange[]> {
    const changes: CatalogChange[] = []
    let seq = await this.#log.seqOfCursor(cursor + 1, this.#head)
    while (seq <= this.#head.seq && changes.length < limit) {
      const entries = await this.#log.readAfter(seq - 1)
      if (entries.length === 0) break
      for (const entry of entries) {
        changes.push(...changesOf(entry).filter((change) => change.cursor > cursor))
      }
      seq += entries.length
    }
    return changes.slice(0, limit)
  }
}

function changesOf({ firstCursor, effects }: LogEntry): CatalogChange[] {
  return effects.changes.map(([orgUid, kind, uid, parentUid, isDeleted], at) => ({
    ...{ orgUid, kind, uid, parentUid, cursor: firstCursor + at, isDeleted: isDeleted === 1 },
  }))
}
