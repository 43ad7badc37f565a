import type { DatabaseSync } from 'node:sqlite'

const FINDINGS_MAX = 100
/** Pages that nobody uses are many where an index was replaced, and would hide what comes after them. */
const LOOKED_AT_MAX = 100_000_000
const UNUSED = /Page \d+: never used$/

/** What SQLite finds when it holds the pages and indexes of catalog.db against each other. */
export function findStructureProblems(db: DatabaseSync): string[] {
  try {
    const problems: string[] = []
    for (const row of db.prepare(`PRAGMA integrity_check(${LOOKED_AT_MAX})`).iterate()) {
      const text = String(row.integrity_check)
      if (text !== 'ok' && !UNUSED.test(text)) problems.push(text)
      if (problems.length === FINDINGS_MAX) break
    }
    return problems
  } catch (error) {
    return [(error as Error).message]
  }
}

const OF_INDEX = /(?:missing from index|entries in index|non-unique entry in index) (\S+)/

/**
 * The tables whose indexes are to be made again because of problems: all, when all rows check. Else those of the indexes
 * that are named, if nothing else is, but no table with damaged rows: its indexes still have the old keys.
 */
export function tablesToIndex(
  db: DatabaseSync,
  problems: readonly string[],
  damaged: ReadonlySet<string>,
): string[] {
  const indexes = db
    .prepare(`SELECT name, tbl_name AS "table" FROM sqlite_schema WHERE type = 'index'`)
    .all() as { name: string; table: string }[]
  if (damaged.size === 0) return [...new Set(indexes.map(({ table }) => table))]
  const named = problems.map((problem) => OF_INDEX.exec(problem)?.[1])
  if (named.includes(undefined)) return []
  const tables = indexes.filter(({ name }) => named.includes(name)).map(({ table }) => table)
  return [...new Set(tables)].filter((table) => !damaged.has(table))
}

/** The index that SQLite makes by itself for the organizations. */
const OF_SCOPES = 'sqlite_autoindex_scope_1'

/**
 * Lets go of the indexes of tables and makes them again from the rows, in the transaction that is open.
 * Their pages stay behind unused: to free what a damaged tree names, as REINDEX does, frees what others use
 * where one bit of a page number is wrong.
 */
export function replaceIndexes(db: DatabaseSync, tables: readonly string[]): void {
  const made = `FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL
    AND tbl_name IN (SELECT value FROM json_each(?))`
  const names = JSON.stringify(tables)
  const statements = db.prepare(`SELECT sql ${made} ORDER BY name`).all(names)
  const version = Number(db.prepare('PRAGMA schema_version').get()?.schema_version)
  db.enableDefensive(false)
  try {
    db.exec('PRAGMA writable_schema = ON')
    db.prepare(`DELETE ${made}`).run(names)
    db.exec(`PRAGMA schema_version = ${version + 1}`)
    // Forgets the indexes that this connection still knows.
    db.exec('PRAGMA writable_schema = RESET')
    for (const { sql } of statements) db.exec(String(sql))
  } finally {
    db.exec('PRAGMA writable_schema = OFF')
    db.enableDefensive(true)
  }
  // It cannot be let go of; it is a page or two, of which nobody reads but the check for doubles.
  const problems = JSON.stringify(db.prepare(`PRAGMA integrity_check('scope')`).all())
  if (problems.includes(OF_SCOPES)) db.exec('REINDEX scope')
}
