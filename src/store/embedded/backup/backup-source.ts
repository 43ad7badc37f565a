/**
 * What a backup copies, held still while it is copied: a view of each database and the open files of
 * the journal's segments. Nothing of the service waits for it: a segment that is unlinked meanwhile
 * stays readable, and the end of this process gives all of it back.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { segmentNumberOf } from '../journal/segment.ts'
import { PAYLOAD_FILE } from '../payloads/open-payload-file.ts'
import { SEALED_SEGMENT } from '../rows/meta-names.ts'

const BUSY_MS = 5_000

/** A seal between two looks makes both of no use; seals are seconds apart, looks milliseconds. */
const TRIES_MAX = 50

const PIECE_BYTES = 1024 * 1024

/** Frames, and so what is copied of a segment, are whole words. */
const WORD_BYTES = 8

/** How far the journal is durable: everything up to here was, or is about to be, acknowledged. */
export interface JournalCut {
  readonly segment: number
  /** Where the last durable frame of that segment ends; null: the whole segment counts. */
  readonly bytes: number | null
}

/** A segment of the journal, open. */
export interface SourceSegment {
  readonly name: string
  readonly file: number
  /** Up to the end of its last frame. */
  readonly bytes: number
  /** With the zeros behind. */
  readonly length: number
}

/** A data folder as it was at one moment. */
export interface BackupSource {
  readonly samples: DatabaseSync
  readonly catalog: DatabaseSync
  /** What connectors were given; undefined where none was given anything. */
  readonly payloads: DatabaseSync | undefined
  readonly segments: readonly SourceSegment[]
  close(): void
}

/**
 * Opens the folder as of one moment. The order matters: payloads, samples, the end of the journal, catalog.
 * - Payloads first: what is settled in their view has its samples before the end of the journal. The rest is run again.
 * - Samples before the journal: a seal that the view of samples.db shows is of a segment wholly before that end.
 * - Catalog last: every stream of the journal was in the catalog before its samples were in the journal.
 */
export async function openBackupSource(
  folder: string,
  askCut: () => Promise<JournalCut>,
): Promise<BackupSource> {
  const samplesFile = join(folder, 'samples.db')
  const payloads = openViewIfThere(join(folder, PAYLOAD_FILE))
  try {
    const rest = await openRest(folder, samplesFile, askCut)
    const views = [rest.samples, rest.catalog, ...(payloads === undefined ? [] : [payloads])]
    return { ...rest, payloads, close: () => closeAll(views, rest.segments) }
  } catch (error) {
    payloads?.close()
    throw error
  }
}

async function openRest(
  folder: string,
  samplesFile: string,
  askCut: () => Promise<JournalCut>,
): Promise<Pick<BackupSource, 'samples' | 'catalog' | 'segments'>> {
  for (let tries = 1; ; tries += 1) {
    const samples = openView(samplesFile)
    const sealed = sealedSegmentOf(samples)
    const cut = await askCut()
    const segments = openSegments(join(folder, 'journal'), { sealed, cut })
    // Between its seal and its end a segment counts as sealed: it was not moved or missed.
    if (isUnmoved(samplesFile, sealed)) {
      const catalog = openView(join(folder, 'catalog.db'))
      return { samples, catalog, segments }
    }
    closeAll([samples], segments)
    if (tries === TRIES_MAX) throw new Error('Cannot back up: the samples did not hold still')
  }
}

function closeAll(views: readonly DatabaseSync[], segments: readonly SourceSegment[]): void {
  for (const view of views) if (view.isOpen) view.close()
  for (const { file } of segments) closeSync(file)
}

/** A connection that sees the database as it is at this moment until it is closed. */
function openView(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
  db.exec('BEGIN')
  db.prepare('SELECT count(*) FROM sqlite_schema').get()
  return db
}

/** The same of a file that need not be there, or may have no tables yet. */
function openViewIfThere(file: string): DatabaseSync | undefined {
  return existsSync(file) && statSync(file).size > 0 ? openView(file) : undefined
}

function sealedSegmentOf(db: DatabaseSync): number {
  const row = db.prepare('SELECT value FROM meta WHERE name = ?').get(SEALED_SEGMENT)
  return (row as { value: number } | undefined)?.value ?? 0
}

function isUnmoved(file: string, sealed: number): boolean {
  using db = openView(file)
  return sealedSegmentOf(db) === sealed
}

function openSegments(
  folder: string,
  { sealed, cut }: { sealed: number; cut: JournalCut },
): SourceSegment[] {
  const opened: SourceSegment[] = []
  for (const name of readdirSync(folder).sort()) {
    const number = segmentNumberOf(name)
    if (number === undefined || number <= sealed || number > cut.segment) continue
    const file = openIfThere(join(folder, name))
    if (file === undefined) continue
    const length = fstatSync(file).size
    const end = number === cut.segment ? cut.bytes : null
    opened.push({ name, file, length, bytes: Math.min(end ?? findEnd(file, length), length) })
  }
  return opened
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Where the zeros begin that a segment was made of. */
function findEnd(file: number, length: number): number {
  const piece = Buffer.alloc(Math.min(PIECE_BYTES, length))
  for (let end = length; end > 0; ) {
    const start = Math.max(0, end - piece.length)
    const bytes = readSync(file, piece, 0, end - start, start)
    let last = bytes - 1
    while (last >= 0 && piece[last] === 0) last -= 1
    if (last >= 0) return Math.ceil((start + last + 1) / WORD_BYTES) * WORD_BYTES
    end = start
  }
  return 0
}
