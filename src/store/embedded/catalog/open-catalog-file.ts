import { DatabaseSync } from 'node:sqlite'
import { CatalogDamaged } from '../../ports/catalog-port.ts'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { makeLogDurable } from '../disk/make-log-durable.ts'
import { hasOlderTables, migrateCatalog, requireKnownCatalog } from './catalog-schema.ts'
import { CatalogScopes } from './catalog-scopes.ts'
import { checkShape } from './catalog-shape.ts'
import { differingNumbers } from './last-numbers.ts'

const WAL_BYTES_KEPT = 64 * 1024 * 1024
/** Of pages: no more than the grown reserve of a full disk (4 MB) has room for when the log is written back. */
export const CHECKPOINT_PAGES = 1_000
const BUSY_MS = 5_000

/** Opens catalog.db for its one writer, at the newest schema; refuses one that gives handles twice. */
export function openCatalogFile(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_MS })
  try {
    db.exec('PRAGMA page_size = 4096')
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = FULL')
    db.exec('PRAGMA cache_size = -32000')
    db.exec(`PRAGMA journal_size_limit = ${WAL_BYTES_KEPT}`)
    db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    migrateCatalog(db)
    checkCatalogFile(db)
    // The journal must not hold samples of streams that a power cut takes out of the catalog again.
    makeLogDurable(db, file)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Refuses a catalog.db, of this format or an older one, that cannot be opened; changes nothing. */
export function checkCatalogFile(db: DatabaseSync): void {
  requireKnownCatalog(db)
  // The upgrade checks what it reads, and comes to nothing when that does not fit.
  if (hasOlderTables(db)) return
  checkShape(db)
  const differing = differingNumbers(db)
  if (differing !== undefined) throw new CatalogDamaged(differing)
  // Organizations are read at once: without them nothing else could be checked.
  new CatalogScopes(db)
}

/** The refusal of a folder whose catalog does not check. */
export function damagedCatalog(folder: string, error: CatalogDamaged): FolderDamaged {
  return new FolderDamaged(
    `catalog.db in ${folder} is damaged (${error.what}): restore the data folder from a backup`,
    { cause: error },
  )
}
