import assert from 'node:assert/strict'
import { closeSync, openSync, readdirSync, readlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { letGoOfFreePages } from './free-list-table.ts'

/** A file with unused pages, whose list is said to begin at this page when one is given. */
function makeFile(firstPage?: number): DatabaseSync {
  const path = join(temporaryFolder(), 'samples.db')
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA journal_mode = WAL; CREATE TABLE t (a);
    INSERT INTO t SELECT randomblob(900) FROM json_each('[${'1,'.repeat(99)}1]');
    DELETE FROM t; PRAGMA wal_checkpoint(TRUNCATE)`)
  assert.ok(unusedIn(db) > 10)
  if (firstPage === undefined) return db
  db.close()
  const file = openSync(path, 'r+')
  writeSync(file, new Uint8Array([0, 0, 0, firstPage]), 0, 4, 32)
  closeSync(file)
  return new DatabaseSync(path)
}

function unusedIn(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA freelist_count').get()?.freelist_count)
}

function handlesOf(path: string): number {
  const names = readdirSync('/proc/self/fd').map((handle) => {
    try {
      return readlinkSync(`/proc/self/fd/${handle}`)
    } catch {
      return ''
    }
  })
  return names.filter((name) => name === path).length
}

for (const [what, firstPage] of [
  ['whole', undefined],
  ['damaged', 1],
] as const) {
  test(`letGoOfFreePages() empties a list that is ${what}, and keeps no handle of the file`, () => {
    using db = makeFile(firstPage)
    const path = String(db.location())
    const found = letGoOfFreePages(db)
    assert.equal(found === undefined, what === 'whole')
    assert.equal(unusedIn(db), 0)
    // SQLite itself keeps one that it may use again, as closing it would end the locks of the process.
    const handles = handlesOf(path)
    assert.equal(letGoOfFreePages(db), undefined)
    assert.equal(handlesOf(path), handles)
  })
}

test('letGoOfFreePages() opens no file while a read keeps the log, and changes nothing', () => {
  using db = makeFile()
  using reader = new DatabaseSync(String(db.location()))
  reader.exec('BEGIN; SELECT count(*) FROM t')
  db.exec('INSERT INTO t VALUES (1)')
  const unused = unusedIn(db)
  assert.equal(letGoOfFreePages(db), undefined)
  assert.equal(unusedIn(db), unused)
})
