import { refuse } from '../../base/index.ts'
import type { CatalogWrite, DocumentKey } from '../../store/index.ts'
import type { Documents } from './documents.ts'
import { NO_RECORD } from './record-change.ts'
import { isMarkConflict, MARK } from './record-uses.ts'

const TRIES_MAX = 8

/**
 * Runs an attempt that checks that a record is unused and then commits. The attempt adds the write it is given to its
 * commit; the commit then fails if a use was added after the check, and the attempt runs again.
 */
export async function whileUnused<T>(
  documents: Documents,
  { orgUid, uid }: DocumentKey,
  attempt: (unmark: CatalogWrite) => Promise<T>,
): Promise<T> {
  const mark = { orgUid, kind: MARK, uid }
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const marking = { op: 'put', ...mark, body: {}, mayUseReserve: true } as const
    const { records } = await documents.commit([{ ...marking, expectedRevision: 'any' }], NO_RECORD)
    const [{ revision }] = records
    // Calls that committed before the mark may still be on their way into the index that is looked at.
    await documents.followed()
    try {
      return await attempt({ op: 'delete', ...mark, expectedRevision: revision })
    } catch (error) {
      if (isMarkConflict(error)) continue
      const removal = { op: 'delete', ...mark, expectedRevision: 'any' } as const
      const unmarking = documents.commit([removal], NO_RECORD)
      // A mark that stays does no harm; what made the attempt fail is reported.
      await unmarking.catch(() => {})
      throw error
    }
  }
  return refuse('conflict', { what: 'Other requests keep using this record. Try again' })
}
