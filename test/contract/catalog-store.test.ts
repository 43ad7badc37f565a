import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { ManualClock } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { isNightly } from '../support/random.ts'
import { catalogStoreContract } from './catalog-store-contract.ts'
import type { CatalogStoreHome } from './catalog-store-home.ts'

async function makeHome(): Promise<CatalogStoreHome & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-catalog-'))
  const clock = new ManualClock(1_700_000_000_000)
  return {
    folder,
    clock,
    share: isNightly ? 1 : 0.75,
    open: () => openCatalogStore({ folder, clock }),
    dispose: () => rm(folder, { recursive: true, force: true }),
  }
}

catalogStoreContract('embedded catalog', makeHome)

test('openCatalogStore() makes a durable database that any sqlite3 reads', async () => {
  const home = await makeHome()
  const store = await home.open()
  await store.commit([
    { op: 'put', orgUid: 'o', kind: 'unit', uid: 'u', body: { a: 1 }, expectedRevision: 0 },
  ])
  const db = new DatabaseSync(join(home.folder, 'catalog.db'), { readOnly: true })
  assert.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal')
  assert.equal(db.prepare('PRAGMA page_size').get()?.page_size, 4096)
  assert.match(
    String(db.prepare('SELECT body FROM document').get()?.body),
    /^[0-9a-f]{8}\{"a":1\}$/,
  )
  db.close()
  await store.close()
  await home.dispose()
})

test('openCatalogStore() refuses a database of a later schema and changes nothing', async () => {
  const home = await makeHome()
  const file = join(home.folder, 'catalog.db')
  const later = new DatabaseSync(file)
  later.exec('PRAGMA user_version = 999')
  later.close()
  await assert.rejects(home.open(), (error: Error) =>
    /has format 999/.test(`${error.message} ${(error.cause as Error)?.message}`),
  )
  const after = new DatabaseSync(file)
  assert.equal(after.prepare('PRAGMA user_version').get()?.user_version, 999)
  assert.deepEqual(after.prepare('SELECT * FROM sqlite_schema').all(), [])
  after.close()
  await home.dispose()
})

test('commit() rejects once the store is closed', async () => {
  const home = await makeHome()
  const store = await home.open()
  await store.close()
  await assert.rejects(store.commit([]), /Cannot write the catalog/)
  await store.close()
  await home.dispose()
})
