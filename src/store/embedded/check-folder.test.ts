import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { epochMs } from '../../base/index.ts'
import type { StreamHandle } from '../sample-port.ts'
import { openCatalogStore } from './catalog-store.ts'
import { checkFolder, FolderDamaged } from './check-folder.ts'
import { openSampleStore } from './open-sample-store.ts'

async function addSample(folder: string, handle: number): Promise<void> {
  const store = await openSampleStore({ folder })
  await store.append({
    ...{ count: 1, handles: Uint32Array.of(handle), times: Float64Array.of(epochMs(1)) },
    ...{ numbers: Float64Array.of(5), removals: [] },
  })
  await store.sealAll()
  await store.close()
}

async function addStreams(folder: string, count: number): Promise<StreamHandle | undefined> {
  const store = await openCatalogStore({ folder })
  const documents = await store.commit(
    Array.from({ length: count }, (_, at) => ({
      ...({ op: 'put', orgUid: 'o', kind: 'stream', uid: `s${at}`, body: {} } as const),
      ...{ expectedRevision: 0 },
    })),
  )
  await store.close()
  return documents.at(-1)?.handle
}

test('checkFolder() refuses a catalog that does not know the streams of the samples', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-check-'))
  t.after(() => rmSync(folder, { recursive: true }))
  checkFolder(folder)
  const handle = await addStreams(folder, 3)
  assert.ok(handle !== undefined)
  checkFolder(folder)
  await addSample(folder, handle)
  checkFolder(folder)
  for (const name of ['catalog.db', 'catalog.db-wal', 'catalog.db-shm']) {
    rmSync(join(folder, name), { force: true })
  }
  const isOlder = (error: unknown) => error instanceof FolderDamaged && /older/.test(error.message)
  assert.throws(() => checkFolder(folder), isOlder)
  await addStreams(folder, 2)
  assert.throws(() => checkFolder(folder), isOlder)
})

test('checkFolder() names the file that is no database', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-check-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'samples.db'), 'x'.repeat(8_192))
  assert.throws(
    () => checkFolder(folder),
    (error) => error instanceof FolderDamaged && /samples\.db cannot be read/.test(error.message),
  )
})
