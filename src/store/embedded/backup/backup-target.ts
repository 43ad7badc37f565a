/** Where a backup goes: a folder, or one archive; whole under its name, or known as partial. */
import * as fs from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { refuse } from '../../../base/index.ts'
import { makeFolders, syncFolder } from '../disk/real-disk.ts'
import { FolderInUse, lockFolder } from '../folder/folder-lock.ts'
import { ArchiveOutput, packingOf } from './archive-output.ts'
import { MANIFEST } from './manifest.ts'

/** Its presence shows that a backup was begun here and is not complete. */
export const PARTIAL = 'partial'

/** What a backup puts at the top of its folder; what else lies there is not ours to remove. */
const OWN_NAMES = [
  'catalog.db',
  'samples.db',
  'secret.key',
  'progress',
  'journal',
  'files',
  'quarantine',
  'payloads.db',
  'payloads.db-journal',
  'catalog.db-journal',
  'samples.db-journal',
  MANIFEST,
  `${MANIFEST}.new`,
  PARTIAL,
]

/** Looks for what came while it was discarded. */
const DISCARDS_MAX = 10

/** What a file system makes by itself. */
const NOT_COUNTED = ['lost+found']

/** A place that takes the files of a backup one after the other. */
export interface BackupTarget {
  /** Where a file may be made before it is adopted. */
  workPath(name: string): string
  /** Begins a file of `bytes` bytes. */
  begin(path: string, bytes: number): Promise<void>
  write(chunk: Uint8Array): Promise<void>
  /** Ends the file; it is durable with the whole backup. */
  end(): Promise<void>
  /** Takes a file from its work path, reporting each piece of it. */
  adopt(name: string, onPiece: (piece: Buffer) => void): Promise<void>
  /** Ends the backup with its list, which lies at the work path of `name`. */
  finish(listName: string): Promise<void>
  /** Takes away what was written. */
  discard(): void
}

/** Opens a target that does not hold anything yet; leftovers of a backup that was killed are removed. */
export function openBackupTarget(path: string): BackupTarget {
  const whole = resolve(path)
  return packingOf(whole) === undefined ? new FolderTarget(whole) : new ArchiveTarget(whole)
}

/** Pieces of a file, each in memory that the next one is read into. */
export async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  const file = fs.openSync(path, 'r')
  try {
    const piece = Buffer.allocUnsafe(1024 * 1024)
    for (;;) {
      const bytes = fs.readSync(file, piece)
      if (bytes === 0) return
      yield piece.subarray(0, bytes)
    }
  } finally {
    fs.closeSync(file)
  }
}

/** Names in a folder that count; none where it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).filter((name) => !NOT_COUNTED.includes(name))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    if (code !== 'ENOTDIR') throw error
    return refuse('conflict', { what: `${folder} is a file or lies below one: name a folder` })
  }
}

/** Takes a folder for a backup: the lock ends with the process, so leftovers are distinguished from a running backup. */
function claim(folder: string): { release(): void } {
  const names = namesIn(folder)
  const isLeftover = names.includes(PARTIAL) && names.every((name) => OWN_NAMES.includes(name))
  if (names.length > 0 && !isLeftover) {
    refuse('conflict', { what: `${folder} is not empty: name a folder for this backup alone` })
  }
  makeFolders(folder, 0o700)
  try {
    const lock = lockFolder(join(folder, PARTIAL))
    for (const name of names) if (name !== PARTIAL) removeIn(folder, name)
    return lock
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error
    refuse('conflict', { what: `Another backup is being written to ${folder}` })
  }
}

function removeIn(folder: string, name: string): void {
  fs.rmSync(join(folder, name), { recursive: true, force: true })
}

/** A backup as a folder of files. */
class FolderTarget implements BackupTarget {
  readonly #folder: string
  readonly #isMade: boolean
  readonly #lock: { release(): void }
  readonly #folders = new Set<string>()
  #file: number | undefined

  constructor(folder: string) {
    this.#folder = folder
    this.#isMade = !fs.existsSync(folder)
    this.#lock = claim(folder)
  }

