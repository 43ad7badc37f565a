/**
 * Keeps what calls under way would write out of an organization that is deleted. Who closes it waits for the
 * commits that had begun, so that whatever was written before can be found and deleted, and nothing comes after.
 */
import { BoundedCache, refuse } from '../../base/index.ts'
import { type CatalogStore, type CatalogWrite, withCommit } from '../../store/index.ts'

/** A row in the organization of origin beside each one that was made from it: quotas count them. */
export const MADE_KIND = 'made_organization'

/** Organizations remembered as deleted. No call runs long enough for this many more to be deleted. */
const CLOSED_MAX = 100_000

/** The organizations into which nothing is written any more. */
export class OrganizationFence {
  readonly #closed = new BoundedCache<string, true>(CLOSED_MAX)
  readonly #running = new Set<Promise<unknown>>()

  /** Whether the organization is deleted, or being so. */
  isClosed(orgUid: string): boolean {
    return this.#closed.get(orgUid) === true
  }

  /** Closes an organization; resolves when the commits that had begun have settled. */
  async close(orgUid: string): Promise<void> {
    this.#closed.set(orgUid, true)
    await Promise.allSettled(this.#running)
  }

  /** The same store, which refuses with `forbidden` to put anything into a closed organization. */
  around(store: CatalogStore): CatalogStore {
    return withCommit(store, async (writes, lease, limits) => {
      this.#requireOpen(writes)
      const running = store.commit(writes, lease, limits)
      this.#running.add(running)
      try {
        return await running
      } finally {
        this.#running.delete(running)
      }
    })
  }

  #requireOpen(writes: readonly CatalogWrite[]): void {
    let open = ''
    for (const { op, orgUid, kind } of writes) {
      if (op === 'delete' || op === 'expect') continue
      // Organizations are counted at their origin also when that has gone.
      if (orgUid === open || kind === MADE_KIND) continue
      if (this.isClosed(orgUid)) {
        refuse('forbidden', { what: 'The organization of this request was deleted' })
      }
      open = orgUid
    }
  }
}
