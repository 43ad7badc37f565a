import type { Disk } from './disk.ts'
import { realDisk } from './real-disk.ts'

const ROOM = 0
const WRITES_UNTIL_FAILURE = 1
const SYNCS_UNTIL_FAILURE = 2
const SHORT_WRITES = 3
const NO_HANDLES = 4
const NEVER = -1

/**
 * The faults of a FaultyDisk, shared between threads so that a test can change them while the store
 * runs. Without faults the disk is the real one.
 */
export class DiskFaults {
  readonly shared: SharedArrayBuffer
  readonly #cells: Int32Array

  constructor(shared?: SharedArrayBuffer) {
    this.shared = shared ?? new SharedArrayBuffer(20)
    this.#cells = new Int32Array(this.shared)
    if (shared === undefined) this.#cells.set([NEVER, NEVER, NEVER, 0, 0])
  }

  /** New files find this much room, or any amount when undefined. */
  setRoom(bytes: number | undefined): void {
    Atomics.store(this.#cells, ROOM, bytes ?? NEVER)
  }

  /** Lets the write after the next `count` fail. */
  failWriteAfter(count: number): void {
    Atomics.store(this.#cells, WRITES_UNTIL_FAILURE, count)
  }

  /** Lets the sync after the next `count` fail. */
  failSyncAfter(count: number): void {
    Atomics.store(this.#cells, SYNCS_UNTIL_FAILURE, count)
  }

  /** Makes every write stop half way, as the system call may. */
  shortenWrites(isOn: boolean): void {
    Atomics.store(this.#cells, SHORT_WRITES, isOn ? 1 : 0)
  }

  /** Lets no file be opened, as when the process has used up its handles. */
  takeHandles(isOn: boolean): void {
    Atomics.store(this.#cells, NO_HANDLES, isOn ? 1 : 0)
  }

  hasHandles(): boolean {
    return Atomics.load(this.#cells, NO_HANDLES) === 0
  }

  takeRoom(bytes: number): boolean {
    const room = Atomics.load(this.#cells, ROOM)
    if (room === NEVER) return true
    if (room < bytes) return false
    Atomics.sub(this.#cells, ROOM, bytes)
    return true
  }

  failsWrite(): boolean {
    return this.#countDown(WRITES_UNTIL_FAILURE)
  }

  failsSync(): boolean {
    return this.#countDown(SYNCS_UNTIL_FAILURE)
  }

  shortensWrites(): boolean {
    return Atomics.load(this.#cells, SHORT_WRITES) === 1
  }

  #countDown(cell: number): boolean {
    const left = Atomics.load(this.#cells, cell)
    if (left === NEVER) return false
    Atomics.store(this.#cells, cell, left - 1)
    return left === 0
  }
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}, as the test asked`), { code })
}

/** The real disk with the faults that a test switches on. */
function faultyDisk(faults: DiskFaults): Disk {
  return {
    ...realDisk,
    write(file, bytes, position) {
      if (faults.failsWrite()) throw failure('EIO', 'write failed')
      const isShort = faults.shortensWrites() && bytes.length > 1
      return realDisk.write(file, isShort ? bytes.subarray(0, bytes.length >> 1) : bytes, position)
    },
    sync(file) {
      if (faults.failsSync()) throw failure('EIO', 'sync failed')
      realDisk.sync(file)
    },
    readWhole(path, room) {
      if (!faults.hasHandles()) throw failure('EMFILE', 'too many open files')
      return realDisk.readWhole(path, room)
    },
    readPart(path, position, room) {
      if (!faults.hasHandles()) throw failure('EMFILE', 'too many open files')
      return realDisk.readPart(path, position, room)
    },
    // So little that room is counted, as it is where faults of room matter.
    freeBytes: () => 0,
    async createZeroed(path, bytes, options) {
      if (!faults.hasHandles()) throw failure('EMFILE', 'too many open files')
      if (!faults.takeRoom(bytes)) throw failure('ENOSPC', 'no space left on device')
      if (faults.failsSync()) throw failure('EIO', 'sync failed')
      return await realDisk.createZeroed(path, bytes, options)
    },
  }
}

/** The disk of a thread: faulty when faults are given. */
export function openDisk(faults: SharedArrayBuffer | undefined): Disk {
  return faults === undefined ? realDisk : faultyDisk(new DiskFaults(faults))
}
