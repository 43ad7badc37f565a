import assert from 'node:assert/strict'
import { countedUidOf, newComponentUid, newOrderedUid } from '../../src/base/index.ts'
import {
  CatalogConflict,
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
  type Committed,
  type CreateComponents,
  type JsonObject,
  type KindUsage,
  type Labels,
  type StoredComponent,
  type StoredStream,
  type WalkQuery,
} from '../../src/store/index.ts'
import { fc } from '../support/fast-check.ts'
import { componentFields, PLAIN, streamFields } from './catalog-components.ts'
import {
  type ScannedRows,
  scanAll,
  scannedComponentOf,
  scannedStreamOf,
} from './catalog-scanned.ts'
import { type CatalogStoreHome, runsOf } from './catalog-store-home.ts'
import { CatalogStoreModel, seriesClaim } from './catalog-store-model.ts'

const ORGS = ['o1', 'o2']
const CLAIMS = ['c1', 'c2', 'c3', `long ${'c'.repeat(100)}`]
/** Some are IDs too. */
const ADDRESSES = ['x', 'd/1', 'y', 'y'.repeat(200)]
const SERIES: readonly Labels[] = [{ a: '1' }, { b: '2', a: '1' }]
const LABELS: readonly Labels[] = [
  ...SERIES,
  { l: '1', m: 'x=y z', n: 'n'.repeat(41), o: 'a\0b', p: '=', q: '' },
]
const IDS = ['', 'x', 'y', 'X']
const NAMES = ['', 'a', 'ab', 'b', '\u{1F600}', '\uFF5E']
const FOLDERS = ['', '/f', '/f/g', '/fg']

const expectedRevision = fc.constantFrom('any' as const, 'any' as const, 0, 1, 2)
const orgUid = fc.constantFrom(...ORGS)
/** Components and streams are named by numbers here, which stand for UIDs of the round and the organization. */
const component = fc.constantFrom('C1', 'C2', 'C3')
const stream = fc.constantFrom('C1.1', 'C1.2', 'C2.1', 'C2.200', 'C1.own', 'C3.own')

const documentWrite = fc.record({
  op: fc.constantFrom('put', 'put', 'put', 'delete', 'expect'),
  orgUid,
  kind: fc.constantFrom('board', 'unit'),
  uid: fc.constantFrom('u1', 'u2', 'u3'),
  parentUid: fc.constantFrom('', 'p'),
  listKey: fc.constantFrom(...NAMES),
  claims: fc.subarray(CLAIMS),
  body: fc.dictionary(fc.string(), fc.jsonValue() as never, { maxKeys: 2 }),
  expectedRevision,
}) as unknown as fc.Arbitrary<CatalogWrite>

const componentWrite = fc
  .record({
    orgUid,
    uid: component,
    id: fc.constantFrom(...IDS),
    name: fc.constantFrom(...NAMES),
    folder: fc.constantFrom(...FOLDERS),
    addressedAs: fc.subarray(ADDRESSES),
    more: fc.constantFrom<JsonObject[]>({}, { description: 'd' }),
    expectedRevision,
  })
  .map(({ id, ...one }): CatalogWrite => {
    const key = { op: 'put_component', kind: 'component' } as const
    return { ...componentFields(id), ...one, ...key }
  })

const streamWrite = fc
  .record({
    orgUid,
    uid: stream,
    id: fc.constantFrom(...IDS),
    order: fc.constantFrom(0, 1, 7),
    labels: fc.constantFrom(undefined, ...LABELS),
    series: fc.constantFrom(undefined, undefined, ...SERIES),
    isDerived: fc.boolean(),
    grid: fc.constantFrom('', 'PT1H'),
    expectedRevision,
  })
  .map(({ id, uid, ...one }): CatalogWrite => {
    const key = { op: 'put_stream', kind: 'stream', uid, componentUid: uid.slice(0, 2) } as const
    return { ...streamFields(id), ...one, ...key }
  })

