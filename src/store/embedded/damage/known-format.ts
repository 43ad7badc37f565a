/** The format number of a part of the data folder, and parts that a later version of Weir wrote. */
import type { DatabaseSync } from 'node:sqlite'
import { FolderDamaged } from './folder-damaged.ts'

/** The format of a database: `PRAGMA user_version`, 0 when it has no tables yet. */
export function formatOf(db: DatabaseSync): number {
  const row = db.prepare('PRAGMA user_version').get() as { user_version: number }
  return row.user_version
}

/** Refuses a part of the data folder that a later version of Weir wrote. */
export function requireKnownFormat(name: string, found: number, known: number): void {
  if (found <= known) return
  throw new FolderDamaged(
    `${name} has format ${found} and this version of Weir knows ${known}: it was written by a later Weir. ` +
      'Start that version, or restore the data folder from a backup made before the upgrade',
  )
}

/** The last commit of Weir that upgrades folders older than those that this one upgrades. */
const UPGRADING_COMMIT = '922df51d'

/** Refuses a part of the data folder whose format is older than the oldest that is upgraded. */
export function requireUpgradable(name: string, found: number, oldest: number): void {
  if (found === 0 || found >= oldest) return
  throw new FolderDamaged(
    `${name} has format ${found} and this version of Weir upgrades format ${oldest} and later: ` +
      `start commit ${UPGRADING_COMMIT} of Weir once on this folder, then this version`,
  )
}
