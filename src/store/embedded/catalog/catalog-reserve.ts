import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../../base/plain.ts'
import { DiskReserve } from '../disk/disk-reserve.ts'
import { CHECKPOINT_PAGES } from './open-catalog-file.ts'

/** The log's length, of pages, that half of the first, small reserve has room for. */
const SHORT_CHECKPOINT_PAGES = 128
/** On a full disk each commit is written back at once: the next one then fits where the log already is. */
const FULL_CHECKPOINT_PAGES = 1
/** A catalog of this size, some thousand streams, is written often enough for a longer log. */
const LARGE_CATALOG_BYTES = 1024 * 1024
/** How often a full disk is asked for room again. */
const RETRY_EVERY_MS = 1_000

/**
 * The room that is kept for a full disk. Writing the log back may take as much room as the log is long,
 * so the log of a small catalog is kept short and its reserve small; once it is large both grow.
 */
export class CatalogReserve {
  readonly #db: DatabaseSync
  readonly #file: string
  readonly #reserve: DiskReserve
  #isFull: boolean
  #triedAtMs = Number.NEGATIVE_INFINITY

  constructor(db: DatabaseSync, folder: string) {
    this.#db = db
    this.#file = join(folder, 'catalog.db')
    this.#reserve = new DiskReserve(folder, 'running')
    this.#reserve.take()
    this.#isFull = !this.#reserve.isHeld
    this.#limitLog()
  }

  /** Whether the disk has room besides what is kept back: a full one is asked now and then. */
  hasRoom(): boolean {
    if (!this.#isFull) return true
    if (!this.#isTimeToTry()) return false
    this.#isFull = !(this.#isLarge() ? this.#reserve.grow() : this.#reserve.take())
    this.#limitLog()
    return !this.#isFull
  }

  /** After a commit: keeps more back once the catalog is large. */
  followSize(): void {
    if (this.#reserve.isGrown || !this.#isLarge() || !this.#isTimeToTry()) return
    if (this.#reserve.grow()) this.#limitLog()
  }

  /** From here on only what may use the reserve is written. */
  noteFull(): void {
    this.#isFull = true
    this.#limitLog()
  }

  /** Gives a part of the room to what is written next. Returns false when no part is left. */
  releasePart(): boolean {
    return this.#reserve.releasePart()
  }

  #isLarge(): boolean {
    return (statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0) >= LARGE_CATALOG_BYTES
  }

  #isTimeToTry(): boolean {
    const nowMs = systemClock.elapsed()
    if (nowMs - this.#triedAtMs < RETRY_EVERY_MS) return false
    this.#triedAtMs = nowMs
    return true
  }

  #limitLog(): void {
    const pages = this.#reserve.isGrown ? CHECKPOINT_PAGES : SHORT_CHECKPOINT_PAGES
    this.#db.exec(`PRAGMA wal_autocheckpoint = ${this.#isFull ? FULL_CHECKPOINT_PAGES : pages}`)
  }
}