const createWrite = fc
  .record({
    orgUid,
    each: fc.uniqueArray(
      fc.tuple(
        component,
        fc.constantFrom(...IDS),
        fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
      ),
      { minLength: 1, maxLength: 2, selector: ([uid]) => uid },
    ),
    addressed: fc.subarray(ADDRESSES),
    labels: fc.constantFrom(undefined, ...LABELS),
    series: fc.constantFrom(undefined, ...SERIES),
    folder: fc.constantFrom(...FOLDERS),
  })
  .map(({ orgUid: org, each, addressed, labels, series, folder }): CreateComponents => {
    const streamIds = each.flatMap(([, , ids]) => ids)
    const { timeZone, createdAtMs, owner, more } = componentFields('')
    return {
      op: 'create',
      orgUid: org,
      kind: 'component',
      uid: each[0][0],
      expectedRevision: 0,
      uids: each.map(([uid]) => uid),
      ids: each.map(([, id]) => id),
      addressedAs: each.map((_, at) => (at === 0 ? addressed : [])),
      common: { folder, timeZone, createdAtMs, owner, more },
      streamCounts: each.map(([, , ids]) => ids.length),
      streamIds,
      labels: streamIds.map(() => labels),
      series: streamIds.map((_, at) => (at === 0 ? series : undefined)),
      definitions: [PLAIN, { ...PLAIN, hasDeleteProfile: true }],
      definitionOf: streamIds.map((_, at) => at % 2),
    }
  })

const otherWrite = fc
  .record({
    op: fc.constantFrom('delete', 'delete', 'expect'),
    orgUid,
    target: fc.oneof(component, stream),
    expectedRevision,
  })
  .map(({ target, ...one }) => {
    return {
      ...one,
      kind: target.length === 2 ? 'component' : 'stream',
      uid: target,
    } as CatalogWrite
  })

const anyWrite = fc.oneof(documentWrite, componentWrite, streamWrite, createWrite, otherWrite)
/** Nobody writes a record twice in one commit. */
const commit = fc.uniqueArray(anyWrite, {
  minLength: 1,
  maxLength: 4,
  comparator: (a, b) =>
    a.op !== 'expect' && b.op !== 'expect' && keysOf(a).some((key) => keysOf(b).includes(key)),
})
const step = fc.oneof(
  { weight: 24, arbitrary: commit },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
)

/** The records that a write may write. */
function keysOf(write: CatalogWrite): string[] {
  if (write.op !== 'create') return [`${write.orgUid} ${write.kind} ${write.uid}`]
  return write.uids.flatMap((uid) => {
    const streams = ['1', '2', '3'].map((ordinal) => `${write.orgUid} stream ${uid}.${ordinal}`)
    return [`${write.orgUid} component ${uid}`, ...streams]
  })
}

/** Random commits and restarts leave the store with what the model holds. */
export async function behavesAsModel(first: CatalogStore, home: CatalogStoreHome): Promise<void> {
  await first.close()
  let count = 0
  const scenario = fc.asyncProperty(
    fc.array(step, { maxLength: 25, size: 'max' }),
    async (steps) => {
      // Every run has organizations of its own, so that one place serves them all.
      const round = new Round(count++)
      const model = new CatalogStoreModel()
      let store = await home.open()
      try {
        for (const each of steps) {
          if (each === 'restart') {
            await store.close()
            store = await home.open()
            continue
          }
          const writes = each.map((one) => round.inRound(one))
          round.note(writes, await assertSameOutcome(store, model, writes))
        }
        await assertSameContents(store, model, round)
      } finally {
        await store.close()
      }
    },
  )
  await fc.assert(scenario, { numRuns: runsOf(home, 60) })
}

/** The organizations and UIDs of one run. */
class Round {
  readonly suffix: string
  /** The handles that streams were given. */
  readonly handles = new Set<number>()
  readonly #uids = new Map<string, string>()

