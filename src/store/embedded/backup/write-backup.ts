/** Writes a backup of a data folder, whether a service runs on it or not. */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import { PAYLOAD_FILE } from '../payloads/open-payload-file.ts'
import {
  type BackupSource,
  type JournalCut,
  openBackupSource,
  type SourceSegment,
} from './backup-source.ts'
import { type BackupTarget, namesIn, openBackupTarget } from './backup-target.ts'
import {
  type BackupEnd,
  type BackupEntry,
  entryLine,
  headLine,
  isBackupPath,
  MANIFEST,
  ManifestSum,
} from './manifest.ts'

const PIECE_BYTES = 1024 * 1024

/** Some megabytes between two looks at how far a database is copied. */
const DATABASE_STEP_BYTES = 8 * 1024 * 1024

const LIST = `${MANIFEST}.new`
const SHARD_PATTERN = /^[0-9a-f]{2}$/

/** What is copied, where to, and who hears of it. */
interface BackupRequest {
  /** The data folder. */
  readonly folder: string
  /** A folder to make, or an archive (.tar, .tar.gz, .tar.zst). */
  readonly target: string
  readonly withKey: boolean
  readonly version: string
  readonly time: string
  /** Asks the running service for the journal's cut; undefined: no service runs, and none may start. */
  readonly askCut?: () => Promise<JournalCut>
  /** Called once the databases are frozen, before they are copied. */
  readonly onHeld?: () => Promise<void>
  /** Called when all is copied, before the backup is complete; an error in it ends the backup. */
  readonly onCopied?: () => Promise<void>
  readonly onProgress: (part: string, bytes: number) => void
}

/** A backup on its way. */
export interface RunningBackup {
  readonly done: Promise<BackupEnd>
  /** Takes away what was written so far; at once, for a process that is about to end. */
  discard(): void
}

/** Begins a backup; refuses a target that holds something. */
export function writeBackup(order: BackupRequest): RunningBackup {
  const target = openBackupTarget(order.target)
  let isOver = false
  const discard = (): void => {
    if (isOver) return
    isOver = true
    target.discard()
  }
  const done = write(order, target).then(
    (end) => {
      isOver = true
      return end
    },
    (error: unknown) => {
      discard()
      throw error
    },
  )
  return { done, discard }
}

async function write(order: BackupRequest, target: BackupTarget): Promise<BackupEnd> {
  const { folder, withKey, version, time, askCut } = order
  const source = await openBackupSource(folder, askCut ?? (async () => EVERYTHING))
  try {
    await order.onHeld?.()
    const copy = new BackupCopy(target, order.onProgress)
    copy.list(headLine({ version, time, hasKey: withKey }))
    await copy.addDatabase('samples.db', source.samples)
    await copy.addDatabase('catalog.db', source.catalog)
    if (source.payloads !== undefined) await copy.addDatabase(PAYLOAD_FILE, source.payloads)
    await addJournal(copy, source)
    for (const path of partsOf(folder, askCut === undefined)) await copy.addIfThere(folder, path)
    for (const path of bodiesOf(folder)) await copy.addIfThere(folder, path)
    if (withKey) await copy.addIfThere(folder, 'secret.key')
    await order.onCopied?.()
    return await copy.finish()
  } finally {
    source.close()
  }
}

const EVERYTHING: JournalCut = { segment: Number.POSITIVE_INFINITY, bytes: null }

async function addJournal(copy: BackupCopy, { segments }: BackupSource): Promise<void> {
  for (const segment of segments) if (segment.bytes > 0) await copy.addSegment(segment)
}

/** The small parts; how far the stores had come is right beside a folder that stands still only. */
function partsOf(folder: string, isStill: boolean): string[] {
  const quarantined = namesIn(join(folder, 'quarantine')).map((name) => `quarantine/${name}`)
  return [
    'journal/mark',
    'files/mark',
    ...(isStill ? ['progress'] : []),
    ...quarantined.filter(isBackupPath),
  ]
}

/** The bodies of files; those that come while this runs may be in or not. */
function* bodiesOf(folder: string): Generator<string> {
  for (const shard of namesIn(join(folder, 'files')).sort()) {
    if (!SHARD_PATTERN.test(shard)) continue
    for (const key of namesIn(join(folder, 'files', shard)).sort()) {
      const path = `files/${shard}/${key}`
      if (isBackupPath(path)) yield path
    }
  }
}

/** Copies files to a target, and lists them. */
class BackupCopy {
  readonly #target: BackupTarget
  readonly #onProgress: (part: string, bytes: number) => void
  readonly #sum = new ManifestSum()
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES)
  readonly #list: number

  constructor(target: BackupTarget, onProgress: (part: string, bytes: number) => void) {
    this.#target = target
    this.#onProgress = onProgress
    this.#list = openSync(target.workPath(LIST), 'wx', 0o600)
  }

  list(line: string, entry?: BackupEntry): void {
    writeSync(this.#list, this.#sum.add(line, entry))
  }

  /** Copies what the connection sees, and lets go of its view. */
  async addDatabase(name: string, db: DatabaseSync): Promise<void> {
    const { page_size: pageBytes } = db.prepare('PRAGMA page_size').get() as { page_size: number }
    await backup(db, this.#target.workPath(name), {
      rate: Math.ceil(DATABASE_STEP_BYTES / pageBytes),
      progress: ({ totalPages, remainingPages }) =>
        this.#onProgress(name, (totalPages - remainingPages) * pageBytes),
    })
    db.close()
    const hash = createHash('sha256')
    let bytes = 0
    await this.#target.adopt(name, (piece) => {
      hash.update(piece)
      bytes += piece.length
    })
    this.#addToManifest({ path: name, bytes, sha256: hash.digest('hex') })
  }

  async addSegment({ name, file, bytes, length }: SourceSegment): Promise<void> {
    await this.#addOpen(`journal/${name}`, file, { bytes, length })
  }

  /** Copies a file; one that is gone is left out. */
  async addIfThere(folder: string, path: string): Promise<void> {
    let file: number
    try {
      file = openSync(join(folder, path), 'r')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    try {
      await this.#addOpen(path, file, { bytes: fstatSync(file).size })
    } finally {
      closeSync(file)
    }
  }

  async #addOpen(
    path: string,
    file: number,
    { bytes, length }: { bytes: number; length?: number },
  ): Promise<void> {
    const hash = createHash('sha256')
    await this.#target.begin(path, bytes)
    for (let at = 0; at < bytes; ) {
      const read = readSync(file, this.#piece, 0, Math.min(PIECE_BYTES, bytes - at), at)
      if (read === 0) throw new Error(`Cannot back up ${path}: it became shorter meanwhile`)
      const piece = this.#piece.subarray(0, read)
      hash.update(piece)
      await this.#target.write(piece)
      at += read
    }
    await this.#target.end()
    this.#addToManifest({ path, bytes, sha256: hash.digest('hex'), length })
  }

  #addToManifest(entry: BackupEntry): void {
    this.list(entryLine(entry), entry)
    this.#onProgress(entry.path, entry.bytes)
  }

  async finish(): Promise<BackupEnd> {
    const { line, end } = this.#sum.end()
    writeSync(this.#list, line)
    fsyncSync(this.#list)
    closeSync(this.#list)
    await this.#target.finish(LIST)
    return end
  }
}
