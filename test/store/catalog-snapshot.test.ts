import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { countedUidOf, nextIteration } from '../../src/base/index.ts'
import { CatalogSnapshot } from '../../src/store/embedded/catalog/catalog-snapshot.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { createOf } from '../contract/catalog-components.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

/** Enough rounds that some commits fall inside a read, if reads do not use one snapshot. */
const ROUNDS = 500
const KEY = { orgUid: 'org', kind: 'unit', uid: 'u', expectedRevision: 'any' } as const

test('what is committed between two statements of a read is not seen by the second', () => {
  const file = join(root, 'plain.db')
  const writer = new DatabaseSync(file)
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)')
  const reader = new DatabaseSync(file, { readOnly: true })
  const snapshot = new CatalogSnapshot(reader)
  const count = () => reader.prepare('SELECT count(*) AS n FROM t').get()?.n
  const seen = snapshot.read(() => {
    const first = count()
    writer.exec('INSERT INTO t VALUES (2)')
    return [first, snapshot.read(count)]
  })
  assert.deepEqual(seen, [1, 1])
  assert.throws(() =>
    snapshot.read(() => {
      throw new Error('a read that fails')
    }),
  )
  assert.equal(reader.isTransaction, false)
  assert.equal(snapshot.read(count), 2)
  reader.close()
  writer.close()
})

test('a claim is read with its holder or not at all while the holder comes and goes', async () => {
  const damages: string[] = []
  const onDamage = (what: string) => damages.push(what)
  const store = await openCatalogStore({ folder: join(root, 'catalog'), onDamage })
  let isWriting = true
  const write = async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await store.commit([{ op: 'put', ...KEY, claims: ['unit_id:u'], body: {} }])
      await store.commit([{ op: 'delete', ...KEY }])
    }
  }
  const writing = write().finally(() => {
    isWriting = false
  })
  let found = 0
  while (isWriting) {
    const holder = await store.findByClaim('org', 'unit_id:u')
    found += holder === undefined ? 0 : 1
    await nextIteration()
  }
  await writing
  await store.close()
  assert.deepEqual(damages, [])
  assert.ok(found > 0)
})

test('a component is read with its streams, addresses and series or not at all while it comes and goes', async () => {
  const damages: string[] = []
  const onDamage = (what: string) => damages.push(what)
  const store = await openCatalogStore({ folder: join(root, 'components'), onDamage })
  let isWriting = true
  const write = async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const create = createOf([['device', ['s']]], {
        addressedAs: [['x']],
        series: [{ a: '1' }],
      })
      await store.commit([create])
      const key = { op: 'delete', orgUid: 'org', expectedRevision: 'any' } as const
      await store.commit([
        { ...key, kind: 'stream', uid: countedUidOf(create.uid, 1) },
        { ...key, kind: 'component', uid: create.uid },
      ])
    }
  }
  const writing = write().finally(() => {
    isWriting = false
  })
  let found = 0
  while (isWriting) {
    const [addressed] = await store.components.findAddressed('org', ['x'])
    const [stream] = await store.components.findSeries('org', [{ a: '1' }])
    const page = { orgUid: 'org', start: 0, limit: 10 }
    const { components, totalCount } = await store.components.list(page)
    assert.equal(components.length, totalCount)
    found += addressed === undefined || stream === undefined ? 0 : 1
    await nextIteration()
  }
  await writing
  await store.close()
  assert.deepEqual(damages, [])
  assert.ok(found > 0)
})
