/**
 * The change log as readers see it. Its numbers have no gaps, and a reader that has seen a number has seen all below
 * it. A commit takes its numbers under the lock of table `head` and holds the lock until it is committed. So numbers
 * become visible in order, and those of a rolled-back commit are used by the next.
 */
import type { CatalogChange } from '../../ports/catalog-port.ts'
import type { Database, SqlRow } from '../connection/database.ts'
import type { StoredChange } from './commit-state.ts'

/** Readers further behind than this read everything again. */
export const CHANGES_KEPT = 100_000
/** Commits of this process that a reader recognizes as its own. */
const OWN_KEPT = 20_000

/** A row of the log that this process has read or written. */
interface KnownRow {
  readonly cursor: number
  readonly commitKey: string
}

/** Says that commits which this process knew of are not in the database any more. */
export class HistoryLost extends Error {
  constructor(cursor: number) {
    super(
      `The database does not have change ${cursor} any more: it was restored from an older backup, or a standby without the last commits was promoted`,
    )
    this.name = 'HistoryLost'
  }
}

/** The log, and what this process knows of it. */
export class CommittedChanges {
  readonly #database: Database
  readonly #own = new Set<string>()
  /** The last row that this process knows of. */
  #known: KnownRow | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Notes a commit of this process that is confirmed to its caller. */
  noteOwn(commitKey: string, cursor: number): void {
    this.#own.add(commitKey)
    if (this.#own.size > OWN_KEPT) this.#own.delete(this.#own.values().next().value ?? '')
    this.#noteKnown({ cursor, commitKey })
  }

  /** The cursor of the last change. */
  async last(): Promise<number> {
    const [row] = await this.#database.read(
      `SELECT h.last_change, c.commit_key FROM head h LEFT JOIN change c ON c.cursor = h.last_change`,
    )
    const [cursor, commitKey] = row as [number, string | null]
    if (commitKey !== null) this.#noteKnown({ cursor, commitKey })
    return cursor
  }

  /** Changes after a cursor, at most `limit`, in order. */
  async since(
    cursor: number,
    limit: number,
  ): Promise<{ changes: CatalogChange[]; cursor: number }> {
    const check = this.checkOfHistory()
    const [checked, { rows }] = await this.#database.withClient((client) =>
      Promise.all([
        client.run(check.sql, check.params),
        client.run(
          `SELECT cursor, changes, commit_key, body FROM
            (SELECT * FROM change WHERE cursor > $1 ORDER BY cursor LIMIT $2) c
            WHERE cursor - changes < $1::bigint + $2::bigint ORDER BY cursor`,
          [cursor, limit],
        ),
      ]),
    )
    check.require(checked.rows)
    const changes: CatalogChange[] = []
    for (const row of rows) this.#addChanges(changes, row, { cursor, limit })
    return { changes, cursor: changes.at(-1)?.cursor ?? cursor }
  }

  /** A statement that checks whether the last row that this process knows still exists, and its reader. */
  checkOfHistory(): {
    readonly sql: string
    readonly params: readonly unknown[]
    /** Throws HistoryLost; returns the cursor of the last change. */
    require(rows: readonly SqlRow[]): number
  } {
    const known = this.#known
    return {
      sql: `SELECT h.last_change, c.commit_key FROM head h LEFT JOIN change c ON c.cursor = $1::bigint`,
      params: [known?.cursor ?? 0],
      require: (rows) => {
        const [last, commitKey] = rows[0] as [number, string | null]
        if (known === undefined || commitKey === known.commitKey) return last
        const isTrimmed = commitKey === null && last - known.cursor >= CHANGES_KEPT / 2
        if (!isTrimmed) throw new HistoryLost(known.cursor)
        return last
      },
    }
  }

  #addChanges(
    changes: CatalogChange[],
    row: SqlRow,
    { cursor, limit }: { readonly cursor: number; readonly limit: number },
  ): void {
    const [last, count, commitKey, body] = row as [number, number, string, string]
    this.#noteKnown({ cursor: last, commitKey })
    const isOwn = this.#own.has(commitKey)
    for (const [at, change] of (JSON.parse(body) as StoredChange[]).entries()) {
      const own = last - count + 1 + at
      if (own <= cursor || changes.length >= limit) continue
      changes.push(changeOf(change, own, isOwn))
    }
  }

  #noteKnown(row: KnownRow): void {
    if (row.cursor >= (this.#known?.cursor ?? 0)) this.#known = row
  }
}

function changeOf(change: StoredChange, cursor: number, isOwn: boolean): CatalogChange {
  const [orgUid, kind, uid, parentUid, isDeleted, streamCount] = change
  return {
    cursor,
    orgUid,
    kind,
    uid,
    parentUid,
    isDeleted: isDeleted === 1,
    ...(streamCount === undefined ? {} : { streamCount }),
    ...(isOwn ? { isOwn } : {}),
  }
}
