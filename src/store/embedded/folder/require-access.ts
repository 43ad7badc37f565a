import { accessSync, constants, existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { FolderDamaged } from '../damage/folder-damaged.ts'

const { R_OK, W_OK, X_OK } = constants

/** Something of the data folder is not for the user that the process runs as, as after a restore by another. */
export class FolderForbidden extends Error {
  constructor(path: string, folder: string) {
    const uid = process.geteuid?.()
    const who = uid === undefined ? 'this user' : `the user that this process runs as (${uid})`
    super(
      `${path} cannot be read and written by ${who}: give it the whole folder, as by ` +
        `"chown -R ${uid ?? 'USER'} ${folder}"`,
    )
    this.name = 'FolderForbidden'
  }
}

/** The data folder, or a part of it, lies on a disk that is mounted read-only. */
class FolderReadOnly extends Error {
  /** As of the system's own error: a process ends with the exit code of a disk's trouble. */
  readonly code = 'EROFS'

  constructor(path: string) {
    super(
      `${path} is on a read-only disk: mount it for writing, or set WEIR_DATA_DIR to a folder on another disk`,
    )
    this.name = 'FolderReadOnly'
  }
}

/** Folders that are written to, and looked into. */
const FOLDERS = ['journal', 'files', 'files/incoming', 'imports', 'quarantine']

/** What is read and written; a start makes what is missing. */
const FILES = [
  ...['catalog.db', 'samples.db', 'payloads.db'].flatMap((name) => [
    name,
    `${name}-wal`,
    `${name}-shm`,
  ]),
  'lock',
  'progress',
  'reserve',
  'reserve-start',
]

/** What is read alone: an operator may have it so. */
const READ = ['secret.key', 'journal/mark', 'files/mark', 'imports/holder']

/**
 * Refuses a folder with a part that this user cannot use: missing permission, a read-only disk, a folder in place of a
 * file, or a file in place of a folder. This is checked before anything is opened. Otherwise each part would fail
 * differently, for example as damaged, missing, or out of space, and intact data might be given up.
 */
export function requireAccess(folder: string): void {
  const require = (name: string, mode: number, isFolder = false): void => {
    const path = join(folder, name)
    const [kind, wanted] = [kindOf(path), isFolder ? 'folder' : 'file']
    if (kind !== undefined && kind !== wanted) {
      throw new FolderDamaged(
        `${path} is a ${kind}, where a ${wanted} belongs: take it away, and put back what was there`,
      )
    }
    const code = accessError(path, mode)
    if (code === 'EROFS') throw new FolderReadOnly(path)
    if (code === 'EACCES' || code === 'EPERM') throw new FolderForbidden(path, folder)
  }
  require('', R_OK | W_OK | X_OK, true)
  for (const name of FOLDERS) require(name, R_OK | W_OK | X_OK, true)
  for (const name of FILES) require(name, R_OK | W_OK)
  for (const name of [...READ, ...segmentsOf(folder)]) require(name, R_OK)
}

/** Rejects a folder, or a missing one, on a read-only disk. Node says ENOENT when it cannot create a folder there. */
export function requireWritableDisk(folder: string): void {
  let existing = resolve(folder)
  while (!existsSync(existing)) existing = dirname(existing)
  if (accessError(existing, W_OK) === 'EROFS') throw new FolderReadOnly(folder)
}

/** The folder's contents; undefined when there are none or the disk fails, which the next user of it reports. */
function kindOf(path: string): 'file' | 'folder' | 'thing of another kind' | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    if (found.isDirectory()) return 'folder'
    return found.isFile() ? 'file' : 'thing of another kind'
  } catch {
    return undefined
  }
}

/** The code by which the system refuses a path, undefined where it does not. */
function accessError(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

function segmentsOf(folder: string): string[] {
  const journal = join(folder, 'journal')
  const isFolder = lstatSync(journal, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? readdirSync(journal).map((name) => join('journal', name)) : []
}