  workPath(name: string): string {
    return join(this.#folder, name)
  }

  async begin(path: string): Promise<void> {
    const whole = join(this.#folder, path)
    const folder = dirname(whole)
    if (!this.#folders.has(folder)) makeFolders(folder, 0o700)
    this.#folders.add(folder)
    this.#file = fs.openSync(whole, 'wx', 0o600)
  }

  async write(chunk: Uint8Array): Promise<void> {
    writeWhole(this.#file, chunk)
  }

  async end(): Promise<void> {
    if (this.#file === undefined) return
    fs.fsyncSync(this.#file)
    fs.closeSync(this.#file)
    this.#file = undefined
  }

  async adopt(name: string, onPiece: (piece: Buffer) => void): Promise<void> {
    for await (const piece of piecesOf(this.workPath(name))) onPiece(piece)
    syncFile(this.workPath(name))
  }

  async finish(listName: string): Promise<void> {
    syncFile(this.workPath(listName))
    for (const folder of this.#folders) syncFolder(folder)
    fs.renameSync(this.workPath(listName), join(this.#folder, MANIFEST))
    syncFolder(this.#folder)
    this.#lock.release()
    removeIn(this.#folder, PARTIAL)
    syncFolder(this.#folder)
  }

  discard(): void {
    const isBare = () => namesIn(this.#folder).every((name) => name === PARTIAL)
    // The thread that copies a database may make a file of its own meanwhile.
    for (let tries = 0; tries < DISCARDS_MAX && (tries === 0 || !isBare()); tries += 1) {
      for (const name of OWN_NAMES) if (name !== PARTIAL) removeIn(this.#folder, name)
    }
    this.#lock.release()
    removeIn(this.#folder, PARTIAL)
    // What came after all is known as a leftover by the next backup.
    if (!isBare()) makeFolders(join(this.#folder, PARTIAL), 0o700)
    if (this.#isMade) removeIfEmpty(this.#folder)
  }
}

/** A backup as one archive; what is not complete lies in a folder beside it. */
class ArchiveTarget implements BackupTarget {
  readonly #path: string
  readonly #work: string
  readonly #lock: { release(): void }
  readonly #output: ArchiveOutput

  constructor(path: string) {
    this.#path = path
    this.#work = `${path}.${PARTIAL}`
    if (fs.existsSync(path)) {
      refuse('conflict', { what: `${path} is there already: name a file that is not` })
    }
    const names = namesIn(this.#work)
    const isOwn = (name: string) => OWN_NAMES.includes(name) || name === basename(path)
    if (names.includes(PARTIAL) && names.every(isOwn)) removeIn(this.#work, basename(path))
    this.#lock = claim(this.#work)
    this.#output = new ArchiveOutput(join(this.#work, basename(path)), packingOf(path) ?? 'plain')
  }

  workPath(name: string): string {
    return join(this.#work, name)
  }

  begin(path: string, bytes: number): Promise<void> {
    return this.#output.begin(path, bytes)
  }

  write(chunk: Uint8Array): Promise<void> {
    // What is packed is packed later, and the chunk's memory is used again.
    return this.#output.write(Buffer.from(chunk))
  }

  end(): Promise<void> {
    return this.#output.endFile()
  }

  async adopt(name: string, onPiece: (piece: Buffer) => void): Promise<void> {
    await this.#adoptAs(name, name, onPiece)
  }

  async #adoptAs(name: string, path: string, onPiece: (piece: Buffer) => void): Promise<void> {
    await this.begin(path, fs.statSync(this.workPath(name)).size)
    for await (const piece of piecesOf(this.workPath(name))) {
      onPiece(piece)
      await this.write(piece)
    }
    await this.end()
    removeIn(this.#work, name)
  }

  async finish(listName: string): Promise<void> {
    await this.#adoptAs(listName, MANIFEST, () => {})
    await this.#output.close()
    const made = this.workPath(basename(this.#path))
    syncFile(made)
    // A link does not replace what came there meanwhile; not every file system has them.
    try {
      fs.linkSync(made, this.#path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
      fs.renameSync(made, this.#path)
    }
    syncFolder(dirname(this.#path))
    this.#drop()
  }

  discard(): void {
    this.#output.destroy()
    this.#drop()
  }

  #drop(): void {
    this.#lock.release()
    fs.rmSync(this.#work, { recursive: true, force: true })
  }
}

function writeWhole(file: number | undefined, chunk: Uint8Array): void {
  if (file === undefined) throw new Error('BUG: bytes came before their file')
  for (let at = 0; at < chunk.length; ) at += fs.writeSync(file, chunk, at)
}

function syncFile(path: string): void {
  const file = fs.openSync(path, 'r+')
  try {
    fs.fsyncSync(file)
  } finally {
    fs.closeSync(file)
  }
}

function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder)
  } catch {
    // Something of others came into it.
  }
}
