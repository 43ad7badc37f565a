import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { memberUidOf } from '../../src/base/index.ts'
import { CatalogScrubTable } from '../../src/store/embedded/catalog/scrub/catalog-scrub-table.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import {
  CatalogConflict,
  type CatalogStore,
  type CatalogWrite,
  type ListQuery,
  type PutDocument,
} from '../../src/store/index.ts'
import { putsOfFleet } from '../../src/store/puts-of-fleet.ts'
import { CatalogStoreModel } from '../contract/catalog-store-model.ts'
import { assertSameOutcome } from '../contract/catalog-store-property.ts'
import { fc } from '../support/fast-check.ts'
import { fleetOf } from '../support/fleets.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

function read(folder: string, sql: string): Record<string, unknown> | undefined {
  using db = new DatabaseSync(join(folder, 'catalog.db'), { readOnly: true })
  return db.prepare(sql).get()
}

/** What a scrub finds. */
function damagesIn(folder: string): string[] {
  using db = new DatabaseSync(join(folder, 'catalog.db'), { readOnly: true })
  const table = new CatalogScrubTable(db)
  const damages: string[] = []
  for (const name of table.names) {
    let next: Parameters<typeof table.checkPage>[1]
    do {
      const page = table.checkPage(name, next, 500)
      damages.push(...page.damages)
      next = page.next
    } while (next !== undefined)
  }
  return damages
}

const numbered = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `device-${from + at}`)

async function listed(store: CatalogStore, more: Partial<ListQuery>): Promise<string[]> {
  const query = { orgUid: 'org', kind: 'component', start: 0, limit: 10_000, ...more }
  const { documents } = await store.list(query)
  return documents.map(({ body }) => String(body.id))
}

test('a fleet has its claims and its list in pages, whatever order its calls come in', async () => {
  const folder = join(root, 'pages')
  const store = await openCatalogStore({ folder })
  const ids = [...numbered(900, 1_000), ...numbered(10_000, 1_000), ...numbered(0, 900)]
  for (let from = 0; from < ids.length; from += 290) {
    await store.commit([fleetOf(ids.slice(from, from + 290))])
  }
  const sorted = ids.toSorted()
  assert.deepEqual(await listed(store, {}), sorted)
  assert.deepEqual(await listed(store, { descending: true }), sorted.toReversed())
  for (const start of [0, 63, 64, 1_000, 2_890, 3_000]) {
    assert.deepEqual(await listed(store, { start, limit: 70 }), sorted.slice(start, start + 70))
  }
  const under = {
    orgUid: 'org',
    kind: 'component',
    listKeyPrefix: '/device-100',
    limit: 9,
    start: 1,
  }
  const some = await store.list(under)
  const expected = sorted.filter((id) => id.startsWith('device-100'))
  assert.equal(some.totalCount, expected.length)
  assert.deepEqual(
    some.documents.map(({ body }) => body.id),
    expected.slice(1, 10),
  )
  await store.close()
  const { pages, entries } =
    read(folder, 'SELECT count(*) AS pages, sum(count) AS entries FROM roll') ?? {}
  assert.equal(entries, ids.length)
  assert.ok(Number(pages) < ids.length / 25, `${pages} pages`)
  assert.equal(read(folder, 'SELECT count(*) AS claims FROM claim')?.claims, 0)
})

test('devices that sign on some at a time share pages where their IDs are neighbours', async () => {
  const folder = join(root, 'few')
  const store = await openCatalogStore({ folder })
  const ids = numbered(1_000, 900)
  const alone = ['a', 'device-15001', 'z']
  for (let from = 0; from < ids.length; from += 9) {
    await store.commit([fleetOf(ids.slice(from, from + 9))])
  }
  const known = fleetOf(['y', ids[600], ids[601], ids[602], ids[603]])
  await assert.rejects(store.commit([known]), CatalogConflict)
  // Each comes to another page: claims of their own cost less than pages written again.
  await store.commit([fleetOf([...alone, 'device-1400a', 'device-1700a'])])
  const sorted = [...ids, ...alone, 'device-1400a', 'device-1700a'].toSorted()
  assert.deepEqual(await listed(store, {}), sorted)
  for (const id of sorted) {
    const found = await store.findByClaim('org', `component_id:${id}`)
    assert.equal(found?.body.id, id)
  }
  await store.close()
  assert.deepEqual(damagesIn(folder), [])
  assert.equal(read(folder, 'SELECT sum(count) AS entries FROM roll')?.entries, ids.length)
  assert.equal(read(folder, 'SELECT count(*) AS claims FROM claim')?.claims, 5)
})

