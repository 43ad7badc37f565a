import assert from 'node:assert/strict'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openFiles } from '../../../../test/support/open-files.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { letGoOfFreePages } from './free-list-table.ts'

/** Makes a file with unused pages. With `firstPage`, its header says that the list of them begins there. */
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

const handlesOf = (path: string) => openFiles().filter((open) => open === path).length

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

test('letGoOfFreePages() changes nothing while a read keeps the log', () => {
  using db = makeFile()
  using reader = new DatabaseSync(String(db.location()))
  reader.exec('BEGIN; SELECT count(*) FROM t')
  db.exec('INSERT INTO t VALUES (1)')
  const unused = unusedIn(db)
  assert.equal(letGoOfFreePages(db), undefined)
  assert.equal(unusedIn(db), unused)
})
