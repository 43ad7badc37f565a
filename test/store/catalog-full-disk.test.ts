import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { memberUidOf, newFamilyUid } from '../../src/base/index.ts'
import { applyJob } from '../../src/store/embedded/catalog/catalog-apply.ts'
import type { WriteOrder } from '../../src/store/embedded/catalog/catalog-protocol.ts'
import { CatalogWriteTable } from '../../src/store/embedded/catalog/catalog-write-table.ts'
import { packedOrderOf } from '../../src/store/embedded/catalog/family/packed-order.ts'
import { ShapeTaker } from '../../src/store/embedded/catalog/family/shape-taker.ts'
import { openCatalogFile } from '../../src/store/embedded/catalog/open-catalog-file.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import type { PutDocument } from '../../src/store/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

const taker = new ShapeTaker()

function ordersOf(puts: readonly PutDocument[]): WriteOrder[] {
  return puts.map((put) => {
    const order = packedOrderOf(put, taker)
    assert.ok(order !== undefined)
    return order
  })
}

/** A fleet of devices with two streams each. */
function fleet(name: string, count: number): WriteOrder[] {
  const puts = Array.from({ length: count }, (_, at): PutDocument[] => {
    const uid = newFamilyUid()
    const put = { op: 'put', orgUid: 'org', expectedRevision: 0, index: 'x' } as const
    const id = `${name}-${at}`
    const streams = [1, 2].map((ordinal): PutDocument => {
      const streamUid = memberUidOf(uid, ordinal)
      return { ...put, kind: 'stream', uid: streamUid, parentUid: uid, body: { id: `s${ordinal}` } }
    })
    const claims = [`component_id:${id}`]
    return [{ ...put, kind: 'component', uid, listKey: `/${id}`, claims, body: { id } }, ...streams]
  })
  return ordersOf(puts.flat())
}

function commit(table: CatalogWriteTable, orders: WriteOrder[]): void {
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

test('a fleet that signs on when the disk is full leaves nothing half made, and signs on later', async () => {
  const folder = join(root, 'fleet')
  await (await openCatalogStore({ folder })).close()
  const db = openCatalogFile(join(folder, 'catalog.db'))
  const table = new CatalogWriteTable(db)
  commit(table, fleet('before', 5))
  for (const more of [0, 1, 3, 10, 30]) {
    allowPages(db, more)
    // The shapes of this fleet are among what comes to nothing.
    const tooMany = fleet(`full-${more}`, 5_000)
    assert.throws(() => commit(table, tooMany), { errcode: 13 }, `${more} pages`)
  }
  allowPages(db, 1_000_000)
  commit(table, fleet('after', 20))
  db.close()
  const told: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
  const usage = Object.fromEntries((await store.usage('org')).map((one) => [one.kind, one]))
  assert.deepEqual([usage.component.documents, usage.stream.documents], [25, 50])
  const handles: (number | undefined)[] = []
  const { isWhole } = await store.scanIndex(['stream'], {
    onRow: ({ handle }) => handles.push(handle),
  })
  assert.deepEqual(
    handles,
    Array.from({ length: 50 }, (_, at) => at + 1),
  )
  const { documents } = await store.list({ orgUid: 'org', kind: 'component', start: 0, limit: 99 })
  assert.deepEqual([isWhole, documents.length], [true, 25])
  assert.equal((await store.changesSince(0, 1_000)).changes.length, 75)
  assert.equal(await store.findByClaim('org', 'component_id:full-0-1'), undefined)
  await store.close()
  assert.deepEqual(told, [])
})