test('an ID of the roll is refused to others, and theirs to fleets', async () => {
  const store = await openCatalogStore({ folder: join(root, 'taken') })
  await store.commit([fleetOf(numbered(0, 100))])
  await store.commit([fleetOf(['single'])])
  const [single] = putsOfFleet(fleetOf(['device-7']))
  const conflict = (claim: string) => (error: unknown) =>
    error instanceof CatalogConflict && error.claim === `component_id:${claim}`
  await assert.rejects(store.commit([fleetOf(['device-7'])]), conflict('device-7'))
  await assert.rejects(store.commit([single]), conflict('device-7'))
  await assert.rejects(store.commit([fleetOf([...numbered(99, 50)])]), conflict('device-99'))
  await assert.rejects(
    store.commit([fleetOf([...numbered(200, 50), 'single'])]),
    conflict('single'),
  )
  const twice = [...numbered(300, 50), 'device-310']
  const fleet = fleetOf(twice)
  await assert.rejects(store.commit([fleet]), (error: unknown) => {
    assert.ok(error instanceof CatalogConflict)
    // A component and a stream each: the second of the two.
    assert.equal(error.key.uid, putsOfFleet(fleet)[100].uid)
    return true
  })
  const { totalCount } = await store.list({ orgUid: 'org', kind: 'component', start: 0, limit: 1 })
  assert.equal(totalCount, 101)
  await store.commit([fleetOf(numbered(0, 100), { orgUid: 'other' })])
  await store.close()
})

const number = fc.integer({ min: 0, max: 400 })
const idOf = (one: number): string => {
  if (one % 50 === 49) return `ü${one}`
  return one % 50 === 48 ? `"${one}" \\ ${'x'.repeat(60)}` : `d${one}`
}
type Step =
  | { readonly op: 'fleet'; readonly ids: readonly string[]; readonly folder: string }
  | { readonly op: 'edit' | 'delete' | 'stream'; readonly at: number; readonly id: string }
  | { readonly op: 'restart' }
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('fleet' as const),
      ids: fc
        .oneof(
          fc.uniqueArray(number, { minLength: 32, maxLength: 120, size: 'max' }),
          fc
            .tuple(number, fc.integer({ min: 1, max: 150 }))
            .map(([from, count]) => Array.from({ length: count }, (_, at) => from + at)),
          fc.array(number, { minLength: 1, maxLength: 3 }),
        )
        .map((numbers) => numbers.map(idOf)),
      folder: fc.constantFrom('/', '/', '/', '/', '/Z/', '\u{1F600}'),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constantFrom('edit' as const, 'delete' as const, 'stream' as const),
      at: fc.nat(10_000),
      id: number.map(idOf),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ op: 'restart' as const }) },
)

/** The writes of a step; none where there is nothing to change. */
function writesOf(model: CatalogStoreModel, one: Step, orgUid: string): CatalogWrite[] {
  if (one.op === 'restart') return []
  // As the service does: what is there already is not asked for again, most of the time.
  if (one.op === 'fleet') {
    const free = one.ids.filter((id) => model.holderOf(orgUid, `component_id:${id}`) === undefined)
    const ids = one.ids.length % 7 === 0 ? one.ids : [...new Set(free)]
    return ids.length === 0 ? [] : [fleetOf(ids, { orgUid, folder: one.folder })]
  }
  const heads = [...model.kept.values()].filter(({ document }) => document.kind === 'component')
  if (heads.length === 0) return []
  const { document, claims, index } = heads[one.at % heads.length]
  const { kind, uid, listKey, body, revision } = document
  const key = { orgUid, kind, uid, expectedRevision: revision }
  if (one.op === 'delete') return [{ op: 'delete', ...key }]
  if (one.op === 'stream') return [streamOf(orgUid, uid)]
  const isRenamed = one.at % 3 > 0
  const id = isRenamed ? one.id : String(body.id)
  const put: PutDocument = {
    ...{ op: 'put', ...key, index: isRenamed ? `UTC\n${id}` : index },
    ...{ listKey: isRenamed ? `/A/${id}` : listKey, body: { id, note: one.at % 5 } },
    claims: isRenamed ? [`component_id:${id}`] : [...claims],
  }
  return [put]
}

