import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { epochMs, memberUidOf, newFamilyUid, newUid } from '../../src/base/index.ts'
import {
  openBlobStore,
  openCatalogStore,
  openPayloadStore,
  WholeDocuments,
} from '../../src/store/embedded/index.ts'
import type { CatalogStore, PutDocument, WholeDocument } from '../../src/store/index.ts'
import { outcomeOf, payloadOf } from '../contract/payload-store-contract.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function openCatalog(
  t: TestContext,
): Promise<{ store: CatalogStore; whole: WholeDocuments }> {
  const folder = temporaryFolder()
  const store = await openCatalogStore({ folder })
  const whole = new WholeDocuments(folder)
  t.after(async () => {
    whole.close()
    await store.close()
  })
  return { store, whole }
}

async function readAll(whole: WholeDocuments): Promise<WholeDocument[]> {
  const found: WholeDocument[] = []
  for await (const page of whole.everything()) found.push(...page)
  return found.sort((a, b) => (a.uid < b.uid ? -1 : 1))
}

const head = newFamilyUid()
const stream = memberUidOf(head, 1)
const longId = 'a stream whose claim is longer than what a row of claims holds'

const puts: readonly PutDocument[] = [
  {
    ...{ op: 'put', orgUid: 'org', kind: 'component', uid: head, expectedRevision: 0 },
    ...{ listKey: 'one', index: 'c boiler', claims: ['component_id:boiler'] },
    body: { id: 'boiler', made: 1_700_000_000_000 },
  },
  {
    ...{ op: 'put', orgUid: 'org', kind: 'stream', uid: stream, expectedRevision: 0 },
    ...{ parentUid: head, listKey: '1', index: `s ${longId}` },
    claims: [`stream_id:${head}:${longId}`],
    body: { id: longId, order: 1 },
  },
  {
    ...{ op: 'put', orgUid: '', kind: 'session', uid: newUid(), expectedRevision: 0 },
    ...{ claims: [`${'x'.repeat(100)}`, 'short'], expiresAtMs: 1_800_000_000_000 },
    body: { text: '-0 \u0001 ü', list: [null, true, 1.5] },
  },
]

test('everything() tells documents whole, and puts with their revision make them alike elsewhere', async (t) => {
  const [from, to] = [await openCatalog(t), await openCatalog(t)]
  await from.store.commit(puts)
  for (let times = 0; times < 3; times++) {
    await from.store.commit(puts.map((put) => ({ ...put, expectedRevision: 'any' as const })))
  }
  const told = await readAll(from.whole)
  assert.equal(told.length, 3)
  assert.deepEqual(new Set(told.map(({ revision }) => revision)), new Set([4]))
  const moves = told.map(({ handle: _handle, ...document }) => ({
    ...{ ...document, op: 'put' as const, expectedRevision: 0 },
  }))
  await to.store.commit(moves)
  assert.deepEqual(await readAll(to.whole), told)
  assert.deepEqual(await to.whole.wholeOf([...told, { ...told[0], uid: 'none' }]), [
    ...told,
    undefined,
  ])
  const claimed = await to.store.findByClaim('org', `stream_id:${head}:${longId}`)
  assert.equal(claimed?.uid, stream)
  const taken = { ...puts[1], uid: memberUidOf(head, 2) }
  await assert.rejects(to.store.commit([taken]), { name: 'CatalogConflict' })
  await to.store.commit([{ ...puts[1], expectedRevision: 4 }])
  assert.equal((await to.store.get({ orgUid: 'org', kind: 'stream', uid: stream }))?.revision, 5)
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

test('keepWhole() makes payloads what everything() tells elsewhere, however often', async (t) => {
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
  const told = await Array.fromAsync(from.everything())
  assert.deepEqual(
    told.map(({ earlier }) => earlier.length),
    [0, 1, 2, 0, 1, 2],
  )
  for (let times = 0; times < 2; times++) for (const one of told) await to.keepWhole(one)
  assert.deepEqual(await Array.fromAsync(to.everything()), told)
  const page = { start: 0, limit: 100 }
  assert.deepEqual(await to.listRuns('c1', page), await from.listRuns('c1', page))
  assert.ok(to.put(payloadOf(9)).uid > told[5].uid)
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
  const told = await Array.fromAsync(to.everything())
  assert.deepEqual(
    told.map(({ connectorUid, query, earlier }) => [connectorUid, query, earlier.length]),
    [
      ['c1', 'n=1', 1],
      ['c1', 'n=2', 1],
      ['c2', 'n=1', 1],
      ['c2', 'n=2', 1],
    ],
  )
  assert.equal(new Set(told.map(({ uid }) => uid)).size, 4)
})
