/** What a scan of a catalog hands out, as rows that tests compare. */
import assert from 'node:assert/strict'
import { countedUidOf, showUid, UID_WORDS } from '../../src/base/index.ts'
import type { CatalogStore, StoredComponent, StoredStream } from '../../src/store/index.ts'

export interface ScannedRows {
  readonly cursor: number
  /** By UID. */
  readonly components: Map<string, ScannedComponent>
  readonly streams: Map<string, ScannedStream>
}

type ScannedComponent = Pick<StoredComponent, 'orgUid' | 'id' | 'timeZone'>

/** What a start needs to know of a stream. */
type ScannedStream = Pick<
  StoredStream,
  | 'componentUid'
  | 'handle'
  | 'id'
  | 'order'
  | 'streamKind'
  | 'valueCode'
  | 'isDerived'
  | 'hasDeleteProfile'
  | 'grid'
>

/** Scans a catalog, and asserts what is promised of every scan. */
export async function scanAll(store: CatalogStore): Promise<ScannedRows> {
  const components = new Map<string, ScannedComponent>()
  const streams = new Map<string, ScannedStream>()
  const uidOf = new Map<number, string>()
  const seen = { counts: 0, lastComponent: -1, finished: new Set<number>() }
  const { cursor, lost } = await store.components.scan({
    onCount: (counts) => {
      seen.counts += 1
      assert.ok(components.size === 0 && counts.components >= 0 && counts.streams >= 0)
    },
    onComponents: ({ refs, orgUids, uidWords, ids, timeZones }) => {
      assert.equal(streams.size, 0, 'all components come first')
      for (const [at, ref] of refs.entries()) {
        const uid = showUid(uidWords, at * UID_WORDS)
        uidOf.set(ref, uid)
        assert.ok(!components.has(uid), 'each comes once')
        components.set(uid, { orgUid: orgUids[at], id: ids[at], timeZone: timeZones[at] })
      }
    },
    onStreams: (block) => {
      for (const [at, ref] of block.componentRefs.entries()) {
        const componentUid = uidOf.get(ref)
        assert.ok(componentUid !== undefined, 'of a component that came before')
        if (ref !== seen.lastComponent) seen.finished.add(seen.lastComponent)
        assert.ok(!seen.finished.has(ref), 'those of one component come one after the other')
        seen.lastComponent = ref
        const ordinal = block.ordinals[at]
        const uid = ordinal === 0 ? block.uids.get(at) : countedUidOf(componentUid, ordinal)
        assert.ok(uid !== undefined && !streams.has(uid))
        streams.set(uid, {
          componentUid,
          handle: block.handles[at] as StoredStream['handle'],
          id: block.ids[at],
          order: block.orders[at],
          ...block.definitions[at],
        })
      }
    },
  })
  assert.equal(seen.counts, 1)
  assert.equal(lost, undefined)
  return { cursor, components, streams }
}

/** A component in a scan. */
export function scannedComponentOf(component: StoredComponent): ScannedComponent {
  const { orgUid, id, timeZone } = component
  return { orgUid, id, timeZone }
}

/** A stream in a scan. */
export function scannedStreamOf(stream: StoredStream): ScannedStream {
  const { componentUid, handle, id, order } = stream
  const { streamKind, valueCode, isDerived, hasDeleteProfile, grid } = stream
  const definition = { streamKind, valueCode, isDerived, hasDeleteProfile, grid }
  return { componentUid, handle, id, order, ...definition }
}
