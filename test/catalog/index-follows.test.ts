import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal, refuse } from '../../src/base/index.ts'
import { type Catalog, openCatalog } from '../../src/catalog/index.ts'
import type { CatalogStore, StoredComponent, StoredStream } from '../../src/store/index.ts'
import { ownerOf, people, withCatalog } from '../support/catalog.ts'
import { fc } from '../support/fast-check.ts'

const COMP_IDS = ['', 'a', 'b', 'c']
const STREAM_IDS = ['', 's', 't', 'u']
const compId = fc.constantFrom(...COMP_IDS)
const streamId = fc.constantFrom(...STREAM_IDS)
const pick = fc.nat(5)

const step = fc.oneof(
  fc.record({ op: fc.constant('insert' as const), id: compId, streams: fc.array(streamId) }),
  fc.record({ op: fc.constant('rename' as const), pick, id: compId }),
  fc.record({ op: fc.constant('delete' as const), pick }),
  fc.record({ op: fc.constant('create' as const), id: compId, streams: fc.array(streamId) }),
  fc.record({ op: fc.constant('addStream' as const), pick, id: streamId }),
  fc.record({ op: fc.constant('renameStream' as const), pick, which: pick, id: streamId }),
  fc.record({ op: fc.constant('deleteStream' as const), pick, which: pick }),
  fc.record({ op: fc.constant('reorder' as const), pick, rotation: pick }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function componentsOf(store: CatalogStore, orgUid: string): Promise<StoredComponent[]> {
  return (await store.components.list({ orgUid, start: 0, limit: 1_000 })).components
}

async function streamsOf(store: CatalogStore, { orgUid, uid }: StoredComponent) {
  return await store.components.streamsOf(orgUid, uid, { start: 0, limit: 1_000 })
}

/** Does a step; what the catalog refuses is no error. */
async function doStep(
  catalog: Catalog,
  store: CatalogStore,
  { orgUid, one }: { orgUid: string; one: Step },
) {
  const { components, streams } = catalog
  const owner = ownerOf(orgUid)
  if (one.op === 'insert') {
    await components.insert(owner, { id: one.id, stream: one.streams.map((id) => ({ id })) })
    return
  }
  if (one.op === 'create') {
    const wanted = [...new Set(one.streams)].map((id) => ({ streamId: id, valueType: '' as const }))
    await catalog.autoCreate(orgUid, [{ compId: one.id, rules: {}, streams: wanted }])
    return
  }
  const all = await componentsOf(store, orgUid)
  if (all.length === 0) return
  const { uid } = all[one.pick % all.length]
  if (one.op === 'rename') await components.update(owner, uid, { id: one.id })
  if (one.op === 'delete') await components.delete(owner, uid)
  if (one.op === 'addStream') await streams.insert(owner, uid, { id: one.id })
  const { stream = [] } = one.op === 'delete' ? {} : await components.get(owner, uid)
  if (stream.length === 0) return
  if (one.op === 'renameStream') {
    const key = { componentUid: uid, uid: stream[one.which % stream.length].uid }
    await streams.update(owner, key, { id: one.id })
  }
  if (one.op === 'deleteStream')
    await streams.delete(owner, uid, stream[one.which % stream.length].uid)
  if (one.op === 'reorder') {
    const at = one.rotation % stream.length
    const rotated = [...stream.slice(at), ...stream.slice(0, at)]
    await components.update(owner, uid, { stream: rotated.map((each) => ({ uid: each.uid })) })
  }
}

/** The look-ups of a catalog against what its store holds. */
async function assertFollows(catalog: Catalog, store: CatalogStore, orgUid: string) {
  const { index } = catalog
  const components = await componentsOf(store, orgUid)
  for (const id of COMP_IDS) {
    const holder = components.find((one) => id !== '' && one.id === id)
    assert.equal(index.resolveComponent(orgUid, id)?.uid, holder?.uid)
  }
  let streamCount = 0
  for (const component of components) {
    const entry = index.componentByUid(orgUid, component.uid)
    assert.ok(entry !== undefined)
    const own: StoredStream[] = await streamsOf(store, component)
    streamCount += own.length
    const sorted = own.toSorted((a, b) => a.order - b.order || (a.uid < b.uid ? -1 : 1))
    assert.deepEqual(
      entry.streams,
      sorted.map(({ handle }) => handle),
    )
    for (const id of STREAM_IDS) {
      const holder = own.find((one) => id !== '' && one.id === id)
      assert.equal(index.resolveStream(entry, id), holder?.handle ?? 0)
    }
  }
  const counted = (await store.usage(orgUid)).find(({ kind }) => kind === 'stream')
  assert.equal(counted?.documents ?? 0, streamCount, 'a stream has no component')
}

test('the index follows every edit, as a restart and another process see it', () =>
  withCatalog(async (opened) => {
    const { catalog, store, clock } = opened
    const onlooker = await openCatalog({ store, people, clock })
    let round = 0
    const scenario = fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const orgUid = `org-${round++}`
      for (const one of steps) {
        await doStep(catalog, store, { orgUid, one }).catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error
        })
      }
      await assertFollows(catalog, store, orgUid)
      await onlooker.refresh()
      await assertFollows(onlooker, store, orgUid)
    })
    await fc.assert(scenario, { numRuns: 40 })
    await opened.restart()
    for (let number = 0; number < round; number++) {
      await assertFollows(opened.catalog, opened.store, `org-${number}`)
    }
  }))