function streamOf(orgUid: string, parentUid: string): PutDocument {
  return {
    ...{ op: 'put', orgUid, kind: 'stream', uid: memberUidOf(parentUid, 2), parentUid },
    ...{ listKey: '0000001', index: '010\n\nt', claims: [`stream_id:${parentUid}:t`] },
    ...{ body: { id: 't', valueType: 'DOUBLE' }, expectedRevision: 'any' },
  }
}

async function assertSameLists(
  store: CatalogStore,
  model: CatalogStoreModel,
  { orgUid, at }: { orgUid: string; at: number },
): Promise<void> {
  const kind = 'component'
  const every = model.list({ orgUid, kind, start: 0, limit: 10_000 }).uids
  const exceptUids = [0.1, 0.5, 0.9].flatMap(
    (share) => every[Math.floor(share * every.length)] ?? [],
  )
  const starts = [0, 1, at % (every.length + 1), Math.max(0, every.length - 3)]
  const queries = [{}, { descending: true }, { listKeyPrefix: '/d1' }, { listKeyPrefix: '/A/' }]
  const odd = [{ exceptUids }, { exceptUids, descending: true, listKeyPrefix: '/d' }]
  for (const more of [...queries, ...odd, { listKeyPrefix: '/' }, { parentUid: '' }]) {
    for (const start of starts) {
      const query = { orgUid, kind, start, limit: 1 + (at % 90), ...more }
      const { documents, totalCount } = await store.list(query)
      const uids = documents.map((one) => one.uid)
      assert.deepEqual({ uids, totalCount }, model.list(query), JSON.stringify(query))
    }
  }
  const walked: string[] = []
  for (let after: string | undefined, isOver = false; !isOver; isOver = after === undefined) {
    const step = await store.walk({ orgUid, kind, after, limit: 40 })
    walked.push(...step.documents.map(({ uid }) => uid))
    after = step.next
  }
  assert.deepEqual(walked, every)
}

test('fleets, edits and deletes leave what the model holds, in lists of every kind', async () => {
  let round = 0
  const folder = join(root, 'model')
  const scenario = fc.asyncProperty(
    fc.array(step, { minLength: 3, maxLength: 14, size: 'max' }),
    fc.nat(10_000),
    async (steps, at) => {
      const orgUid = `org-${round++}`
      const model = new CatalogStoreModel()
      const told: string[] = []
      const open = () => openCatalogStore({ folder, onDamage: (what) => told.push(what) })
      let store = await open()
      try {
        for (const one of steps) {
          if (one.op === 'restart') {
            await store.close()
            store = await open()
          }
          const writes = writesOf(model, one, orgUid)
          if (writes.length > 0) await assertSameOutcome(store, model, writes)
        }
        await assertSameLists(store, model, { orgUid, at })
        for (const one of Array.from({ length: 401 }, (_, each) => idOf(each))) {
          const claim = `component_id:${one}`
          const holder = await store.findByClaim(orgUid, claim)
          assert.equal(holder?.uid, model.holderOf(orgUid, claim), claim)
        }
        for (const { document } of model.kept.values()) {
          const { handle, ...rest } = (await store.get(document)) ?? {}
          assert.deepEqual(rest, { ...document })
          assert.equal(handle !== undefined, document.kind === 'stream')
        }
        assert.deepEqual([...told, ...damagesIn(folder)], [])
      } finally {
        await store.close()
      }
    },
  )
  await fc.assert(scenario, { numRuns: 12 })
  assert.ok(Number(read(folder, 'SELECT sum(count) AS entries FROM roll')?.entries) > 100)
})
