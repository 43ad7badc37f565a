import type { DatabaseSync } from 'node:sqlite'

const FINDINGS_MAX = 100

/** What SQLite finds when it holds the pages and indexes of catalog.db against each other. */
export function findStructureProblems(db: DatabaseSync): string[] {
  try {
    const rows = db.prepare(`PRAGMA integrity_check(${FINDINGS_MAX})`).all()
    return rows.map((row) => String(row.integrity_check)).filter((text) => text !== 'ok')
  } catch (error) {
    return [(error as Error).message]
  }
}

const OF_INDEX = /missing from index|entries in index|non-unique entry in index/

/** Whether only indexes are named: they say nothing that their tables do not. */
export function concernsIndexes(problems: readonly string[]): boolean {
  return problems.every((problem) => OF_INDEX.test(problem))
}