  constructor(count: number) {
    this.suffix = `-${count}`
  }

  inRound(write: CatalogWrite): CatalogWrite {
    const orgUid = write.orgUid + this.suffix
    if (write.kind !== 'component' && write.kind !== 'stream') return { ...write, orgUid }
    const uid = this.uidOf(write.orgUid, write.uid)
    if (write.op === 'put_stream') {
      return { ...write, orgUid, uid, componentUid: this.uidOf(write.orgUid, write.componentUid) }
    }
    if (write.op !== 'create') return { ...write, orgUid, uid } as CatalogWrite
    return { ...write, orgUid, uid, uids: write.uids.map((one) => this.uidOf(write.orgUid, one)) }
  }

  /** The UID that stands for a component, or for a stream of it. */
  uidOf(orgUid: string, name: string): string {
    const key = `${orgUid} ${name}`
    const known = this.#uids.get(key)
    if (known !== undefined) return known
    const [head, ordinal] = name.split('.')
    const uid =
      ordinal === undefined
        ? newComponentUid()
        : ordinal === 'own'
          ? newOrderedUid()
          : countedUidOf(this.uidOf(orgUid, head), Number(ordinal))
    this.#uids.set(key, uid)
    return uid
  }

  /** Notes the handles of a commit that was made: none of new streams may come twice. */
  note(writes: readonly CatalogWrite[], committed: Committed | undefined): void {
    if (committed === undefined) return
    const created = writes.filter(({ op }) => op === 'create') as CreateComponents[]
    for (const [at, { streamIds }] of created.entries()) {
      for (const index of streamIds.keys()) this.#noteNew(committed.firstHandles[at] + index)
    }
    for (const record of committed.records) {
      if ('handle' in record && record.revision === 1) this.#noteNew(record.handle)
    }
  }

  #noteNew(handle: number): void {
    assert.ok(handle > 0 && !this.handles.has(handle), `handle ${handle} comes twice`)
    this.handles.add(handle)
  }
}

/** Commits to both, and asserts that both take it or both refuse it; what the store answers. */
export async function assertSameOutcome(
  store: CatalogStore,
  model: CatalogStoreModel,
  writes: readonly CatalogWrite[],
): Promise<Committed | undefined> {
  let expected: unknown
  try {
    model.commit(writes)
  } catch (error) {
    expected = error
  }
  const outcome = await store.commit(writes).catch((error: unknown) => error)
  const text = `${outcome} ${expected}`
  assert.equal(outcome instanceof CatalogConflict, expected !== undefined, text)
  if (outcome instanceof Error) {
    assert.ok(outcome instanceof CatalogConflict, text)
    return undefined
  }
  const { records } = outcome as Committed
  for (const record of records) {
    const { handle: _, ...rest } = record as StoredStream
    assert.deepEqual(rest, model.kept.get(keyText(record))?.record)
  }
  return outcome as Committed
}

const keyText = (key: { orgUid: string; kind: string; uid: string }) =>
  JSON.stringify([key.orgUid, key.kind, key.uid])

async function assertSameContents(
  store: CatalogStore,
  model: CatalogStoreModel,
  round: Round,
): Promise<void> {
  const scanned = await scanAll(store)
  for (const org of ORGS) {
    const orgUid = org + round.suffix
    const usage = (await store.usage(orgUid)).filter(({ documents }) => documents > 0)
    const byKind = (a: KindUsage, b: KindUsage) => (a.kind < b.kind ? -1 : 1)
    assert.deepEqual(usage.toSorted(byKind), model.usage(orgUid).sort(byKind))
    for (const claim of CLAIMS) {
      const holder = await store.findByClaim(orgUid, claim)
      assert.equal(holder?.uid, model.holderOf(orgUid, claim)?.uid)
    }
    await assertSameDocuments(store, model, orgUid)
    await assertSameComponents(store, model, { orgUid, scanned })
    await assertSameLists(store, model, orgUid)
  }
}

