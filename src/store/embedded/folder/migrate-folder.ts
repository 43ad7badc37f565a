import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CatalogDamaged } from '../../ports/catalog-port.ts'
import { openChecked } from '../catalog/catalog-checks.ts'
import { isOlderCatalog, migrateCatalog } from '../catalog/catalog-schema.ts'
import { damagedCatalog } from '../catalog/open-catalog-file.ts'
import { damageOf } from '../damage/folder-damaged.ts'
import { formatOf } from '../damage/known-format.ts'
import { openIdle } from './open-idle.ts'

const NAME = 'catalog.db'
const BUSY_MS = 5_000
/** Of KiB: an upgrade writes most pages. */
const CACHE_KIB = 32_000

/** A database that was brought to the format of this Weir. */
interface Upgrade {
  readonly name: string
  readonly from: number
  readonly to: number
}

/**
 * Brings the catalog of a checked folder to the format of this Weir, in one transaction: where it fails, and after a
 * kill, the folder is as it was. The other parts of a folder have one format.
 */
export function migrateFolder(folder: string): Upgrade[] {
  const file = join(folder, NAME)
  // What is missing is made by the store that opens it.
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return []
  const from = olderFormatOf(file)
  if (from === undefined) return []
  using db = new DatabaseSync(file, { timeout: BUSY_MS })
  try {
    db.exec(`PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}`)
    openChecked(() => migrateCatalog(db))
  } catch (error) {
    if (error instanceof CatalogDamaged) throw damagedCatalog(folder, error)
    throw damageOf(error, file) ?? error
  }
  return [{ name: NAME, from, to: formatOf(db) }]
}

/** The format of a catalog that is to be upgraded, undefined for others; one without tables is made when it is opened. */
function olderFormatOf(file: string): number | undefined {
  using db = openIdle(file)
  return formatOf(db) > 0 && isOlderCatalog(db) ? formatOf(db) : undefined
}
