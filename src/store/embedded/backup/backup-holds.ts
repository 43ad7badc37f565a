/**
 * Supports a backup in a running service. It reports how far the journal is durable and keeps bodies of files that are
 * to be deleted. While the copy is pinned, it does not complete deletions of streams. A backup that stops sending
 * signals is forgotten.
 */
import { randomUUID } from 'node:crypto'
import { refuse } from '../../../base/index.ts'
import type { BlobStore } from '../../ports/blob-port.ts'
import type { JournalCut } from './backup-source.ts'

/** A backup signals every few seconds. */
const HOLD_MS_DEFAULT = 30_000

/** Opening two databases takes milliseconds; deletions wait for no more than this. */
const PIN_MS_DEFAULT = 5_000

/** One that was killed counts until it is given up. */
const BACKUPS_MAX = 64

/** Bodies to delete when no backup runs any more; those beyond are left to the sweep. */
const DEFERRED_MAX = 100_000

/** The commands by which `weir backup` speaks to the service. */
export const BACKUP_COMMANDS: readonly string[] = [
  'backup begin',
  'backup cut',
  'backup pinned',
  'backup going',
  'backup end',
]

/** What the service answers to them. */
export interface BackupAnswer {
  readonly id: string
  readonly cut: JournalCut
}

interface Hold {
  timer: NodeJS.Timeout
  /** Set while deletions wait for it. */
  pinning: NodeJS.Timeout | undefined
}

interface HoldDeps {
  readonly blobs: BlobStore
  /** How far the journal is durable at this moment. */
  readonly cut: () => JournalCut
  readonly onFailure: (error: unknown) => void
  readonly holdMs?: number
  readonly pinMs?: number
}

/** The backups of which a service knows that they run. */
export class BackupHolds {
  readonly #deps: HoldDeps
  readonly #holds = new Map<string, Hold>()
  readonly #deferred = new Set<string>()
  #waiting: Array<() => void> = []

  constructor(deps: HoldDeps) {
    this.#deps = deps
  }

  /** Follows one command of a backup. */
  answer(name: string, given: string | undefined): BackupAnswer {
    const id = name === 'backup begin' ? this.#begin() : this.#require(given)
    const hold = this.#holds.get(id)
    hold?.timer.refresh()
    if (name === 'backup cut' && hold?.pinning === undefined) gaveUp()
    if (name === 'backup pinned' && !this.#unpin(id)) gaveUp()
    if (name === 'backup end') this.#drop(id)
    return { id, cut: this.#deps.cut() }
  }

  /** How many run. */
  get count(): number {
    return this.#holds.size
  }

  /** Resolves when a deletion of streams may end: at once, unless a backup is being pinned down. */
  async mayEndDeletion(): Promise<void> {
    while (this.#isPinning) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** The bodies, of which none goes while a backup runs. */
  keepBodies(): BlobStore {
    const { blobs } = this.#deps
    return {
      put: (source, options) => blobs.put(source, options),
      read: (blob, range) => blobs.read(blob, range),
      check: (blob, pass) => blobs.check(blob, pass),
      delete: async (key) => {
        if (this.#holds.size === 0) await blobs.delete(key)
        else if (this.#deferred.size < DEFERRED_MAX) this.#deferred.add(key)
      },
      sweep: (isLive, nowMs) => blobs.sweep((key) => this.#holds.size > 0 || isLive(key), nowMs),
      close: () => blobs.close(),
    }
  }

  /** Forgets all backups; bodies that wait are for the sweep. */
  close(): void {
    for (const { timer, pinning } of this.#holds.values()) {
      clearTimeout(timer)
      clearTimeout(pinning)
    }
    this.#holds.clear()
    this.#wake()
  }

  get #isPinning(): boolean {
    return [...this.#holds.values()].some(({ pinning }) => pinning !== undefined)
  }

  #begin(): string {
    if (this.#holds.size >= BACKUPS_MAX) {
      refuse('conflict', {
        what: `${BACKUPS_MAX} backups of this service run already: wait for one`,
      })
    }
    const { holdMs = HOLD_MS_DEFAULT, pinMs = PIN_MS_DEFAULT } = this.#deps
    const id = randomUUID()
    const timer = setTimeout(() => this.#drop(id), holdMs).unref()
    const pinning = setTimeout(() => this.#unpin(id), pinMs).unref()
    this.#holds.set(id, { timer, pinning })
    return id
  }

  #require(id: string | undefined): string {
    return id !== undefined && this.#holds.has(id) ? id : gaveUp()
  }

  #unpin(id: string): boolean {
    const hold = this.#holds.get(id)
    if (hold?.pinning === undefined) return false
    clearTimeout(hold.pinning)
    hold.pinning = undefined
    this.#wake()
    return true
  }

  #drop(id: string): void {
    this.#unpin(id)
    clearTimeout(this.#holds.get(id)?.timer)
    this.#holds.delete(id)
    if (this.#holds.size === 0) this.#deleteDeferred().catch(this.#deps.onFailure)
  }

  async #deleteDeferred(): Promise<void> {
    for (const key of this.#deferred) {
      if (this.#holds.size > 0) return
      this.#deferred.delete(key)
      await this.#deps.blobs.delete(key)
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

function gaveUp(): never {
  refuse('conflict', {
    what: 'The service has given this backup up, as it heard nothing of it: begin again',
  })
}
