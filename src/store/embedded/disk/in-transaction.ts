import type { DatabaseSync } from 'node:sqlite'

/** Runs work in one transaction. Joins the open one if there is one; its owner then commits or rolls back. */
export function inTransaction(db: DatabaseSync, work: () => void): void {
  if (db.isTransaction) {
    work()
    return
  }
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
