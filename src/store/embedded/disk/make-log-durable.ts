import { closeSync, fsyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { isDiskFull } from './disk.ts'

/**
 * Makes durable what a database shows. A process that was killed inside a commit leaves it in the log, to
 * be seen and yet not durable. Where a full disk has no room to bring the log into the file, or a reader
 * such as a backup is in the way, the log is synced.
 */
export function makeLogDurable(db: DatabaseSync, file: string): void {
  try {
    const [row] = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all() as Array<{ busy: number }>
    if (row.busy === 0) return
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
  const log = openSync(`${file}-wal`, 'r+')
  try {
    fsyncSync(log)
  } finally {
    closeSync(log)
  }
}
