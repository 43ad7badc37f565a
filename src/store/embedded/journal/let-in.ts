import type { PendingRecord } from './frame-buffer.ts'
import { onlyRemoves } from './record.ts'

/** What becomes of records that wait when there is no next segment. */
interface SortedRecords {
  /** The next frame. */
  readonly first: PendingRecord[]
  /** Goes into a frame behind it. */
  readonly second: PendingRecord[]
  readonly refused: PendingRecord[]
}

/**
 * Sorts what waits on a full disk: what room was kept for finds it, then what only removes has the end of the last
 * segment. What was tried by itself just now is refused: there is nothing left to try.
 */
export function sortLetIn(
  waiting: readonly PendingRecord[],
  tried: readonly PendingRecord[],
): SortedRecords {
  const hasRoom = ({ room }: PendingRecord): boolean => room !== undefined
  const isRemoval = (entry: PendingRecord): boolean => !hasRoom(entry) && onlyRemoves(entry.record)
  const wereTried = (is: (entry: PendingRecord) => boolean) => tried.length > 0 && tried.every(is)
  const kept = wereTried(hasRoom) ? [] : waiting.filter(hasRoom)
  const removals = wereTried(isRemoval) ? [] : waiting.filter(isRemoval)
  const letIn = new Set([...kept, ...removals])
  return {
    ...(kept.length > 0 ? { first: kept, second: removals } : { first: removals, second: [] }),
    refused: waiting.filter((entry) => !letIn.has(entry)),
  }
}
