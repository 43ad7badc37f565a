import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
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
/** Given away at once: room for some commits. */
const PART_BYTES = 128 * 1024

/**
 * Room on the disk that is kept for what must go on when it is full: signing in, the audit log and
 * deleting. A file of zeros holds it. Any program on the machine may take what the file lets go.
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

  /** Keeps the room back; returns whether the disk has as much again. */
  take(): boolean {
    return this.#extend(this.#bytes)
  }

  /** Keeps more back; returns whether the disk has as much again. */
  grow(): boolean {
    return this.#extend(this.#grownBytes)
  }

  /** Gives the room away when the disk has less than it besides. */
  releaseWhenFull(): void {
    const { bavail, bsize } = statfsSync(dirname(this.#file))
    if (bavail * bsize < this.#bytes) this.#release()
  }

  /** Gives a part of the room away, so that nobody can take all of it at once. Returns false when no part is left. */
  releasePart(): boolean {
    const left = this.#heldBytes - (this.#heldBytes > this.#bytes ? this.#bytes : PART_BYTES)
    if (this.#heldBytes === 0) return false
    if (left <= 0) return this.#release()
    try {
      truncateSync(this.#file, left)
    } catch {
      // A disk that became read-only gives nothing away.
      return false
    }
    this.#heldBytes = left
    return true
  }

  #release(): boolean {
    this.#heldBytes = 0
    try {
      rmSync(this.#file, { force: true })
      return true
    } catch {
      // A disk that became read-only gives nothing away.
      return false
    }
  }

  /** Holds `bytes` at least, if as much again stays free: the reserve must not be what fills the disk. */
  #extend(bytes: number): boolean {
    const missing = Math.max(0, bytes - this.#heldBytes)
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#file))
      if (bavail * bsize < bytes + missing) return false
      if (missing > 0) this.#write(this.#heldBytes, bytes)
      this.#heldBytes += missing
      return true
    } catch {
      return false
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
