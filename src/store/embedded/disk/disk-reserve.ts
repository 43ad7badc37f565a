import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What is kept back, and for when: while the service runs, and for its next start. */
const KINDS = {
  running: { name: 'reserve', bytes: 4 * 1024 * 1024 },
  // What the databases need beside them while they are open, and a segment that takes removals.
  start: { name: 'reserve-start', bytes: 2 * 1024 * 1024 },
} as const
const PIECE_BYTES = 256 * 1024

/**
 * Room on the disk that is kept for what must go on when it is full: signing in, the audit log and
 * deleting. A file of zeros holds it; letting it go gives the room to whoever writes next.
 */
export class DiskReserve {
  readonly #file: string
  readonly #bytes: number
  #isHeld: boolean

  constructor(folder: string, kind: keyof typeof KINDS) {
    const { name, bytes } = KINDS[kind]
    this.#file = join(folder, name)
    this.#bytes = bytes
    this.#isHeld = statSync(this.#file, { throwIfNoEntry: false })?.size === bytes
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
      if (bavail * bsize < 2 * this.#bytes) return false
      this.#write()
      this.#isHeld = true
    } catch {
      // Whatever the disk says, there is no reserve, and no half of one either.
      this.release()
    }
    return this.#isHeld
  }

  /** Gives the room away when there is less besides; else takes it, if there is twice as much. */
  settle(): void {
    const { bavail, bsize } = statfsSync(dirname(this.#file))
    if (bavail * bsize < this.#bytes) this.release()
    else this.take()
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
      for (let done = 0; done < this.#bytes; ) {
        done += writeSync(file, zeros, 0, Math.min(PIECE_BYTES, this.#bytes - done), done)
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }
}
