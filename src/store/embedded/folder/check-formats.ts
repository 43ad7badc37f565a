import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { CatalogDamaged } from '../../ports/catalog-port.ts'
import { checkCatalogFile, damagedCatalog } from '../catalog/open-catalog-file.ts'
import { damageOf, FolderDamaged, isDamagedFile } from '../damage/folder-damaged.ts'
import { formatOf } from '../damage/known-format.ts'
import { PAYLOAD_FILE, requireKnownPayloads } from '../payloads/open-payload-file.ts'
import { checkSamplesFile } from '../seal/samples-tables.ts'
import { readKeyFile } from './key-file.ts'
import { openIdle } from './open-idle.ts'

/**
 * Refuses an idle folder that has a key file or a database that cannot be opened, or that another Weir
 * wrote. A catalog that can be upgraded passes. Changes nothing.
 */
export function checkFormats(folder: string): void {
  readKeyFile(folder)
  checkDatabase(folder, 'catalog.db', (db) => {
    try {
      checkCatalogFile(db)
    } catch (error) {
      throw error instanceof CatalogDamaged ? damagedCatalog(folder, error) : error
    }
  })
  checkDatabase(folder, 'samples.db', checkSamplesFile)
  try {
    checkDatabase(folder, PAYLOAD_FILE, requireKnownPayloads)
  } catch (error) {
    // One that is damaged is set aside when it is opened.
    if (!(error instanceof Error && (isDamagedFile(error) || isDamagedFile(error.cause))))
      throw error
  }
}

function checkDatabase(
  folder: string,
  name: string,
  check: (db: DatabaseSync, file: string) => void,
): void {
  const file = join(folder, name)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isFile() !== true || found.size === 0) return
  try {
    using db = openIdle(file)
    // Without tables it is not made to its end yet; whether it may be is a question of the other parts.
    const tables = db.prepare(`SELECT 1 FROM sqlite_schema LIMIT 1`).get()
    const format = formatOf(db)
    if (tables !== undefined && format < 1) {
      throw new FolderDamaged(
        `${name} has tables but no format number: restore the data folder from a backup`,
      )
    }
    if (tables !== undefined || format !== 0) check(db, file)
  } catch (error) {
    throw damageOf(error, file) ?? error
  }
}
