import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  CatalogConflict,
  type CatalogStore,
  type CatalogWrite,
  type IndexRow,
} from '../../src/store/index.ts'
import type { CatalogStoreHome } from './catalog-store-home.ts'
import { CatalogStoreModel } from './catalog-store-model.ts'

const uid = fc.constantFrom('u1', 'u2', 'u3', 'u4')
const write: fc.Arbitrary<CatalogWrite> = fc.record({
  op: fc.constantFrom('put', 'put', 'put', 'delete'),
  orgUid: fc.constantFrom('o1', 'o2'),
  kind: fc.constantFrom('stream', 'unit'),
  uid,
  parentUid: fc.constantFrom('', 'p'),
  listKey: fc.constantFrom('', 'a', 'ab', 'b', '\u{1F600}', '\uFF5E'),
  claims: fc.subarray(['c1', 'c2', 'c3']),
  index: fc.option(fc.string({ unit: 'grapheme', maxLength: 4 }), { nil: undefined }),
  body: fc.dictionary(fc.string(), fc.jsonValue() as never, { maxKeys: 2 }),
  expectedRevision: fc.constantFrom('any', 0, 1, 2),
}) as unknown as fc.Arbitrary<CatalogWrite>
const step = fc.oneof(
  { weight: 9, arbitrary: fc.array(write, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
)

/** Random commits and restarts leave the store with what the model holds. */
export async function behavesAsModel(first: CatalogStore, home: CatalogStoreHome): Promise<void> {
  await first.close()
  let round = 0
  const scenario = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
    // Every run has organizations of its own, so that one place serves them all.
    const suffix = `-${round++}`
    const model = new CatalogStoreModel()
    let store = await home.open()
    try {
      for (const each of steps) {
        if (each === 'restart') {
          await store.close()
          store = await home.open()
          continue
        }
        const writes = each.map((one) => ({ ...one, orgUid: one.orgUid + suffix }))
        await assertSameOutcome(store, model, writes)
      }
      await assertSameContents(store, model, suffix)
    } finally {
      await store.close()
    }
  })
  await fc.assert(scenario, { numRuns: 40 })
}

async function assertSameOutcome(
  store: CatalogStore,
  model: CatalogStoreModel,
  writes: readonly CatalogWrite[],
): Promise<void> {
  let expected: unknown
  try {
    model.commit(writes)
  } catch (error) {
    expected = error
  }
  const outcome = await store.commit(writes).catch((error: unknown) => error)
  assert.equal(outcome instanceof CatalogConflict, expected !== undefined, String(outcome))
}

async function assertSameContents(
  store: CatalogStore,
  model: CatalogStoreModel,
  suffix: string,
): Promise<void> {
  for (const { document, index } of model.kept.values()) {
    const found = await store.get(document)
    assert.ok(found !== undefined)
    const { handle, ...rest } = found
    const body = JSON.parse(JSON.stringify(document.body))
    assert.deepEqual(rest, { ...document, body })
    assert.equal(handle !== undefined, document.kind === 'stream')
    const rows: IndexRow[] = []
    await store.scanIndex(document.kind, (row) => rows.push(row))
    const row = rows.find((one) => one.orgUid === document.orgUid && one.uid === document.uid)
    assert.equal(row?.index, index)
    assert.equal(row?.handle, index === undefined ? undefined : handle)
  }
  for (const orgUid of [`o1${suffix}`, `o2${suffix}`]) {
    for (const claim of ['c1', 'c2', 'c3']) {
      const holder = await store.findByClaim(orgUid, claim)
      assert.equal(holder?.uid, model.holderOf(orgUid, claim))
    }
    for (const kind of ['stream', 'unit']) {
      for (const more of [{}, { parentUid: 'p' }, { listKeyPrefix: 'a' }, { descending: true }]) {
        const query = { orgUid, kind, start: 1, limit: 2, ...more }
        const { documents, totalCount } = await store.list(query)
        const uids = documents.map((one) => one.uid)
        assert.deepEqual({ uids, totalCount }, model.list(query))
      }
    }
  }
}
