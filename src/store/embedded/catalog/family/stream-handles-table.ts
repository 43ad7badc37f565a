/** The statements with which the writer gives handles to streams. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { invariant } from '../../../../base/plain.ts'

const HANDLE_END = 2 ** 31

/** Handles, each given once, also when what got it came to nothing after a crash. */
export class StreamHandles {
  readonly #statements: ReturnType<typeof prepareAll>
  /** The last handle given, undefined until it is read; SQLite's own row of it follows every insert. */
  #last: number | undefined
  #hasGiven = false

  constructor(db: DatabaseSync) {
    this.#statements = prepareAll(db)
  }

  /** The last handle given in steps that stand, as a step that comes to nothing goes back to it. */
  get last(): number | undefined {
    return this.#last
  }

  /** The next handle; nobody has it until it is noted. */
  get next(): number {
    this.#last ??= (this.#statements.selectLast.get()?.seq as number | undefined) ?? 0
    return this.#last + 1
  }

  /** Notes that all handles up to one are given. */
  note(last: number): void {
    invariant(last < HANDLE_END, 'stream handles are used up')
    this.#last = last
    this.#hasGiven = true
  }

  /** Goes back to what `last` told before a step. */
  goBack(last: number | undefined): void {
    this.#last = last
  }

  /** Forgets what a transaction gave that came to nothing. */
  forget(): void {
    this.#last = undefined
    this.#hasGiven = false
  }

  /** Written once per transaction, and repeated: SQLite's own row of it carries no checksum. */
  write(): void {
    if (!this.#hasGiven) return
    this.#hasGiven = false
    const last = this.next - 1
    const { updateLast, insertLast, repeatLast } = this.#statements
    if (updateLast.run(last).changes === 0) insertLast.run(last)
    repeatLast.run(last)
  }
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    selectLast: prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'stream_handle'`),
    updateLast: prepare(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'stream_handle'`),
    insertLast: prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('stream_handle', ?)`),
    repeatLast: prepare(`INSERT OR REPLACE INTO meta (name, value) VALUES ('last_handle', ?)`),
  }
}
