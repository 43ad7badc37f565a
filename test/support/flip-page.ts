/** Flips single bits in pages of an SQLite file, by what the page is for. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** A page of a tree: where it begins in the file, and how much of it tells where things are. */
export interface TreePage {
  readonly tree: string
  readonly kind: 'internal' | 'leaf' | 'overflow'
  readonly offset: number
  readonly bytes: number
  /** Header and cell pointers; of an overflow page the number of the next. */
  readonly structureBytes: number
  /** What cells take, at the end of the page. */
  readonly usedBytes: number
}

type ListedPage = Pick<TreePage, 'kind' | 'offset' | 'bytes'> & { cells: number; payload: number }

/** A length, and in inner pages the number of another. */
const CELL_HEADER_BYTES = 5

/** The pages of some trees of a file that nobody has open. */
export function listPages(file: string, trees: readonly string[]): TreePage[] {
  using db = new DatabaseSync(file)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const pages = db.prepare(
    'SELECT pagetype AS kind, ncell AS cells, pgoffset AS offset, pgsize AS bytes, payload FROM dbstat WHERE name = ?',
  )
  return trees.flatMap((tree) =>
    (pages.all(tree) as unknown as ListedPage[]).map((page) => ({
      ...{ ...page, tree },
      usedBytes: Math.min(page.bytes, page.payload + page.cells * CELL_HEADER_BYTES),
      structureBytes: page.kind === 'overflow' ? 4 : 12 + 2 * page.cells,
    })),
  )
}

/** Turns one bit of a file. */
export function flipBit(file: string, at: number, bit: number): void {
  const opened = openSync(file, 'r+')
  const byte = Buffer.alloc(1)
  readSync(opened, byte, 0, 1, at)
  byte[0] ^= 1 << bit
  writeSync(opened, byte, 0, 1, at)
  closeSync(opened)
}
