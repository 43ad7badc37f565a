/** Damages single cells of a b-tree in an SQLite file, as a flipped bit on the disk does. */
import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const LEAF_OF_TABLE = 0x0d
const LEAF_OF_INDEX = 0x0a

/** Makes a cell of a table or index claim a wrong length; its tree must be one page. */
export function damageCell(file: string, name: string, cell: number): void {
  const { root, pageBytes } = readPlace(file, name)
  const bytes = readFileSync(file)
  const page = (root - 1) * pageBytes
  const kind = bytes[page]
  if (kind !== LEAF_OF_TABLE && kind !== LEAF_OF_INDEX) {
    throw new Error(`${name} is more than one page: ${kind}`)
  }
  const at = page + bytes.readUInt16BE(page + 8 + cell * 2)
  // The first byte of a varint: the length goes on in the next bytes, and is beyond all reason.
  bytes[at] = 0xff
  bytes[at + 1] |= 0x80
  writeFileSync(file, bytes)
}

function readPlace(file: string, name: string): { root: number; pageBytes: number } {
  using db = new DatabaseSync(file)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const query = 'SELECT rootpage AS root FROM sqlite_schema WHERE name = ?'
  const { root } = db.prepare(query).get(name) as { root: number }
  const { page_size: pageBytes } = db.prepare('PRAGMA page_size').get() as { page_size: number }
  return { root, pageBytes }
}
