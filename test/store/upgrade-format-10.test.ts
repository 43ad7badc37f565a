import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { checkFolder, migrateFolder, openCatalogStore } from '../../src/store/embedded/index.ts'
import type { CatalogStore, StoredComponent, StoredStream } from '../../src/store/index.ts'
import {
  componentFields,
  createOf,
  putComponent,
  putStream,
} from '../contract/catalog-components.ts'
import { conflictOn, usageOf } from '../contract/catalog-outcomes.ts'
import { fingerprint } from '../support/old-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()
const fixture = (name: string) =>
  readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')

/** What commit 164812f2 answered of the catalog that it left in format 10. */
const ANSWERS = JSON.parse(fixture('catalog-format-10.json')) as {
  readonly addressed: readonly (readonly [address: string, found?: StoredComponent | null])[]
  readonly streams: readonly StoredStream[]
}

/** A folder with that catalog. */
function oldFolder(name: string): string {
  const folder = join(root, name)
  mkdirSync(folder)
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  db.exec(fixture('catalog-format-10.sql'))
  return folder
}

async function assertWhole(store: CatalogStore): Promise<void> {
  for (const [address, found] of ANSWERS.addressed) {
    const [component] = await store.components.findAddressed('org', [address])
    assert.deepEqual(component, found ?? undefined, address)
  }
  for (const stream of ANSWERS.streams) {
    assert.deepEqual(await store.components.getStream('org', stream.uid), stream)
    const [found] = await store.components.findSeries('org', [stream.series ?? {}])
    assert.deepEqual(found, stream)
  }
}

test('a catalog of format 10 is opened with all it holds, and its rows can be changed', async () => {
  const folder = oldFolder('whole')
  assert.deepEqual(migrateFolder(folder), [{ name: 'catalog.db', from: 10, to: 11 }])
  const opened = await openCatalogStore({ folder })
  await assertWhole(opened)
  await opened.close()
  const store = await openCatalogStore({ folder })
  await assertWhole(store)
  for (const address of ['a1', 'c1']) {
    const taking = createOf([['other', []]], { addressedAs: [['other', address]] })
    const refused = conflictOn(`addressed_as:${address}`, taking.uid)
    await assert.rejects(store.commit([taking]), refused)
  }
  const [uid, renamed] = ['a1', 'c1'].map((one) => {
    return ANSWERS.addressed.find(([address]) => address === one)?.[1]?.uid ?? assert.fail(one)
  })
  const before = await usageOf(store, 'component')
  // Written back as they were.
  const { addressedAs } = ANSWERS.addressed[0][1] as StoredComponent
  const fields = componentFields('a1', { addressedAs })
  await store.commit([putComponent(uid, fields, { expectedRevision: 'any' })])
  const [stream] = ANSWERS.streams
  const { revision: _, ...rest } = stream
  await store.commit([putStream(stream.uid, rest, { expectedRevision: 'any' })])
  assert.deepEqual(await usageOf(store, 'component'), before)
  const [found] = await store.components.findAddressed('org', ['a1'])
  assert.deepEqual([found?.uid, found?.addressedAs], [uid, ['a1']])
  const again = await store.components.getStream('org', stream.uid)
  assert.deepEqual(again, { ...rest, revision: 2 })
  const freed = createOf([['c1', []]], { addressedAs: [['c1']] })
  const letGo = putComponent(renamed, componentFields('c2'), { expectedRevision: 'any' })
  await store.commit([freed, letGo])
  assert.equal((await store.components.findAddressed('org', ['c1']))[0]?.uid, freed.uid)
  await store.close()
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  assert.deepEqual(
    db
      .prepare('SELECT claim FROM claim WHERE length(claim) < 40')
      .all()
      .map(({ claim }) => claim),
    ['addressed_as:b b'],
  )
})

test('a catalog of format 10 that does not fit is refused, and the folder is unchanged', () => {
  const folder = oldFolder('damaged')
  {
    using db = new DatabaseSync(join(folder, 'catalog.db'))
    db.exec('PRAGMA journal_mode = WAL; UPDATE scope SET crc = crc + 1')
  }
  const before = fingerprint(folder)
  assert.throws(() => checkFolder(folder), /catalog\.db in .* is damaged/)
  assert.deepEqual(fingerprint(folder), before)
})
