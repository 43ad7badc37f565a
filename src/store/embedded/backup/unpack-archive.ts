/** Unpacks the archive of a backup into a folder. The files are verified against the list afterwards. */
import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders } from '../disk/real-disk.ts'
import { filesOfArchive } from './archive-input.ts'
import { BackupDamaged } from './backup-damaged.ts'
import { piecesOf } from './backup-target.ts'
import { entryLine, isBackupPath, linesOf, MANIFEST } from './manifest.ts'

/** What was written of a file. */
export interface Restored {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** Writes a file, durable on return but for its name, and returns what was written. */
export async function writeChecked(
  path: string,
  pieces: AsyncIterable<Buffer>,
): Promise<Omit<Restored, 'path'>> {
  makeFolders(dirname(path), 0o700)
  const hash = createHash('sha256')
  let bytes = 0
  const file = openSync(path, 'wx', 0o600)
  try {
    for await (const piece of pieces) {
      hash.update(piece)
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at)
      bytes += piece.length
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** The files of an archive, in order; next() returns one at a time. */
interface Unpacked {
  next(): Promise<Restored | undefined>
}

/** Unpacks all files into `staging`, and the list of the backup to the file `list`. */
export async function unpackArchive(
  archive: string,
  to: {
    readonly staging: string
    readonly list: string
    readonly onProgress: (part: string, bytes: number) => void
  },
): Promise<Unpacked> {
  const notes = `${to.list}.unpacked`
  const file = openSync(notes, 'wx', 0o600)
  let hasList = false
  try {
    for await (const { path, pieces } of filesOfArchive(archive)) {
      if (hasList) throw new BackupDamaged('it goes on behind the list of its files')
      hasList = path === MANIFEST
      if (!hasList && !isBackupPath(path)) throw new BackupDamaged('it is no backup of Weir')
      const written = await writeChecked(hasList ? to.list : join(to.staging, path), pieces)
      if (!hasList) writeSync(file, entryLine({ path, ...written }))
      to.onProgress(path, written.bytes)
    }
  } finally {
    closeSync(file)
  }
  if (!hasList) throw new BackupDamaged('it is cut short: the list of its files is missing')
  const lines = linesOf(piecesOf(notes))
  return {
    next: async () => {
      const line = await lines.next()
      return line.done === true ? undefined : (JSON.parse(line.value) as Restored)
    },
  }
}
