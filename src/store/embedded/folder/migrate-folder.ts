import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isOlderCatalog, migrateCatalog } from '../catalog/catalog-migrations.ts'
import { damageOf } from '../damage/folder-damaged.ts'
import { formatOf } from '../damage/known-format.ts'
import { isOlderSamples, migrateSamples } from '../seal/samples-migrations.ts'
import { openIdle } from './open-idle.ts'

const BUSY_MS = 5_000
/** Of KiB: a migration rewrites most pages, some of them several times. */
const CACHE_KIB = 32_000

const DATABASES = [
  { name: 'catalog.db', isOlder: isOlderCatalog, migrate: migrateCatalog },
  { name: 'samples.db', isOlder: isOlderSamples, migrate: migrateSamples },
]

/** A database that was brought to the format of this Weir. */
interface Upgrade {
  readonly name: string
  readonly from: number
  readonly to: number
}

/**
 * Brings the databases of a checked folder to the formats of this Weir. All are migrated before the first is
 * committed: where one fails, the folder stays as it is, and the version that wrote it can still open it. A kill
 * between two commits leaves a folder that the next start migrates to its end.
 */
export function migrateFolder(folder: string): Upgrade[] {
  using opened = new DisposableStack()
  const migrated: DatabaseSync[] = []
  const upgrades: Upgrade[] = []
  for (const { name, isOlder, migrate } of DATABASES) {
    const file = join(folder, name)
    // What is missing is made by the store that opens it.
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) continue
    const from = olderFormatOf(file, isOlder)
    if (from === undefined) continue
    const db = opened.use(new DatabaseSync(file, { timeout: BUSY_MS }))
    try {
      db.exec(`PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}`)
      db.exec('BEGIN IMMEDIATE')
      migrate(db)
    } catch (error) {
      throw damageOf(error, file) ?? error
    }
    migrated.push(db)
    upgrades.push({ name, from, to: formatOf(db) })
  }
  for (const db of migrated) db.exec('COMMIT')
  return upgrades
}

/** The format of a database that is to be migrated, undefined for others; one without tables is made when it is opened. */
function olderFormatOf(file: string, isOlder: (db: DatabaseSync) => boolean): number | undefined {
  using db = openIdle(file)
  return formatOf(db) > 0 && isOlder(db) ? formatOf(db) : undefined
}
