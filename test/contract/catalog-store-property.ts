import assert from 'node:assert/strict'
import { memberUidOf, newFamilyUid } from '../../src/base/index.ts'
import {
  CatalogConflict,
  type CatalogStore,
  type CatalogWrite,
  type IndexRow,
  type KindUsage,
  type WalkQuery,
} from '../../src/store/index.ts'
import { fc } from '../support/fast-check.ts'
import { type CatalogStoreHome, runsOf } from './catalog-store-home.ts'
import { CatalogStoreModel } from './catalog-store-model.ts'

/** Stand for the UID of a component of each round, and those of its streams, by their ordinals. */
const FAMILY = ['F0', 'F1', 'F2', 'F200', 'F201']
const uid = fc.constantFrom('u1', 'u2', 'u3', ...FAMILY)
const body = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue() as never, { maxKeys: 2 }),
  fc.record({ id: fc.constantFrom('x', 'y'), creationDate: fc.constantFrom(0, 1_700_000_000_000) }),
)
const CLAIMS = ['c1', 'c2', 'c3', 'stream_id:F0:x', 'stream_id:F0:y']
const write: fc.Arbitrary<CatalogWrite> = fc.record({
  op: fc.constantFrom('put', 'put', 'put', 'delete', 'expect'),
  orgUid: fc.constantFrom('o1', 'o2'),
  kind: fc.constantFrom('stream', 'stream', 'component', 'unit'),
  uid,
  parentUid: fc.constantFrom('', 'p', 'F0', 'F0', 'F0'),
  listKey: fc.constantFrom('', 'a', 'ab', 'b', '\u{1F600}', '\uFF5E'),
  claims: fc.subarray(CLAIMS),
  index: fc.option(fc.string({ unit: 'grapheme', maxLength: 4 }), { nil: undefined, freq: 9 }),
  body,
  expectedRevision: fc.constantFrom('any', 'any', 0, 1, 2),
}) as unknown as fc.Arbitrary<CatalogWrite>
/** Streams as devices make them: under their component, with an ID that is unique there. */
const streamWrite = fc
  .tuple(write, fc.constantFrom('F1', 'F2', 'F200', 'F201'), fc.constantFrom('x', 'y'))
  .map(([one, streamUid, id]): CatalogWrite => {
    const { op, orgUid, expectedRevision } = one
    const key = { orgUid, kind: 'stream', uid: streamUid, expectedRevision }
    if (op === 'delete' || op === 'expect') return { op, ...key }
    const claims = [`stream_id:F0:${id}`]
    return { op: 'put', ...key, parentUid: 'F0', index: id, listKey: id, claims, body: { id } }
  })
const step = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.array(fc.oneof(write, streamWrite), { minLength: 1, maxLength: 3 }),
  },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
)

/** Random commits and restarts leave the store with what the model holds. */
export async function behavesAsModel(first: CatalogStore, home: CatalogStoreHome): Promise<void> {
  await first.close()
  let round = 0
  const scenario = fc.asyncProperty(
    fc.array(step, { maxLength: 25, size: 'max' }),
    async (steps) => {
      // Every run has organizations of its own, so that one place serves them all.
      const suffix = `-${round++}`
      const head = newFamilyUid()
      const model = new CatalogStoreModel()
      let store = await home.open()
      try {
        for (const each of steps) {
          if (each === 'restart') {
            await store.close()
            store = await home.open()
            continue
          }
          const writes = each.map((one) => inRound(one, { suffix, head }))
          await assertSameOutcome(store, model, writes)
        }
        await assertSameContents(store, model, { suffix, head })
      } finally {
        await store.close()
      }
    },
  )
  await fc.assert(scenario, { numRuns: runsOf(home, 40) })
}

interface Round {
  readonly suffix: string
  readonly head: string
}

/** The text with the UIDs of a round in the place of what stands for them. */
function named(text: string, { head }: Round): string {
  return text.replace(/F(\d+)/, (_, ordinal) => memberUidOf(head, Number(ordinal)))
}

function inRound(one: CatalogWrite, round: Round): CatalogWrite {
  const uids = { orgUid: one.orgUid + round.suffix, uid: named(one.uid, round) }
  if (one.op !== 'put') return { ...one, ...uids }
  const claims = one.claims?.map((claim) => named(claim, round))
  return { ...one, ...uids, claims, parentUid: named(one.parentUid ?? '', round) }
}

/** Commits to both, and asserts that both take it or both refuse it. */
export async function assertSameOutcome(
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
  round: Round,
): Promise<void> {
  const { suffix, head } = round
  const kept = [...model.kept.values()]
  const rows: IndexRow[] = []
  const kinds = new Set(kept.map(({ document }) => document.kind))
  const { isWhole } = await store.scanIndex([...kinds], { onRow: (row) => rows.push(row) })
  assert.ok(isWhole)
  for (const { document, index } of kept) {
    const found = await store.get(document)
    assert.ok(found !== undefined)
    const { handle, ...rest } = found
    const body = JSON.parse(JSON.stringify(document.body))
    assert.deepEqual(rest, { ...document, body })
    assert.equal(handle !== undefined, document.kind === 'stream')
    const row = rows.find(
      ({ orgUid, kind, uid }) =>
        orgUid === document.orgUid && kind === document.kind && uid === document.uid,
    )
    assert.equal(row?.index, index)
    assert.equal(row?.handle, index === undefined ? undefined : handle)
  }
  for (const orgUid of [`o1${suffix}`, `o2${suffix}`]) {
    const usage = (await store.usage(orgUid)).filter(({ documents }) => documents > 0)
    const byKind = (a: KindUsage, b: KindUsage) => (a.kind < b.kind ? -1 : 1)
    assert.deepEqual(usage.sort(byKind), model.usage(orgUid).sort(byKind))
    for (const claim of CLAIMS.map((one) => named(one, round))) {
      const holder = await store.findByClaim(orgUid, claim)
      assert.equal(holder?.uid, model.holderOf(orgUid, claim))
    }
    for (const kind of ['component', 'unit']) {
      const all = model.list({ orgUid, kind, start: 0, limit: 1_000 }).uids
      assert.deepEqual((await walkOver(store, { orgUid, kind, limit: 2 })).sort(), all.sort())
    }
    for (const kind of ['stream', 'component', 'unit']) {
      const parents = [{ parentUid: 'p' }, { parentUid: head }, { parentUid: '' }]
      const some = { exceptUids: ['u1', head, memberUidOf(head, 1), newFamilyUid()] }
      const others = [{ listKeyPrefix: 'a' }, { descending: true }, some]
      for (const more of [{}, ...parents, ...others, { ...some, parentUid: head, start: 0 }]) {
        const query = { orgUid, kind, start: 1, limit: 2, ...more }
        const { documents, totalCount } = await store.list(query)
        const uids = documents.map((one) => one.uid)
        assert.deepEqual({ uids, totalCount }, model.list(query))
      }
    }
  }
}

/** The UIDs of all documents that a walk in steps comes over. */
async function walkOver(store: CatalogStore, query: WalkQuery): Promise<string[]> {
  const uids: string[] = []
  let after: string | undefined
  do {
    const { documents, next } = await store.walk({ ...query, after })
    assert.ok(documents.length <= query.limit)
    uids.push(...documents.map(({ uid }) => uid))
    after = next
  } while (after !== undefined)
  return uids
}
