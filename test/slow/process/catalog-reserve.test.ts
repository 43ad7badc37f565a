/** What is kept back for a full disk is small at first, grows with the catalog, and is enough. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openCatalogStore } from '../../../src/store/embedded/index.ts'
import type { CatalogStore, PutDocument } from '../../../src/store/index.ts'
import { fillDisk, mountDisk } from '../../support/small-disk.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MIB = 1024 * 1024

function put(kind: string, uid: string, more: Partial<PutDocument> = {}): PutDocument {
  const body = { note: uid.repeat(60) }
  return { op: 'put', orgUid: 'org', kind, uid, body, expectedRevision: 0, ...more }
}

const reserveBytes = (folder: string): number => statSync(join(folder, 'reserve')).size

/** Makes a catalog large. */
async function makeMany(store: CatalogStore): Promise<void> {
  for (let at = 0; at < 150; at += 1) {
    const orders = Array.from({ length: 20 }, (_, index) => put('component', `c${at}-${index}`))
    await store.commit(orders)
  }
}

test('the reserve of a full disk is 1 MB, and 4 MB once the catalog was written much', async () => {
  const folder = temporaryFolder()
  const store = await openCatalogStore({ folder, hasReserve: true })
  await store.commit([put('session', 'first', { mayUseReserve: true })])
  assert.equal(reserveBytes(folder), MIB)
  await makeMany(store)
  assert.equal(reserveBytes(folder), 4 * MIB)
  await store.close()
  const again = await openCatalogStore({ folder, hasReserve: true })
  assert.equal(reserveBytes(folder), 4 * MIB)
  await again.close()
})

for (const isGrown of [false, true]) {
  test(`on a full disk a thousand sessions go on from a reserve that is ${isGrown ? 'grown' : 'small'}`, async (t) => {
    const disk = mountDisk(t)
    if (disk === undefined) return
    const folder = join(disk.folder, 'data')
    const store = await openCatalogStore({ folder, hasReserve: true })
    t.after(() => store.close())
    if (isGrown) await makeMany(store)
    assert.equal(reserveBytes(folder), isGrown ? 4 * MIB : MIB)
    fillDisk(disk.folder)
    let made = 0
    const fill = async (): Promise<void> => {
      for (; made < 20_000; made += 1) await store.commit([put('component', `late-${made}`)])
    }
    await assert.rejects(fill(), /full/)
    const key = { orgUid: 'org', kind: 'session', expectedRevision: 'any' } as const
    for (let at = 0; at < 1_000; at += 1) {
      await store.commit([put('session', `s${at}`, { mayUseReserve: true })])
      if (at >= 200) await store.commit([{ op: 'delete', ...key, uid: `s${at - 200}` }])
    }
    await assert.rejects(store.commit([put('component', 'more')]), /full/)
  })
}
