import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { countedUidOf, epochMs, newComponentUid, newUid } from '../../src/base/index.ts'
import {
  openBlobStore,
  openCatalogStore,
  openPayloadStore,
  WholeDocuments,
} from '../../src/store/embedded/index.ts'
import type { CatalogStore, CatalogWrite, WholeRecord } from '../../src/store/index.ts'
import {
  componentFields,
  createOf,
  putComponent,
  putStream,
  streamFields,
} from '../contract/catalog-components.ts'
import { outcomeOf, payloadOf } from '../contract/payload-store-contract.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function openCatalog(
  t: TestContext,
): Promise<{ folder: string; store: CatalogStore; whole: WholeDocuments }> {
  const folder = temporaryFolder()
  const store = await openCatalogStore({ folder })
  const whole = new WholeDocuments(folder)
  t.after(async () => {
    whole.close()
    await store.close()
  })
  return { folder, store, whole }
}

async function readAll(whole: WholeDocuments): Promise<WholeRecord[]> {
  const found: WholeRecord[] = []
  for await (const page of whole.everything()) found.push(...page)
  return found
}

const head = newComponentUid()
const stream = countedUidOf(head, 1)
const moved = newUid()
const longId = 'a stream whose ID is longer than what a row of claims holds, which is no claim'

const puts: readonly CatalogWrite[] = [
  putComponent(
    head,
    componentFields('boiler', {
      folder: '/site',
      lastOrdinal: 3,
      addressedAs: ['x:1', `x:${'y'.repeat(100)}`],
      more: { description: 'made of iron' },
    }),
  ),
  putStream(stream, {
    ...streamFields(longId, { labels: { a: '1' }, series: { b: '2' }, more: { unit: 'K' } }),
    componentUid: head,
  }),
  putComponent(moved, componentFields('', { name: 'of another store', owner: null })),
  putStream(newUid(), { ...streamFields('own', { order: 7 }), componentUid: moved }),
  {
    op: 'put',
    orgUid: '',
    kind: 'session',
    uid: newUid(),
    expectedRevision: 0,
    claims: [`${'x'.repeat(100)}`, 'short'],
    expiresAtMs: 1_800_000_000_000,
    body: { text: '-0 \u0001 ü', list: [null, true, 1.5] },
  },
]

/** The write that creates the records of everything(). */
function writeOf(record: WholeRecord): CatalogWrite {
  const expected = { expectedRevision: 0 } as const
  if ('handle' in record) {
    const { handle: _, ...fields } = record
    return { ...fields, op: 'put_stream', ...expected }
  }
  if ('addressedAs' in record) return { ...record, op: 'put_component', ...expected }
  return { ...record, op: 'put', ...expected }
}

test('everything() returns complete records, components before streams, and puts with their revision recreate them in another store', async (t) => {
  const [from, to] = [await openCatalog(t), await openCatalog(t)]
  await from.store.commit(puts)
  for (let times = 0; times < 3; times++) {
    await from.store.commit(
      puts.map((put): CatalogWrite => ({ ...put, expectedRevision: 'any' }) as CatalogWrite),
    )
  }
  const reported = await readAll(from.whole)
  assert.deepEqual(
    reported.map(({ kind }) => kind),
    ['session', 'component', 'component', 'stream', 'stream'],
  )
  assert.deepEqual(new Set(reported.map(({ revision }) => revision)), new Set([4]))
  await to.store.commit(reported.map(writeOf))
  assert.deepEqual(await readAll(to.whole), reported)
  assert.deepEqual(await to.whole.wholeOf([...reported, { ...reported[0], uid: 'none' }]), [
    ...reported,
    undefined,
  ])
  assert.equal((await to.store.components.findById('org', 'boiler'))?.uid, head)
  assert.equal((await to.store.components.findAddressed('org', ['x:1']))[0]?.uid, head)
  assert.equal((await to.store.components.findSeries('org', [{ b: '2' }]))[0]?.uid, stream)
  const taken = putStream(countedUidOf(head, 2), { ...streamFields(longId), componentUid: head })
  await assert.rejects(to.store.commit([taken]), { name: 'CatalogConflict' })
  const next = { ...taken, uid: stream, expectedRevision: 4 }
  await to.store.commit([next])
  assert.equal((await to.store.components.getStream('org', stream))?.revision, 5)
  await assert.rejects(to.store.commit([createOf([['boiler', []]])]), { name: 'CatalogConflict' })
})

