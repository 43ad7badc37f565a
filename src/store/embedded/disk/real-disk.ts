import * as fs from 'node:fs'
import { open, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Disk, FileRef } from './disk.ts'

const ZEROS_BYTES = 1024 * 1024

const openFile = promisify(fs.open) as (path: string, flags: string) => Promise<FileRef>
const writeFile = promisify(fs.write)
const syncFile = promisify(fs.fsync)

/** Makes the names in a folder durable. */
export function syncFolder(path: string): void {
  const folder = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(folder)
  } finally {
    fs.closeSync(folder)
  }
}

/** Makes a folder and those above it that are missing; what was made has durable names on return. */
export function makeFolders(path: string, mode: number): void {
  const whole = resolve(path)
  const first = makeMissing(whole, mode)
  if (first === undefined) return
  for (let made = whole; made.length >= first.length; made = dirname(made)) {
    try {
      syncFolder(dirname(made))
    } catch (error) {
      // A user who may write to a folder may not be allowed to read it, and then cannot sync it.
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    }
  }
}

/** Makes a folder and those above it; answers the first that was missing. */
function makeMissing(whole: string, mode: number): string | undefined {
  try {
    return fs.mkdirSync(whole, { recursive: true, mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // Node reports a read-only file system as a folder that is missing. Making that one folder gives the real reason.
    let missing = whole
    while (!fs.existsSync(dirname(missing))) missing = dirname(missing)
    fs.mkdirSync(missing, { mode })
    throw error
  }
}

/** Left free by the journal: the sealer and the catalog need some to go on, and to make room. */
const LEFT_FREE_BYTES = 16 * 1024 * 1024

async function createZeroed(
  path: string,
  bytes: number,
  options?: { isLast: boolean },
): Promise<FileRef> {
  const { bavail, bsize } = await statfs(dirname(path))
  const leftFreeBytes = options?.isLast === true ? 0 : LEFT_FREE_BYTES
  if (bavail * bsize < bytes + leftFreeBytes) {
    throw Object.assign(new Error(`ENOSPC: too little room for ${path}`), { code: 'ENOSPC' })
  }
  // By number: the journal's thread goes on with it, and no handle is needed then any more.
  const file = await openFile(path, 'wx')
  try {
    const zeros = new Uint8Array(Math.min(bytes, ZEROS_BYTES))
    for (let done = 0; done < bytes; ) {
      const length = Math.min(zeros.length, bytes - done)
      done += (await writeFile(file, zeros, 0, length, done)).bytesWritten
    }
    await syncFile(file)
    const folder = await open(dirname(path), 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
    return file
  } catch (error) {
    fs.closeSync(file)
    throw error
  }
}

/** Fills `room` from a position of a file on; returns the part of it that the file had bytes for. */
function readFully(file: FileRef, room: Uint8Array, position: number): Uint8Array {
  for (let done = 0; done < room.length; ) {
    const read = fs.readSync(file, room, done, room.length - done, position + done)
    if (read === 0) return room.subarray(0, done)
    done += read
  }
  return room
}

/** The machine's file system. */
export const realDisk: Disk = {
  makeFolder(path) {
    fs.mkdirSync(path, { recursive: true })
    // Also when it existed: its creator may have been killed before the name was durable.
    syncFolder(dirname(path))
  },
  list: (folder) => fs.readdirSync(folder).sort(),
  write: (file, bytes, position) => fs.writeSync(file, bytes, 0, bytes.length, position),
  sync: (file) => fs.fdatasyncSync(file),
  close: (file) => fs.closeSync(file),
  syncWhole(path) {
    const file = fs.openSync(path, 'r+')
    try {
      fs.fdatasyncSync(file)
    } finally {
      fs.closeSync(file)
    }
  },
  readWhole(path, room) {
    const file = fs.openSync(path, 'r')
    try {
      // A buffer of its own begins 8-byte aligned, as the frames inside expect.
      const { size } = fs.fstatSync(file)
      const fits = room !== undefined && size <= room.length
      const bytes = fits ? room.subarray(0, size) : new Uint8Array(size)
      return readFully(file, bytes, 0)
    } finally {
      fs.closeSync(file)
    }
  },
  readPart(path, position, room) {
    const file = fs.openSync(path, 'r')
    try {
      return readFully(file, room, position)
    } finally {
      fs.closeSync(file)
    }
  },
  writeWhole(path, bytes) {
    const file = fs.openSync(path, 'w')
    try {
      let done = 0
      while (done < bytes.length) done += fs.writeSync(file, bytes, done)
      fs.fsyncSync(file)
    } finally {
      fs.closeSync(file)
    }
    syncFolder(dirname(path))
  },
  unlink: (path) => fs.rmSync(path, { force: true }),
  freeBytes(folder) {
    try {
      const { bavail, bsize } = fs.statfsSync(folder)
      return bavail * bsize
    } catch {
      return 0
    }
  },
  createZeroed,
}
