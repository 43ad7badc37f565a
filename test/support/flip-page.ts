/** Flips single bits in pages of an SQLite file, by what the page is for. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** A page of a tree: where it begins in the file, and how much of it is its list of cells. */
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
      ...page,
      tree,
      usedBytes: Math.min(page.bytes, page.payload + page.cells * CELL_HEADER_BYTES),
      structureBytes: page.kind === 'overflow' ? 4 : 12 + 2 * page.cells,
    })),
  )
}

/**
 * Where keys of a page of an index begin whose first column takes bytes of its own, those that a search
 * meets first before the others.
 */
export function listKeys(file: string, page: TreePage, countMax: number): number[] {
  const opened = openSync(file, 'r')
  const bytes = Buffer.alloc(page.bytes)
  readSync(opened, bytes, 0, page.bytes, page.offset)
  closeSync(opened)
  const isInner = page.kind === 'internal'
  const cells = bytes.readUInt16BE(3)
  const found: number[] = []
  for (let step = cells / 2; step >= 0.5; step /= 2) {
    for (let at = step; at < cells && found.length < countMax; at += 2 * step) {
      const pointer = (isInner ? 12 : 8) + 2 * Math.floor(at)
      // The page on the left, and the length of the key, which is short.
      const cell = bytes.readUInt16BE(pointer) + (isInner ? 4 : 0) + 1
      if (bytes[cell + 1] < 8) found.push(page.offset + cell + bytes[cell])
    }
  }
  return found
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

/** Makes an overflow page go on with another page. */
export function setNextPage(file: string, page: TreePage, next: TreePage): void {
  const number = Buffer.alloc(4)
  number.writeUInt32BE(next.offset / next.bytes + 1)
  const opened = openSync(file, 'r+')
  writeSync(opened, number, 0, 4, page.offset)
  closeSync(opened)
}
