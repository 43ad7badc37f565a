import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

const BUSY_MS = 5_000

/**
 * Opens a database that nobody writes to, for reading only. Where its log is empty no file is made beside it;
 * SQLite would otherwise leave `-wal` and `-shm` there.
 */
export function openIdle(file: string): DatabaseSync {
  const holds = (ending: string) =>
    (statSync(`${file}${ending}`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (holds('-journal')) rollBack(file)
  const options = { readOnly: true, timeout: BUSY_MS }
  if (holds('-wal')) return new DatabaseSync(file, options)
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, options)
}

/**
 * Ends a transaction that a crash cut short while the file was created. Later ones use the `-wal` file. SQLite rolls
 * it back at the first read, for which the file must be open for writing.
 */
function rollBack(file: string): void {
  using db = new DatabaseSync(file, { timeout: BUSY_MS })
  db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get()
}
