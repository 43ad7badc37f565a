/** What the catalog does about components and streams that a start could not read. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { WantedComponent } from '../../src/catalog/create/index.ts'
import { type Catalog, openCatalog } from '../../src/catalog/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { CatalogDamaged } from '../../src/store/index.ts'
import { ownerOf, people } from '../support/catalog.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ORG = 'org-1'

function want(compId: string, streamIds: readonly string[]): WantedComponent {
  const streams = streamIds.map((streamId) => ({ streamId, valueType: 'DOUBLE' as const }))
  return { compId, rules: {}, streams }
}

/** Damages a catalog with three components, and opens it again. */
async function withDamage(
  sql: string,
  body: (catalog: Catalog, uids: readonly string[], reported: readonly string[]) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder()
  const first = await openCatalogStore({ folder })
  const made = await (await openCatalog({ store: first, people })).autoCreate(
    ORG,
    ['boiler', 'pump', 'valve'].map((id) => want(id, ['t', 'p'])),
  )
  await first.close()
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  assert.ok(db.prepare(sql).run().changes > 0, sql)
  db.close()
  const reported: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => reported.push(what) })
  const uids = made.map(({ component }) => component.uid)
  try {
    await body(await openCatalog({ store, people }), uids, reported)
  } finally {
    await store.close()
  }
}

const componentDamages = [
  'UPDATE component SET crc = crc + 1 WHERE ref = 2',
  'UPDATE component SET zone = 99 WHERE ref = 2',
]

for (const sql of componentDamages) {
  test(`a component with a wrong checksum is reported as damaged and not recreated: ${sql}`, () =>
    withDamage(sql, async (catalog, [boiler, pump], reported) => {
      assert.ok(reported.length > 0)
      const { index } = catalog
      assert.throws(() => index.resolveComponent(ORG, 'pump'), CatalogDamaged)
      assert.throws(() => index.componentByUid(ORG, pump), CatalogDamaged)
      await assert.rejects(catalog.autoCreate(ORG, [want('pump', ['t'])]), CatalogDamaged)
      await assert.rejects(
        catalog.autoCreate(ORG, [want('new', ['t']), want('pump', [])]),
        CatalogDamaged,
      )
      assert.equal(index.resolve(ORG, 'pump', 't'), 0)
      // All else goes on.
      assert.equal(index.componentByUid(ORG, boiler)?.streamCount, 2)
      const [more, fresh] = await catalog.autoCreate(ORG, [
        want('boiler', ['t', 'q']),
        want('new', ['t']),
      ])
      assert.deepEqual([more.isNewStream, fresh.isNew], [[false, true], true])
      assert.ok(fresh.handles[0] > 6)
      const record = await catalog.components.get(ownerOf(ORG), boiler)
      assert.deepEqual(
        record.stream?.map(({ id }) => id),
        ['t', 'p', 'q'],
      )
    }))
}

const streamDamages = [
  'UPDATE stream SET handle = handle + 1 WHERE component = 2 AND ordinal = 1',
  `UPDATE stream SET id = 'other' WHERE component = 2 AND ordinal = 1`,
  'UPDATE stream SET component = 900 WHERE component = 2 AND ordinal = 1',
]

for (const sql of streamDamages) {
  test(`a stream with a wrong checksum is reported as damaged and not recreated: ${sql}`, () =>
    withDamage(sql, async (catalog, [boiler, pump], reported) => {
      assert.ok(reported.length > 0)
      const { index } = catalog
      const entry = index.resolveComponent(ORG, 'pump')
      assert.equal(entry?.uid, pump)
      assert.throws(() => index.resolveStream(entry, 't'), CatalogDamaged)
      assert.throws(() => entry.streams, CatalogDamaged)
      assert.ok(index.resolveStream(entry, 'p') > 0)
      for (const id of ['t', 'other', 'new']) {
        await assert.rejects(catalog.autoCreate(ORG, [want('pump', [id])]), CatalogDamaged)
      }
      const [same] = await catalog.autoCreate(ORG, [want('pump', ['p'])])
      assert.deepEqual(same.isNewStream, [false])
      assert.equal(index.componentByUid(ORG, boiler)?.streams.length, 2)
      const [more, fresh] = await catalog.autoCreate(ORG, [
        want('valve', ['q']),
        want('new', ['t']),
      ])
      assert.deepEqual([more.isNewStream, fresh.isNew], [[true], true])
    }))
}
