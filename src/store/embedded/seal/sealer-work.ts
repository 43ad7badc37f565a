import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isDamagedFile } from '../damage/folder-damaged.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import { Quarantine } from '../damage/quarantine.ts'
import { type Disk, passingReason } from '../disk/disk.ts'
import { segmentName } from '../journal/segment.ts'
import { SEALED_SEGMENT } from '../rows/meta-names.ts'
import { ChunkTable } from './chunk-table.ts'
import { letGoOfFreePages } from './free-list-table.ts'
import { SealMismatch } from './read-back.ts'
import { salvageRows } from './salvage-table.ts'
import type { SealerCommand, SealerReply } from './sealer-protocol.ts'
import { type SegmentFile, SegmentReader } from './segment-reader.ts'
import { SealStopped, SegmentSealer } from './segment-sealer.ts'
import { TouchedTable } from './touched-table.ts'

/** What the sealer works with: the one writing connection to samples.db, and the journal's folder. */
interface SealerWorkParts {
  readonly db: DatabaseSync
  readonly disk: Disk
  readonly journalFolder: string
  readonly isStopping: () => boolean
}

const REPAIRED: FoundDamage = {
  damage: {
    file: 'samples.db.chunk_by_start',
    offset: 0,
    bytes: 0,
    handles: [],
    from: undefined,
    until: undefined,
    what: 'the index of the rows, or of their sums, did not fit the rows and was built again from them',
  },
  bytes: new Uint8Array(0),
}

/** Which segments were sealed, and what did not check on the way. */
interface Sealed {
  readonly segments: readonly number[]
  readonly damages: readonly FoundDamage[]
}

/** Does what the sealer is asked for; it alone writes samples.db. */
export class SealerWork {
  readonly #parts: SealerWorkParts
  readonly #reader: SegmentReader
  readonly #table: ChunkTable
  readonly #touched: TouchedTable
  readonly #sealer: SegmentSealer
  #unreported: FoundDamage[] = []
  /** Work that reads everything ends when the store closes. */
  readonly #onRows = (): void => {
    if (this.#parts.isStopping()) throw new SealStopped('the store is closing')
  }

  constructor(parts: SealerWorkParts) {
    this.#parts = parts
    this.#reader = new SegmentReader(parts.disk)
    this.#table = new ChunkTable(parts.db)
    this.#touched = new TouchedTable(parts.db)
    this.#sealer = new SegmentSealer(this.#table, this.#touched, parts.isStopping)
  }