test('two catalogs on one store that create and delete at once agree in the end', () =>
  withCatalog(async ({ catalog, store, clock }) => {
    const other = await openCatalog({ store, people, clock })
    const put = (on: Catalog, number: number) =>
      on.autoCreate('org', [
        {
          compId: `c${number % 3}`,
          rules: { folder: '/Components/f' },
          streams: [{ streamId: `s${number % 7}`, valueType: 'DOUBLE' }],
        },
      ])
    const calls = Array.from({ length: 30 }, (_, number) =>
      put([catalog, other][number % 2], number),
    )
    const results = await Promise.all(calls)
    assert.equal(new Set(results.map(([{ component }]) => component.uid)).size, 3)
    await Promise.all([catalog.refresh(), other.refresh()])
    await assertFollows(catalog, store, 'org')
    await assertFollows(other, store, 'org')
  }))

test('a deletion that its listeners could not finish is told again after a restart', () =>
  withCatalog(async (opened) => {
    const owner = ownerOf('org')
    const made = await opened.catalog.components.insert(owner, { stream: [{ valueType: 'FILE' }] })
    opened.catalog.onStreamsDeleted(() => {
      throw new Error('the disk is gone')
    })
    await assert.rejects(opened.catalog.components.delete(owner, made.uid), /the disk is gone/)
    await opened.restart()
    assert.equal(opened.catalog.index.streamCount, 0)
    const told: unknown[] = []
    opened.catalog.onStreamsDeleted((streams) => {
      told.push(...streams)
    })
    await opened.catalog.resumeDeletions()
    assert.deepEqual(told, [{ orgUid: 'org', handle: 1, valueCode: 13 }])
    await opened.catalog.resumeDeletions()
    assert.equal(told.length, 1)
  }))

test('a deletion is done although the disk is full before its notice is gone, and told again after a restart', () =>
  withCatalog(async (opened) => {
    const owner = ownerOf('org')
    const made = await opened.catalog.components.insert(owner, {
      stream: [{ id: 's' }, { id: 't' }],
    })
    const told: unknown[] = []
    const listen = () => opened.catalog.onStreamsDeleted((streams) => void told.push(...streams))
    const fill = () =>
      Object.assign(opened.store, {
        commit: async () =>
          refuse('read_only', {
            what: 'Cannot store this: the disk is full',
            retryAfterSeconds: 5,
          }),
      })
    listen()
    opened.catalog.onStreamsDeleted(() => void fill())
    await opened.catalog.components.delete(owner, made.uid)
    assert.equal(told.length, 2)
    await opened.restart()
    assert.equal(opened.catalog.index.streamCount, 0)
    listen()
    const { commit } = opened.store
    fill()
    // A start on a disk that is still full does not hang on it.
    await opened.catalog.resumeDeletions()
    Object.assign(opened.store, { commit })
    await opened.catalog.resumeDeletions()
    assert.equal(told.length, 6)
    await opened.catalog.resumeDeletions()
    assert.equal(told.length, 6)
  }))