async function assertSameDocuments(
  store: CatalogStore,
  model: CatalogStoreModel,
  orgUid: string,
): Promise<void> {
  for (const kind of ['board', 'unit']) {
    for (const document of model.records<CatalogDocument>(orgUid, kind)) {
      const body = JSON.parse(JSON.stringify(document.body))
      assert.deepEqual(await store.get(document), { ...document, body })
    }
    const all = model.list({ orgUid, kind, start: 0, limit: 1_000 }).uids
    assert.deepEqual(await walkOver(store, { orgUid, kind, limit: 2 }), all)
    const others = [{ parentUid: 'p' }, { parentUid: '' }, { listKeyPrefix: 'a' }]
    const more = [{ descending: true }, { exceptUids: ['u1', newOrderedUid()] }]
    for (const part of [{}, ...others, ...more]) {
      const query = { orgUid, kind, start: 1, limit: 2, ...part }
      const { documents, totalCount } = await store.list(query)
      const uids = documents.map((one) => one.uid)
      assert.deepEqual({ uids, totalCount }, model.list(query))
    }
  }
}

async function assertSameComponents(
  store: CatalogStore,
  model: CatalogStoreModel,
  { orgUid, scanned }: { readonly orgUid: string; readonly scanned: ScannedRows },
): Promise<void> {
  const { components: reads } = store
  const [components, streams] = [new Set<string>(), new Set<string>()]
  for (const component of model.records<StoredComponent>(orgUid, 'component')) {
    const { uid } = component
    components.add(uid)
    assert.deepEqual(await reads.get(orgUid, uid), component)
    assert.deepEqual(scanned.components.get(uid), scannedComponentOf(component))
    const found = await reads.streamsOf(orgUid, uid, { start: 0, limit: 100 })
    const plain = found.map(({ handle: _, ...rest }) => rest)
    assert.deepEqual(plain, model.streamsOf(orgUid, uid))
    for (const stream of found) {
      streams.add(stream.uid)
      assert.deepEqual(await reads.getStream(orgUid, stream.uid), stream)
      assert.deepEqual(scanned.streams.get(stream.uid), scannedStreamOf(stream))
    }
  }
  for (const [uid, component] of scanned.components) {
    if (component.orgUid === orgUid) assert.ok(components.has(uid))
  }
  for (const [uid, { componentUid }] of scanned.streams) {
    if (components.has(componentUid)) assert.ok(streams.has(uid))
  }
  const holderOf = (claim: string) => model.holderOf(orgUid, claim)?.uid
  for (const id of IDS.slice(1)) {
    assert.equal((await reads.findById(orgUid, id))?.uid, holderOf(`component_id:${id}`))
  }
  for (const address of ADDRESSES) {
    assert.equal(
      (await reads.findAddressed(orgUid, [address]))[0]?.uid,
      holderOf(`addressed_as:${address}`),
    )
  }
  for (const series of SERIES) {
    assert.equal((await reads.findSeries(orgUid, [series]))[0]?.uid, holderOf(seriesClaim(series)))
  }
}

async function assertSameLists(
  store: CatalogStore,
  model: CatalogStoreModel,
  orgUid: string,
): Promise<void> {
  const all = model.listComponents({ orgUid, start: 0, limit: 100 }).uids
  const folders = FOLDERS.flatMap((folder) => [{ folder }, { folder, isDirect: true }])
  const some = { exceptUids: [all[0] ?? newComponentUid(), newComponentUid()] }
  for (const more of [{}, ...folders, some, { ...some, ...folders[1] }, { start: 0 }]) {
    const query = { orgUid, start: 1, limit: 2, ...more }
    const { components, totalCount } = await store.components.list(query)
    const uids = components.map(({ uid }) => uid)
    assert.deepEqual({ uids, totalCount }, model.listComponents(query), JSON.stringify(query))
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
