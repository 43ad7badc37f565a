/** Makes a data folder from a backup: all of it is checked before any of it is in its place. */
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import { refuse } from '../../../base/index.ts'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { makeFolders, syncFolder } from '../disk/real-disk.ts'
import { checkFolder, RESTORING } from '../folder/check-folder.ts'
import { lockFolder } from '../folder/folder-lock.ts'
import { BackupDamaged } from './backup-damaged.ts'
import { namesIn, PARTIAL, piecesOf } from './backup-target.ts'
import {
  type BackupEnd,
  type BackupEntry,
  type BackupHead,
  MANIFEST,
  readManifest,
} from './manifest.ts'
import { type Restored, unpackArchive, writeChecked } from './unpack-archive.ts'

/** Behind all others: a folder without it does not start, so that half a move is no folder. */
const MOVED_LAST = 'catalog.db'

/** The file that keeps other processes out of a data folder. */
const LOCK = 'lock'

/** What a restore that was killed, or a start that was refused because of it, leaves in a folder. */
const OF_NO_WORTH = [RESTORING, LOCK, 'reserve', 'reserve-start']

/** What a restore came to. */
interface RestoredBackup extends BackupHead, Omit<BackupEnd, 'sha256'> {}

interface RestoreRequest {
  /** A backup: its folder or its archive. */
  readonly from: string
  /** The data folder to make; it must be missing or empty. */
  readonly to: string
  readonly onProgress: (part: string, bytes: number) => void
}

/** Restores a backup into a folder; one that does not check is refused, and the folder left as it was. */
export async function restoreBackup(order: RestoreRequest): Promise<RestoredBackup> {
  const [from, to] = [resolve(order.from), resolve(order.to)]
  const found = fs.statSync(from, { throwIfNoEntry: false })
  if (found === undefined) refuse('not_found', { what: `There is no backup ${order.from}` })
  const isMade = !fs.existsSync(to)
  const isLockMade = !fs.existsSync(join(to, LOCK))
  const work = join(to, RESTORING)
  const lock = claim(to)
  const drop = (): void => {
    fs.rmSync(work, { recursive: true, force: true })
    lock.release()
  }
  try {
    const staging = join(work, 'data')
    makeFolders(staging, 0o700)
    const read = found.isDirectory() ? readFolder : readArchive
    const restored = await read({ ...order, from }, { staging, work })
    checkWhole(staging)
    moveInto(staging, to)
    drop()
    return restored
  } catch (error) {
    drop()
    if (isLockMade) fs.rmSync(join(to, LOCK), { force: true })
    if (isMade) fs.rmSync(to, { recursive: true, force: true })
    if (!(error instanceof BackupDamaged)) throw error
    throw new BackupDamaged(`Cannot restore ${order.from}: ${error.message}. Nothing was restored`)
  }
}

/** Leftovers of a restore that was killed are removed; whatever else is there is not touched. */
function claim(to: string): { release(): void } {
  if (namesIn(to).some((name) => !OF_NO_WORTH.includes(name))) {
    refuse('conflict', {
      what: `${to} is not empty: restore into an empty folder, --to names another`,
    })
  }
  const lock = lockFolder(to)
  fs.rmSync(join(to, RESTORING), { recursive: true, force: true })
  return lock
}

interface Places {
  /** Where the data folder is put together. */
  readonly staging: string
  /** For what is of use only meanwhile. */
  readonly work: string
}

async function readFolder(
  { from, onProgress }: RestoreRequest,
  { staging }: Places,
): Promise<RestoredBackup> {
  const list = join(from, MANIFEST)
  const isPartial = fs.existsSync(join(from, PARTIAL))
  if (isPartial) throw new BackupDamaged('it was not written to its end')
  if (!fs.existsSync(list))
    throw new BackupDamaged(`it is no backup of Weir, as it has no ${MANIFEST}`)
  return readListed(list, async (entry) => {
    const source = join(from, entry.path)
    if (!fs.existsSync(source)) throw new BackupDamaged(`${entry.path} is missing`)
    const restored = await writeChecked(join(staging, entry.path), piecesOf(source))
    requireSame(entry, restored)
    setLength(staging, entry)
    onProgress(entry.path, entry.bytes)
  })
}

async function readArchive(
  { from, onProgress }: RestoreRequest,
  { staging, work }: Places,
): Promise<RestoredBackup> {
  const list = join(work, MANIFEST)
  const unpacked = await unpackArchive(from, { staging, list, onProgress })
  const restored = await readListed(list, async (entry) => {
    const next = await unpacked.next()
    if (next?.path !== entry.path) {
      const [isMissing, order] = [next === undefined, 'are not in the order of its list']
      throw new BackupDamaged(
        isMissing
          ? `${entry.path} is missing`
          : `its files ${order}: unpack it, and restore the folder`,
      )
    }
    requireSame(entry, next)
    setLength(staging, entry)
  })
  if ((await unpacked.next()) !== undefined)
    throw new BackupDamaged('it holds files that its list does not name')
  return restored
}

/** Reads the list twice: what it says counts only when all of it checks. */
async function readListed(
  list: string,
  onEntry: (entry: BackupEntry) => Promise<void>,
): Promise<RestoredBackup> {
  let head: BackupHead | undefined
  const onHead = (read: BackupHead): void => {
    head = read
  }
  await readManifest(piecesOf(list), { onHead, onEntry: () => {} })
  const { files, bytes } = await readManifest(piecesOf(list), { onHead, onEntry })
  if (head === undefined) throw new BackupDamaged(`${MANIFEST} is empty`)
  return { ...head, files, bytes }
}

function requireSame(entry: BackupEntry, restored: Omit<Restored, 'path'>): void {
  if (entry.bytes === restored.bytes && entry.sha256 === restored.sha256) return
  const how = restored.bytes < entry.bytes ? 'is cut short' : 'is damaged'
  throw new BackupDamaged(`${entry.path} ${how}: its checksum differs`)
}

/** Puts back the zeros that a segment of the journal ended with. */
function setLength(staging: string, { path, length }: BackupEntry): void {
  if (length !== undefined) fs.truncateSync(join(staging, path), length)
}

/** Looks at the folder as a start does, so that what cannot start is not put in its place. */
function checkWhole(staging: string): void {
  for (const name of ['journal', 'files']) makeFolders(join(staging, name), 0o700)
  try {
    checkFolder(staging)
  } catch (error) {
    if (!(error instanceof FolderDamaged)) throw error
    throw new BackupDamaged(`what it holds does not fit together (${error.message})`)
  }
  for (const name of namesIn(staging))
    if (/-(?:wal|shm)$/.test(name)) fs.rmSync(join(staging, name))
}

function moveInto(staging: string, to: string): void {
  const names = namesIn(staging).filter((name) => name !== MOVED_LAST)
  for (const folder of [staging, ...names.map((name) => join(staging, name))]) {
    if (fs.statSync(folder).isDirectory()) syncFolder(folder)
  }
  for (const name of names) fs.renameSync(join(staging, name), join(to, name))
  syncFolder(to)
  fs.renameSync(join(staging, MOVED_LAST), join(to, MOVED_LAST))
  syncFolder(to)
}