test('everything() rejects at a record that does not check', async (t) => {
  for (const sql of [
    'UPDATE component SET created = created + 1',
    'UPDATE stream SET type = type + 1',
    'DELETE FROM component',
  ]) {
    const { folder, store, whole } = await openCatalog(t)
    await store.commit([createOf([['device', ['s']]])])
    using db = new DatabaseSync(join(folder, 'catalog.db'))
    db.exec(sql)
    await assert.rejects(readAll(whole), { name: 'CatalogDamaged' })
  }
})

test('put() keeps a body under a key that it is given, in the place of what is there', async () => {
  const blobs = await openBlobStore({ folder: join(temporaryFolder(), 'files') })
  const key = 'ab'.repeat(16)
  const bodyOf = async function* (text: string) {
    yield Buffer.from(text)
  }
  await blobs.put(bodyOf('first'), { bytesMax: 100, key })
  const second = await blobs.put(bodyOf('second'), { bytesMax: 100, key })
  const sha256 = createHash('sha256').update('second').digest('hex')
  assert.deepEqual(second, { key, bytes: 6, sha256 })
  const read = await blobs.read(second, { start: 0, end: 6 })
  assert.equal(Buffer.concat((await read?.toArray()) ?? []).toString(), 'second')
})

test('keepWhole() recreates the payloads of everything() in another store, however often', async (t) => {
  const from = await openPayloadStore({ folder: temporaryFolder() })
  const to = await openPayloadStore({ folder: temporaryFolder() })
  t.after(async () => await Promise.all([from.close(), to.close()]))
  for (const connectorUid of ['c1', 'c2']) {
    for (const number of [1, 2, 3]) {
      const put = from.put(payloadOf(number, { connectorUid }))
      await put.landed
      const key = { orgUid: 'org', connectorUid, uid: put.uid }
      await from.keepAssigned(key, [{ handle: 7 as never, from: 5, count: 2 }])
      for (let run = 0; run < number; run++) await from.settle(key, outcomeOf(run))
    }
  }
  const reported = await Array.fromAsync(from.everything())
  assert.deepEqual(
    reported.map(({ earlier }) => earlier.length),
    [0, 1, 2, 0, 1, 2],
  )
  for (let times = 0; times < 2; times++) for (const one of reported) await to.keepWhole(one)
  assert.deepEqual(await Array.fromAsync(to.everything()), reported)
  const page = { start: 0, limit: 100 }
  assert.deepEqual(await to.listRuns('c1', page), await from.listRuns('c1', page))
  assert.ok(to.put(payloadOf(9)).uid > reported[5].uid)
})

test('keepWhole() gives payloads with UIDs of another form others, in the order of time', async (t) => {
  const from = await openPayloadStore({ folder: temporaryFolder() })
  const to = await openPayloadStore({ folder: temporaryFolder() })
  t.after(async () => await Promise.all([from.close(), to.close()]))
  for (const number of [1, 2]) await from.put(payloadOf(number, { time: epochMs(5) })).landed
  for (const payload of await Array.fromAsync(from.everything())) {
    const foreign = { uid: `${payload.uid}-foreign`, outcome: outcomeOf(1) }
    for (const connectorUid of ['c1', 'c2']) {
      await to.keepWhole({ ...payload, connectorUid, ...foreign, earlier: [foreign] })
    }
  }
  const reported = await Array.fromAsync(to.everything())
  assert.deepEqual(
    reported.map(({ connectorUid, query, earlier }) => [connectorUid, query, earlier.length]),
    [
      ['c1', 'n=1', 1],
      ['c1', 'n=2', 1],
      ['c2', 'n=1', 1],
      ['c2', 'n=2', 1],
    ],
  )
  assert.equal(new Set(reported.map(({ uid }) => uid)).size, 4)
})
