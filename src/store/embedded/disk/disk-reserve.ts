import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const MIB = 1024 * 1024

/** What is kept back, at first and grown, and for when: while the service runs, and for its next start. */
const KINDS = {
  running: { name: 'reserve', bytes: MIB, grownBytes: 4 * MIB },
  // What the databases need beside them while they are open, and a segment that takes removals.
  start: { name: 'reserve-start', bytes: MIB, grownBytes: MIB },
} as const
const PIECE_BYTES = 256 * 1024

/**
 * Room on the disk that is kept for what must go on when it is full: signing in, the audit log and
 * deleting. A file of zeros holds it; letting it go gives the room to the next writer.
 */
export class DiskReserve {
  readonly #file: string
  readonly #bytes: number
  readonly #grownBytes: number
  #heldBytes: number

  constructor(folder: string, kind: keyof typeof KINDS) {
    const { name, bytes, grownBytes } = KINDS[kind]
    this.#file = join(folder, name)
    this.#bytes = bytes
    this.#grownBytes = grownBytes
    this.#heldBytes = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Whether the room is kept back. */
  get isHeld(): boolean {
    return this.#heldBytes >= this.#bytes
  }

  /** Whether as much is kept back as ever is. */
  get isGrown(): boolean {
    return this.#heldBytes >= this.#grownBytes
  }

  /** Reserves the room if the disk has it. Returns whether it is reserved. */
  take(): boolean {
    if (!this.isHeld) this.#extend(this.#bytes)
    return this.isHeld
  }

  /** Keeps more back when there is as much; where there is not, what is held stays as it is. */
  grow(): boolean {
    if (!this.isGrown) this.#extend(this.#grownBytes)
    return this.isGrown
  }

  /** Gives the room away when the disk has less than it besides. */
  releaseWhenFull(): void {
    const { bavail, bsize } = statfsSync(dirname(this.#file))
    if (bavail * bsize < this.#bytes) this.release()
  }

  /** Gives the room away. */
  release(): void {
    this.#heldBytes = 0
    try {
      rmSync(this.#file, { force: true })
    } catch {
      // A disk that became read-only gives nothing away.
    }
  }

  #extend(bytes: number): void {
    const before = this.isHeld ? this.#heldBytes : 0
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#file))
      // As much again stays free: the reserve must not be what fills the disk.
      if (bavail * bsize < 2 * bytes - before) return
      this.#write(before, bytes)
      this.#heldBytes = bytes
    } catch {
      // Whatever the disk says, there is no half of a reserve.
      if (before === 0) this.release()
    }
  }

  /** Written, not only made long: a hole takes no room. */
  #write(from: number, until: number): void {
    const file = openSync(this.#file, from === 0 ? 'w' : 'r+', 0o600)
    try {
      const zeros = new Uint8Array(PIECE_BYTES)
      for (let done = from; done < until; ) {
        done += writeSync(file, zeros, 0, Math.min(PIECE_BYTES, until - done), done)
      }
      fsyncSync(file)
    } catch (error) {
      ftruncateSync(file, from)
      throw error
    } finally {
      closeSync(file)
    }
  }
}
