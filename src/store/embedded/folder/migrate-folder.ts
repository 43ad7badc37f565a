import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CatalogDamaged } from '../../ports/catalog-port.ts'
import { openChecked } from '../catalog/catalog-checks.ts'
import { isOlderCatalog, migrateCatalog } from '../catalog/catalog-schema.ts'
import { damagedCatalog } from '../catalog/open-catalog-file.ts'
import { damageOf } from '../damage/folder-damaged.ts'
import { formatOf } from '../damage/known-format.ts'
import { openSamplesFile } from '../seal/open-samples-file.ts'
import { isOlderSamples } from '../seal/samples-tables.ts'
import { openIdle } from './open-idle.ts'

const BUSY_MS = 5_000
/** Of KiB: an upgrade writes most pages. */
const CACHE_KIB = 32_000

/** A database that was brought to the format of this Weir. */
interface Upgrade {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** How the databases that may be older are opened, which upgrades them. */
const DATABASES = [
  { name: 'catalog.db', isOlder: isOlderCatalog, open: openCatalog },
  { name: 'samples.db', isOlder: isOlderSamples, open: openSamplesFile },
] as const

/**
 * Brings the databases of a checked folder to the formats of this Weir, each in one transaction: where that fails, and
 * after a kill, the database is as it was. The other parts of a folder have one format.
 */
export function migrateFolder(folder: string): Upgrade[] {
  const upgrades: Upgrade[] = []
  for (const { name, isOlder, open } of DATABASES) {
    const file = join(folder, name)
    // What is missing is made by the store that opens it.
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) continue
    const from = olderFormatOf(file, isOlder)
    if (from === undefined) continue
    try {
      using db = open(file)
      upgrades.push({ name, from, to: formatOf(db) })
    } catch (error) {
      if (error instanceof CatalogDamaged) throw damagedCatalog(folder, error)
      throw damageOf(error, file) ?? error
    }
  }
  return upgrades
}

function openCatalog(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_MS })
  try {
    db.exec(`PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}`)
    openChecked(() => migrateCatalog(db))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** The format of a database that is to be upgraded, undefined for others; one without tables is made when it is opened. */
function olderFormatOf(file: string, isOlder: (db: DatabaseSync) => boolean): number | undefined {
  using db = openIdle(file)
  return formatOf(db) > 0 && isOlder(db) ? formatOf(db) : undefined
}
