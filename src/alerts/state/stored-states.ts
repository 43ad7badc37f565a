/** States as a process finds them in the catalog when it begins to evaluate. */
import { nextIteration } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import type { CatalogDocument, CatalogStore } from '../../store/index.ts'
import type { StateTable } from '../evaluate/state-table.ts'
import type { WatchList } from '../evaluate/watch-list.ts'
import { afterEnd } from './next-state.ts'
import {
  ACKNOWLEDGMENT_KIND,
  placeKey,
  STATE_KIND,
  type StatePlace,
  type StoredAcknowledgment,
  type StoredState,
} from './state-documents.ts'

const PER_PAGE = 1_000

interface RestoreDeps {
  readonly catalogStore: Pick<CatalogStore, 'walk' | 'commit'>
  readonly index: StreamIndex
  readonly watches: WatchList
  readonly states: StateTable
}

/** Reads all states. Those that nothing watches any more are ended, and deleted. */
export async function restoreStates(
  deps: RestoreDeps,
  organizations: readonly { readonly uid: string }[],
): Promise<void> {
  for (const { uid: orgUid } of organizations) {
    for (let after: string | undefined; ; ) {
      const query = { orgUid, kind: STATE_KIND, after, limit: PER_PAGE }
      const { documents, next } = await deps.catalogStore.walk(query)
      const orphans = documents.filter((document) => !restore(deps, document))
      if (orphans.length > 0) {
        await deps.catalogStore.commit(
          orphans.map(({ kind, uid }) => {
            return { op: 'delete', orgUid, kind, uid, expectedRevision: 'any' } as const
          }),
        )
      }
      await nextIteration()
      if (next === undefined) break
      after = next
    }
  }
}

/** Takes in a state; false: its alert or its stream is gone. */
function restore({ index, watches, states }: RestoreDeps, document: CatalogDocument): boolean {
  const { alertUid, streamUid, componentUid: _, ...state } = document.body as unknown as StoredState
  const ref = watches.refOf(alertUid)
  const loaded = ref === undefined ? undefined : watches.byRef(ref)
  if (ref === undefined || loaded === undefined) return false
  const { orgUid } = document
  const handle = index.hasLivingUid(streamUid) ? index.streamByUid(orgUid, streamUid) : 0
  if (handle === 0) {
    states.endGone(loaded, { ...(document.body as unknown as StoredState) })
    return state.state !== 'OK'
  }
  states.restore(loaded, handle, state)
  if (watches.table.isWatchedBy(handle, ref)) return true
  const next = afterEnd(state, loaded.isActive ? 'unwatched' : 'disabled', states.nowMs)
  if (next !== undefined) states.note(loaded, handle, next)
  return true
}

/** Whether somebody has acknowledged the event by which a state began to fire. */
export async function isAcknowledged(
  catalog: Pick<CatalogStore, 'get'>,
  place: StatePlace,
  eventUid: string | null,
): Promise<boolean> {
  const found = await catalog.get(placeKey(ACKNOWLEDGMENT_KIND, place))
  const acknowledgment = found?.body as unknown as StoredAcknowledgment | undefined
  return acknowledgment !== undefined && acknowledgment.eventUid === eventUid
}
