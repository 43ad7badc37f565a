import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { newUid } from '../../src/base/index.ts'
import { applyJob } from '../../src/store/embedded/catalog/catalog-apply.ts'
import { CatalogWriteTable } from '../../src/store/embedded/catalog/catalog-write-table.ts'
import { openCatalogFile } from '../../src/store/embedded/catalog/open-catalog-file.ts'
import { ordersOf } from '../../src/store/embedded/catalog/write-orders.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import type { CatalogWrite, CreateComponents } from '../../src/store/index.ts'
import { createOf, putStream, streamFields } from '../contract/catalog-components.ts'
import { scanAll } from '../contract/catalog-scanned.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

/** Devices with two streams each, in a folder and of a time zone of their own. */
function devices(name: string, count: number): CreateComponents {
  const ids = Array.from({ length: count }, (_, at) => `${name}-${at}`)
  const common = { ...createOf([]).common, folder: `/${name}`, timeZone: `Etc/${name}` }
  const labels = ids.flatMap((id) => [{ host: id }, undefined])
  const each = ids.map((id): [string, string[]] => [id, ['s1', 's2']])
  return createOf(each, { common, labels, addressedAs: ids.map((id) => [`x:${id}`]) })
}

function commit(table: CatalogWriteTable, writes: readonly CatalogWrite[]): void {
  const orders = [...ordersOf(writes)]
  const job = { type: 'commit', id: 1, orders, lease: undefined, limits: [] } as const
  table.begin()
  try {
    table.atomically(() => applyJob(table, job))
    table.commit()
  } catch (error) {
    table.rollback()
    throw error
  }
}

function allowPages(db: DatabaseSync, more: number): void {
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number }
  db.exec(`PRAGMA max_page_count = ${pages + more}`)
}

test('devices that connect when the disk is full leave no partial records, and connect later', async () => {
  const folder = join(root, 'devices')
  await (await openCatalogStore({ folder })).close()
  const db = openCatalogFile(join(folder, 'catalog.db'))
  const table = new CatalogWriteTable(db)
  const before = devices('before', 5)
  commit(table, [before])
  for (const more of [0, 1, 3, 10, 30]) {
    allowPages(db, more)
    // The texts that these share are among what comes to nothing.
    const tooMany = devices(`full-${more}`, 5_000)
    assert.throws(() => commit(table, [tooMany]), { errcode: 13 }, `${more} pages`)
    const streams = Array.from({ length: 5_000 }, (_, at) => {
      const fields = streamFields(`more-${at}`, { series: { of: `${at}` } })
      return putStream(newUid(), { ...fields, componentUid: before.uid })
    })
    assert.throws(() => commit(table, streams), { errcode: 13 }, `${more} pages`)
  }
  allowPages(db, 1_000_000)
  commit(table, [devices('after', 20)])
  db.close()
  const reported: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => reported.push(what) })
  const usage = Object.fromEntries((await store.usage('org')).map((one) => [one.kind, one]))
  assert.deepEqual([usage.component.documents, usage.stream.documents], [25, 50])
  const { components, streams } = await scanAll(store)
  assert.deepEqual(
    [...streams.values()].map(({ handle }) => handle),
    Array.from({ length: 50 }, (_, at) => at + 1),
  )
  assert.equal(components.size, 25)
  const page = await store.components.list({ orgUid: 'org', start: 0, limit: 99 })
  assert.equal(page.components.length, 25)
  const { changes } = await store.changesSince(0, 1_000)
  assert.equal(changes.length, 25)
  assert.ok(changes.every(({ streamCount }) => streamCount === 2))
  assert.equal(await store.components.findById('org', 'full-0-1'), undefined)
  assert.deepEqual(await store.components.findAddressed('org', ['x:full-0-1']), [undefined])
  assert.equal((await store.components.findAddressed('org', ['x:after-1']))[0]?.id, 'after-1')
  await store.close()
  assert.deepEqual(reported, [])
})
