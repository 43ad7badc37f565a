import type { CatalogStore, Lease } from '../../store/index.ts'
import { ACKNOWLEDGMENT_KIND, EVENT_KIND, MUTE_KIND, STATE_KIND } from './state-documents.ts'

const PER_COMMIT = 500

/** Deletes all documents of an alert that was deleted. */
export async function deleteChildren(
  catalog: Pick<CatalogStore, 'list' | 'commit'>,
  { orgUid, uid: parentUid }: { readonly orgUid: string; readonly uid: string },
  lease: Lease | undefined,
): Promise<void> {
  for (const kind of [MUTE_KIND, ACKNOWLEDGMENT_KIND, STATE_KIND, EVENT_KIND]) {
    for (;;) {
      const query = { orgUid, kind, parentUid, start: 0, limit: PER_COMMIT, leavesOutDamaged: true }
      const { documents } = await catalog.list(query)
      if (documents.length === 0) break
      const deletions = documents.map(({ uid }) => {
        return { op: 'delete', orgUid, kind, uid, expectedRevision: 'any' } as const
      })
      await catalog.commit(deletions, lease)
    }
  }
}
