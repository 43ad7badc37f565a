import { DatabaseSync } from 'node:sqlite'
import { makeLogDurable } from '../disk/make-log-durable.ts'
import { makeSamplesTables } from './samples-tables.ts'

/** How long the writer waits for a process that locks the file. */
export const SAMPLES_BUSY_MS = 5_000

const WAL_BYTES_KEPT = 64 * 1024 * 1024

/** Opens samples.db for its one writer; makes it, with its tables, when it is missing. */
export function openSamplesFile(file: string): DatabaseSync {
  const opened = new DatabaseSync(file, { timeout: SAMPLES_BUSY_MS })
  opened.exec('PRAGMA page_size = 32768')
  opened.exec('PRAGMA journal_mode = WAL')
  opened.exec('PRAGMA synchronous = FULL')
  opened.exec('PRAGMA cache_size = -8000')
  opened.exec('PRAGMA wal_autocheckpoint = 1000')
  opened.exec(`PRAGMA journal_size_limit = ${WAL_BYTES_KEPT}`)
  // Segments are removed on the word of this file, so it must hold over a power cut first.
  makeLogDurable(opened, file)
  makeSamplesTables(opened)
  return opened
}
