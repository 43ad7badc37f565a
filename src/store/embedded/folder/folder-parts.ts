/**
 * The parts of a data folder and the mark that all of them carry: a number, drawn once, by which files
 * of two folders, or of two lives of one folder, are recognized. docs/format/folder.md.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { COMPANION_BASE } from '../../fields/companion.ts'
import { LAST_CHANGE } from '../catalog/catalog-changes.ts'
import { migrateCatalog } from '../catalog/catalog-schema.ts'
import { damageOf, FolderDamaged, isDamagedFile } from '../damage/folder-damaged.ts'
import { realDisk } from '../disk/real-disk.ts'
import { SEALED_SEGMENT } from '../rows/meta-names.ts'
import { openIdle } from './open-idle.ts'

const MARK = 'mark'
const FORMER_MARK = 'former_mark'
const MARK_FILE = 'mark'
const BUSY_MS = 5_000

/** The greatest handle with rows, of its own or of its companion. */
const GREATEST_STREAM = `SELECT max(value) AS value FROM (
  SELECT max(stream) AS value FROM chunk WHERE stream < ${COMPANION_BASE} UNION ALL
  SELECT max(stream) - ${COMPANION_BASE} FROM chunk WHERE stream >= ${COMPANION_BASE})`

/** What is found of one part. */
export interface FolderPart {
  /** Such as `samples.db` or `journal`. */
  readonly name: string
  /** False when it is missing, or a database without its tables. */
  readonly isThere: boolean
  readonly mark: number | undefined
  /** The mark before the last loss that was accepted; kept in catalog.db only. */
  readonly formerMark: number | undefined
  /** The greatest handle: of catalog.db the last one given, of samples.db one that has samples. */
  readonly handle: number
  /** How far it has come: of catalog.db the last change, of samples.db the last segment sealed. */
  readonly progress: number
}

/** Everything a data folder consists of, as far as it must belong together. */
export interface FolderParts {
  readonly catalog: FolderPart
  readonly samples: FolderPart
  readonly journal: FolderPart
  readonly files: FolderPart
}

/** Looks at the parts of a data folder; changes nothing. An idle folder is one that nobody writes to. */
export function readFolderParts(folder: string, { isIdle = false } = {}): FolderParts {
  return {
    catalog: readDatabase(folder, {
      isIdle,
      name: 'catalog.db',
      table: 'meta',
      handleQuery: `SELECT value FROM meta WHERE name = 'last_handle'`,
      progressQuery: LAST_CHANGE,
    }),
    samples: readDatabase(folder, {
      isIdle,
      name: 'samples.db',
      table: 'chunk',
      handleQuery: GREATEST_STREAM,
      progressQuery: `SELECT value FROM meta WHERE name = '${SEALED_SEGMENT}'`,
    }),
    journal: readSubfolder(folder, 'journal'),
    files: readSubfolder(folder, 'files'),
  }
}

/** Whether a part that is a folder, and there, holds more than what every start makes. */
export function holdsFiles(folder: string, part: FolderPart): boolean {
  return readdirSync(join(folder, part.name)).some((name) => name !== 'incoming')
}

/** Gives a part its mark, durable on return; the part must be there. */
export function writeMark(folder: string, part: FolderPart, mark: number): void {
  const path = join(folder, part.name)
  if (!part.name.endsWith('.db')) {
    realDisk.writeWhole(join(path, MARK_FILE), Buffer.from(`${mark}\n`))
    return
  }
  using db = new DatabaseSync(path, { timeout: BUSY_MS })
  db.exec('PRAGMA synchronous = FULL')
  if (part.name === 'catalog.db') migrateCatalog(db)
  db.exec('BEGIN IMMEDIATE')
  const write = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)')
  if (part.name === 'catalog.db' && part.mark !== undefined) write.run(FORMER_MARK, part.mark)
  write.run(MARK, mark)
  db.exec('COMMIT')
}

interface DatabaseQueries {
  readonly isIdle: boolean
  readonly name: string
  readonly table: string
  readonly handleQuery: string
  readonly progressQuery: string
}

function readDatabase(
  folder: string,
  { isIdle, name, table, handleQuery, progressQuery }: DatabaseQueries,
): FolderPart {
  const empty = { name, mark: undefined, formerMark: undefined, handle: 0, progress: 0 }
  const nothing = { ...empty, isThere: false }
  const file = join(folder, name)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isDirectory()) {
    throw new FolderDamaged(`${file} is a folder and should be a file: restore it from a backup`)
  }
  if (found === undefined || found.size === 0) return nothing
  try {
    using db = isIdle
      ? openIdle(file)
      : new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
    const value = (query: string, ...given: string[]): number | undefined =>
      (db.prepare(query).get(...given) as { value: number | null } | undefined)?.value ?? undefined
    const has = (one: string) =>
      value('SELECT 1 AS value FROM sqlite_schema WHERE name = ?', one) !== undefined
    if (!has(table)) return nothing
    const meta = (one: string) =>
      has('meta') ? value('SELECT value FROM meta WHERE name = ?', one) : undefined
    const handle = handleOf(() => value(handleQuery), name) ?? 0
    // A catalog of format 9 has its last change there too, and nothing else when the log is empty.
    const counted = has('sqlite_sequence')
      ? value(`SELECT seq AS value FROM sqlite_sequence WHERE name = 'change'`)
      : undefined
    const progress = Math.max(value(progressQuery) ?? 0, counted ?? 0)
    return {
      name,
      isThere: true,
      mark: meta(MARK),
      formerMark: meta(FORMER_MARK),
      handle,
      progress,
    }
  } catch (error) {
    throw damageOf(error, file) ?? error
  }
}

/** Pages of samples.db that cannot be read cost their samples, not the start. */
function handleOf(look: () => number | undefined, name: string): number | undefined {
  try {
    return look()
  } catch (error) {
    if (name !== 'samples.db' || !isDamagedFile(error)) throw error
    return undefined
  }
}

function readSubfolder(folder: string, name: string): FolderPart {
  const file = join(folder, name, MARK_FILE)
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const mark = /^\d{1,15}$/.test(text) ? Number(text) : undefined
  const isThere = existsSync(join(folder, name))
  return { name, isThere, mark, formerMark: undefined, handle: 0, progress: 0 }
}