  /** Follows one command and returns the outcome; an error that is thrown is a bug. */
  follow(command: Exclude<SealerCommand, { op: 'close' }>): SealerReply {
    if (command.op === 'seal') return this.#seal(command.segments, command.watched)
    if (command.op === 'mend') return this.#repair()
    return { op: 'watched', id: command.id, what: this.#touched.tryWatch(command.handles) }
  }

  /** Gives back the memory that is kept from segment to segment. */
  release(): void {
    this.#reader.release()
  }

  close(): void {
    this.#parts.db.close()
  }

  #seal(segments: readonly number[], watched: readonly number[]): SealerReply {
    try {
      const sealed = this.#sealTogether(segments, watched)
      for (const segment of sealed.segments) this.#parts.disk.unlink(this.#fileOf(segment).path)
      return { op: 'sealed', ...sealed, damages: [...sealed.damages, ...this.#takeUnreported()] }
    } catch (error) {
      if (error instanceof SealStopped) return { op: 'stopped' }
      const failed = failureOf(error, segments[0])
      return { ...failed, damages: [...failed.damages, ...this.#takeUnreported()] }
    }
  }

  #fileOf(segment: number): SegmentFile {
    return { path: join(this.#parts.journalFolder, segmentName(segment)), segment }
  }

  /** Seals segments together; the first one alone after damage, so that the damaged one is named. */
  #sealTogether(segments: readonly number[], watched: readonly number[]): Sealed {
    const sealedTo = this.#table.readMeta(SEALED_SEGMENT)
    const before = segments.filter((segment) => segment <= sealedTo)
    if (before.length > 0) return { segments: before, damages: [] }
    try {
      return this.#sealOrRepair(segments, watched)
    } catch (error) {
      if (!(error instanceof SealMismatch) || segments.length === 1) throw error
      return this.#sealOrRepair(segments.slice(0, 1), watched)
    }
  }

  /** If samples.db is damaged, repairs what it can and seals the segments. */
  #sealOrRepair(segments: readonly number[], watched: readonly number[]): Sealed {
    const files = segments.map((segment) => this.#fileOf(segment))
    const seal = (): Sealed => {
      this.#touched.watchAlso(watched)
      const content = this.#reader.read(files)
      return { segments: content.segments, damages: this.#sealer.seal(content) }
    }
    try {
      return seal()
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      const repaired = this.#sealAfterFreePages(seal) ?? this.#sealAfterIndex(seal)
      if (repaired !== undefined) return repaired
      this.#salvage(segments[0])
      return seal()
    }
  }

  /** Lets go of the list of unused pages, and seals where that was the damage; undefined elsewhere. */
  #sealAfterFreePages(seal: () => Sealed): Sealed | undefined {
    const damage = letGoOfFreePages(this.#parts.db)
    if (damage === undefined) return undefined
    this.#unreported.push(damage)
    return undefinedIfDamaged(seal)
  }

  /** Builds the index of the rows again from them and seals; undefined where that does not help. */
  #sealAfterIndex(seal: () => Sealed): Sealed | undefined {
    return undefinedIfDamaged(() => {
      if (!this.#table.rebuildIndex(this.#onRows)) return undefined
      const { segments, damages } = seal()
      return { segments, damages: [...damages, REPAIRED] }
    })
  }

  #salvage(segment: number): void {
    const { db, disk, journalFolder } = this.#parts
    const quarantine = new Quarantine(disk, join(dirname(journalFolder), 'quarantine'))
    // What is lost is noted before the rows that knew of it go: a crash in between loses no damage.
    const onLost = (found: FoundDamage): void => quarantine.add(found)
    this.#unreported.push(...salvageRows(db, { segment, onRows: this.#onRows, onLost }))
  }

  /** The result of a repair. Reported once, whatever the next seal does. */
  #takeUnreported(): FoundDamage[] {
    const untold = this.#unreported
    this.#unreported = []
    return untold
  }

  #repair(): SealerReply {
    let isDone = false
    try {
      const damage = letGoOfFreePages(this.#parts.db)
      if (damage !== undefined) this.#unreported.push(damage)
      isDone = this.#table.rebuildIndex(this.#onRows)
    } catch {
      // A disk that is full or fails: the damage is reported, and the next scrub asks again.
    }
    return { op: 'mended', isDone, damages: this.#takeUnreported() }
  }
}

/** What is done, undefined where that meets a damage. */
function undefinedIfDamaged<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!isDamagedFile(error)) throw error
    return undefined
  }
}

/** The message for a seal that failed; an error that is no failure of disk or data is a bug. */
function failureOf(
  error: unknown,
  segment: number,
): Extract<SealerReply, { readonly op: 'failed' }> {
  const about = { op: 'failed' } as const
  if (error instanceof SealMismatch) {
    const damages = [error.describe(segmentName(segment))]
    return { ...about, what: error.message, passing: undefined, damages }
  }
  // SQLite and the file system give their errors a code; any other is a bug and ends the process.
  if (!(error instanceof Error) || !('code' in error)) throw error
  const damages = isDamagedFile(error) ? [describeFile(error)] : []
  return { ...about, what: error.message, passing: passingReason(error), damages }
}

function describeFile(error: Error): FoundDamage {
  const damage = {
    file: 'samples.db.sealing',
    offset: 0,
    bytes: 0,
    handles: [],
    from: undefined,
    until: undefined,
    what: `samples.db takes nothing more (${error.message}); what is not sealed is kept in the journal`,
  }
  return { damage, bytes: new Uint8Array(0) }
}
