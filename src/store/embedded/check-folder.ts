import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The data folder holds something that cannot be used; nothing was changed. */
export class FolderDamaged extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FolderDamaged'
  }
}

/** SQLite's codes for a file that is damaged, and for one that is no database at all. */
const DAMAGED_CODES: ReadonlySet<unknown> = new Set([11, 26])

/**
 * Refuses a folder whose databases cannot be read or do not belong together. Samples are kept under
 * handles that only the catalog can name: an empty or older catalog.db would give the handles of
 * stored samples to other streams, and show them there.
 */
export function checkFolder(folder: string): void {
  const samples = join(folder, 'samples.db')
  const catalog = join(folder, 'catalog.db')
  const greatest = greatestOf(samples, 'chunk', 'SELECT max(stream) AS handle FROM chunk')
  const given = greatestOf(
    catalog,
    'stream_handle',
    `SELECT seq AS handle FROM sqlite_sequence WHERE name = 'stream_handle'`,
  )
  if (greatest <= given) return
  throw new FolderDamaged(
    `catalog.db in ${folder} is missing or older than samples.db, which holds samples of streams ` +
      'that it does not know: restore both from the same backup',
  )
}

/** The greatest handle in a database; 0 when there is none, or no database yet. */
function greatestOf(file: string, table: string, query: string): number {
  if (!existsSync(file) || statSync(file).size === 0) return 0
  try {
    using db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    const isThere = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table)
    if (isThere === undefined) return 0
    const row = db.prepare(query).get() as { handle: number | null } | undefined
    return row?.handle ?? 0
  } catch (error) {
    throw damageOf(error, file) ?? error
  }
}

/** The error to tell people when SQLite says that a file is damaged; undefined for all others. */
export function damageOf(error: unknown, what: string): FolderDamaged | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!DAMAGED_CODES.has((cause as { errcode?: unknown }).errcode)) continue
    return new FolderDamaged(
      `${what} cannot be read (${cause.message}): restore the data folder from a backup`,
      { cause: error },
    )
  }
  return undefined
}
