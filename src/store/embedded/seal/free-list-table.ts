/** The list of unused pages of samples.db, as SQLite keeps it: https://www.sqlite.org/fileformat2.html. */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { FoundDamage } from '../damage/found-damage.ts'

/** Where the first page names the first page of the list and its length. */
const LIST_AT = 32
const HEADER_BYTES = 40
const NUMBER_BYTES = 4

const DAMAGE: FoundDamage = {
  damage: {
    file: 'samples.db.free_pages',
    offset: 0,
    bytes: 0,
    handles: [],
    from: undefined,
    until: undefined,
    what: 'the list of unused pages does not check; they are left unused',
  },
  bytes: new Uint8Array(0),
}

/**
 * Empties the list of unused pages of a damaged file, so that nothing is written over a page that it names
 * by mistake; the pages stay unused. Returns the damage where the list itself is found to be wrong. Does
 * nothing while a long read keeps the log from being emptied.
 */
export function letGoOfFreePages(db: DatabaseSync): FoundDamage | undefined {
  const path = db.location()
  if (path === null || db.isTransaction) return undefined
  const emptied = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
  if (emptied.busy !== 0) return undefined
  const file = openSync(path, 'r+')
  try {
    const header = readAt(file, 0, HEADER_BYTES)
    if (header.readUInt32BE(LIST_AT) === 0 && header.readUInt32BE(LIST_AT + NUMBER_BYTES) === 0) {
      return undefined
    }
    const isWhole = isListWhole(file, header)
    writeSync(file, new Uint8Array(2 * NUMBER_BYTES), 0, 2 * NUMBER_BYTES, LIST_AT)
    fsyncSync(file)
    writeFirstPage(path)
    return isWhole ? undefined : DAMAGE
  } finally {
    closeSync(file)
  }
}

/** Brings the first page into the log, by which every connection forgets the one that it knows. */
function writeFirstPage(path: string): void {
  using db = new DatabaseSync(path, { timeout: 5_000 })
  db.exec('PRAGMA synchronous = FULL')
  const { user_version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  db.exec(`PRAGMA user_version = ${user_version}`)
}

/** Whether the list names as many pages as the first page says, each once and inside the file. */
function isListWhole(file: number, header: Buffer): boolean {
  const size = header.readUInt16BE(16)
  const pageBytes = size === 1 ? 65_536 : size
  const pages = header.readUInt32BE(28)
  const count = header.readUInt32BE(LIST_AT + NUMBER_BYTES)
  const seen = new Set<number>()
  const isNext = (page: number): boolean => {
    if (page < 2 || page > pages || seen.has(page)) return false
    seen.add(page)
    return true
  }
  for (let trunk = header.readUInt32BE(LIST_AT); trunk !== 0; ) {
    if (seen.size >= count || !isNext(trunk)) return false
    const page = readAt(file, (trunk - 1) * pageBytes, pageBytes)
    if (page.length < pageBytes) return false
    const leaves = page.readUInt32BE(NUMBER_BYTES)
    if (leaves > pageBytes / NUMBER_BYTES - 2) return false
    for (let leaf = 0; leaf < leaves; leaf += 1) {
      if (!isNext(page.readUInt32BE((2 + leaf) * NUMBER_BYTES))) return false
    }
    trunk = page.readUInt32BE(0)
  }
  return seen.size === count
}

function readAt(file: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  return buffer.subarray(0, readSync(file, buffer, 0, bytes, at))
}
