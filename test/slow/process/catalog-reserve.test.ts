/** What is kept back for a full disk is small at first, grows with the catalog, and is enough. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { countedUidOf, newUid } from '../../../src/base/index.ts'
import { openCatalogStore } from '../../../src/store/embedded/index.ts'
import type {
  CatalogStore,
  CatalogWrite,
  CreateComponents,
  PutDocument,
} from '../../../src/store/index.ts'
import {
  componentFields,
  createOf,
  putComponent,
  putStream,
  streamFields,
} from '../../contract/catalog-components.ts'
import { fillDisk, mountDisk } from '../../support/small-disk.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MIB = 1024 * 1024

function session(uid: string): PutDocument {
  const body = { note: uid.repeat(60) }
  const key = { op: 'put', orgUid: 'org', kind: 'session', uid } as const
  return { ...key, body, expectedRevision: 0, mayUseReserve: true }
}

/** Devices with a long name each. */
function devices(name: string, count: number): CreateComponents {
  const ids = Array.from({ length: count }, (_, at) => `${name}-${at}`)
  const names = ids.map((id) => id.repeat(60))
  return createOf(
    ids.map((id) => [id, ['s']]),
    { names },
  )
}

const reserveBytes = (folder: string): number => statSync(join(folder, 'reserve')).size

/** Makes a catalog large. */
async function makeMany(store: CatalogStore): Promise<void> {
  for (let at = 0; at < 150; at += 1) await store.commit([devices(`c${at}`, 20)])
}

test('the reserve of a full disk is 1 MB, and 4 MB once the catalog was written much', async () => {
  const folder = temporaryFolder()
  const store = await openCatalogStore({ folder, hasReserve: true })
  await store.commit([session('first')])
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
    const there = devices('there', 500)
    await store.commit([there])
    assert.equal(reserveBytes(folder), isGrown ? 4 * MIB : MIB)
    fillDisk(disk.folder)
    let made = 0
    const fill = async (): Promise<void> => {
      for (; made < 20_000; made += 1) await store.commit([devices(`late-${made}`, 1)])
    }
    await assert.rejects(fill(), /full/)
    const key = { orgUid: 'org', kind: 'session', expectedRevision: 'any' } as const
    for (let at = 0; at < 1_000; at += 1) {
      await store.commit([session(`s${at}`)])
      if (at >= 200) await store.commit([{ op: 'delete', ...key, uid: `s${at - 200}` }])
    }
    const [uid] = there.uids
    const stream = { ...streamFields('more'), componentUid: uid }
    const component = componentFields('there-0', { name: 'changed' })
    const any = { expectedRevision: 'any' } as const
    const isFull = (writes: CatalogWrite[]) => assert.rejects(store.commit(writes), /full/)
    await isFull([devices('more', 1)])
    await isFull([putStream(newUid(), stream)])
    await isFull([putComponent(uid, component, any)])
    // A user who frees space may change and delete the files.
    await store.commit([putComponent(uid, component, { ...any, mayUseReserve: true })])
    for (const one of there.uids) {
      const remove = { op: 'delete', orgUid: 'org', ...any } as const
      await store.commit([
        { ...remove, kind: 'stream', uid: countedUidOf(one, 1) },
        { ...remove, kind: 'component', uid: one },
      ])
    }
    assert.equal(await store.components.get('org', uid), undefined)
  })
}
