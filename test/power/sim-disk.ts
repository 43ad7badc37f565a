import { dirname } from 'node:path/posix'
import type { Disk } from '../../src/store/embedded/disk/disk.ts'
import type { Inode, SimFiles } from './sim-files.ts'

const ZEROS_BYTES = 4096

/**
 * The store's disk over simulated files: the same steps in the same order as on the real one. The
 * folder `root` stands for theirs.
 */
export function simDisk(files: SimFiles, root: string): Disk {
  const opened: Inode[] = []
  const within = (path: string): string => path.slice(root.length)
  return {
    makeFolder(path) {
      files.makeFolder(within(path))
      files.syncFolder(dirname(within(path)))
    },
    list: (folder) => files.list(within(folder)),
    write(file, bytes, position) {
      files.write(opened[file], bytes, position)
      return bytes.length
    },
    sync: (file) => files.sync(opened[file]),
    close: () => {},
    syncWhole: (path) => files.sync(files.open(within(path))),
    // A copy begins 8-byte aligned.
    readWhole: (path) => files.open(within(path)).content.slice(),
    readPart(path, position, room) {
      const part = files.open(within(path)).content.subarray(position, position + room.length)
      room.set(part)
      return room.subarray(0, part.length)
    },
    writeWhole(path, bytes) {
      const inode = files.create(within(path))
      files.write(inode, bytes, 0)
      files.sync(inode)
      files.syncFolder(dirname(within(path)))
    },
    unlink: (path) => files.unlink(within(path)),
    freeBytes: () => Number.MAX_SAFE_INTEGER,
    async createZeroed(path, bytes) {
      const inode = files.create(within(path))
      for (let at = 0; at < bytes; at += ZEROS_BYTES) {
        await Promise.resolve()
        files.write(inode, new Uint8Array(Math.min(ZEROS_BYTES, bytes - at)), at)
      }
      await Promise.resolve()
      files.sync(inode)
      await Promise.resolve()
      files.syncFolder(dirname(within(path)))
      return opened.push(inode) - 1
    },
  }
}
