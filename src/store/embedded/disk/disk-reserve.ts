import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

const NAME = 'reserve'
const RESERVE_BYTES = 4 * 1024 * 1024
const PIECE_BYTES = 256 * 1024

/**
 * Room on the disk that is kept for what must go on when it is full: signing in, the audit log and
 * deleting. A file of zeros holds it; letting it go gives the room to whoever writes next.
 */
export class DiskReserve {
  readonly #file: string
  #isHeld: boolean

  constructor(folder: string) {
    this.#file = join(folder, NAME)
    this.#isHeld = statSync(this.#file, { throwIfNoEntry: false })?.size === RESERVE_BYTES
  }

  /** Whether the room is kept back. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Takes the room when there is as much; tells whether it is held. */
  take(): boolean {
    if (this.#isHeld) return true
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#file))
      // As much again stays free: the reserve must not be what fills the disk.
      if (bavail * bsize < 2 * RESERVE_BYTES) return false
      this.#write()
      this.#isHeld = true
    } catch {
      // Whatever the disk says, there is no reserve, and no half of one either.
      this.release()
    }
    return this.#isHeld
  }

  /** Gives the room away. */
  release(): void {
    this.#isHeld = false
    try {
      rmSync(this.#file, { force: true })
    } catch {
      // A disk that became read-only gives nothing away.
    }
  }

  /** Written, not only made long: a hole takes no room. */
  #write(): void {
    const file = openSync(this.#file, 'w', 0o600)
    try {
      const zeros = new Uint8Array(PIECE_BYTES)
      for (let done = 0; done < RESERVE_BYTES; ) {
        done += writeSync(file, zeros, 0, Math.min(PIECE_BYTES, RESERVE_BYTES - done), done)
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }
}
