import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

const BUSY_MS = 5_000

/**
 * Opens a database that nobody writes to, for reading only. Where its log is empty no file is made beside it;
 * SQLite would otherwise leave `-wal` and `-shm` there.
 */
export function openIdle(file: string): DatabaseSync {
  const hasLog = ['-wal', '-journal'].some(
    (ending) => (statSync(`${file}${ending}`, { throwIfNoEntry: false })?.size ?? 0) > 0,
  )
  const options = { readOnly: true, timeout: BUSY_MS }
  if (hasLog) return new DatabaseSync(file, options)
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, options)
}
