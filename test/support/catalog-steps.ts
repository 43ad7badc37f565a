/** Random edits of components and streams, and what a catalog's index must answer after them. */
import assert from 'node:assert/strict'
import type { Catalog } from '../../src/catalog/index.ts'
import type { CatalogStore, StoredComponent, StoredStream } from '../../src/store/index.ts'
import { ownerOf } from './catalog.ts'
import { fc } from './fast-check.ts'

const COMP_IDS = ['', 'a', 'b', 'c']
const STREAM_IDS = ['', 's', 't', 'u']
const compId = fc.constantFrom(...COMP_IDS)
const streamId = fc.constantFrom(...STREAM_IDS)
const pick = fc.nat(5)

export const catalogStep = fc.oneof(
  fc.record({ op: fc.constant('insert' as const), id: compId, streams: fc.array(streamId) }),
  fc.record({ op: fc.constant('rename' as const), pick, id: compId }),
  fc.record({ op: fc.constant('delete' as const), pick }),
  fc.record({ op: fc.constant('create' as const), id: compId, streams: fc.array(streamId) }),
  fc.record({ op: fc.constant('addStream' as const), pick, id: streamId }),
  fc.record({ op: fc.constant('renameStream' as const), pick, which: pick, id: streamId }),
  fc.record({ op: fc.constant('deleteStream' as const), pick, which: pick }),
  fc.record({ op: fc.constant('reorder' as const), pick, rotation: pick }),
)
export type CatalogStep = typeof catalogStep extends fc.Arbitrary<infer T> ? T : never

async function componentsOf(store: CatalogStore, orgUid: string): Promise<StoredComponent[]> {
  return (await store.components.list({ orgUid, start: 0, limit: 1_000 })).components
}

async function streamsOf(store: CatalogStore, { orgUid, uid }: StoredComponent) {
  return await store.components.streamsOf(orgUid, uid, { start: 0, limit: 1_000 })
}

/** Does a step; what the catalog refuses is no error. */
export async function doStep(
  catalog: Catalog,
  store: CatalogStore,
  { orgUid, one }: { orgUid: string; one: CatalogStep },
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
export async function assertFollows(catalog: Catalog, store: CatalogStore, orgUid: string) {
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
