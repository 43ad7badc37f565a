import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolders } from '../disk/real-disk.ts'
import { requireAccess, requireWritableDisk } from './require-access.ts'

/** Another process uses the data folder. */
export class FolderInUse extends Error {
  constructor(folder: string) {
    super(
      `The data folder ${folder} is used by another Weir process: stop it, or set WEIR_DATA_DIR`,
    )
    this.name = 'FolderInUse'
  }
}

/** Locks in use: one that is only garbage to the collector would be closed, and its folder free. */
const held = new Set<DatabaseSync>()

/** A data folder held by this process. */
interface FolderLock {
  /** Lets others have the folder; the end of the process does the same, however it ends. */
  release(): void
}

/**
 * Takes a folder for this process alone. SQLite's lock on the file `lock` does it: the system drops
 * it when the process dies, so a crash leaves nothing to clean up.
 */
export function lockFolder(folder: string): FolderLock {
  requireWritableDisk(folder)
  makeFolders(folder, 0o700)
  requireAccess(folder)
  const db = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  try {
    // No journal beside it: a full disk has no room for one, and nothing is ever written.
    db.exec('PRAGMA journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (/locked|busy/i.test((error as Error).message)) throw new FolderInUse(folder)
    throw new Error(`Cannot lock the data folder ${folder}`, { cause: error })
  }
  held.add(db)
  return {
    release() {
      if (held.delete(db)) db.close()
    },
  }
}
