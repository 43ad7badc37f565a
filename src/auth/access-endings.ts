/**
 * Notices of users whose sessions and grants have to end. One is committed with what makes it so, such as
 * a changed password, and goes when all has ended: a kill in between leaves nothing open for good.
 */
import type { CatalogStore, DocumentKey, PutDocument } from '../store/index.ts'

const KIND = 'access_ending'
const PAGE = 100

/** The notice for the commit after which a user's access has to end. */
export function planAccessEnding(userUid: string): PutDocument {
  return {
    op: 'put',
    ...keyOf(userUid),
    body: {},
    mayUseReserve: true,
    expectedRevision: 'any',
  }
}

/** Takes the notice away, as nothing of the user is open any more. */
export async function noteAccessEnded(store: CatalogStore, userUid: string): Promise<void> {
  await store.commit([{ op: 'delete', ...keyOf(userUid), expectedRevision: 'any' }])
}

/** Ends what the notices of the last run are about; `end` takes each away when it is done. */
export async function resumeAccessEndings(
  store: CatalogStore,
  end: (userUid: string) => Promise<void>,
): Promise<void> {
  for (;;) {
    const { documents } = await store.list({ orgUid: '', kind: KIND, start: 0, limit: PAGE })
    for (const { uid } of documents) await end(uid)
    if (documents.length === 0) return
  }
}

function keyOf(uid: string): DocumentKey {
  return { orgUid: '', kind: KIND, uid }
}
