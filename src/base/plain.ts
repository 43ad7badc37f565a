/**
 * The part of this folder that threads share: what needs no library and reads no setting. A thread loads every file that
 * its own name, so what runs in threads names this door, and all others the whole, index.ts.
 */
export { BoundedCache } from './bounded-cache.ts'
export { CallQueue } from './call-queue.ts'
export { characterCount } from './character-count.ts'
export { type Clock, ManualClock, systemClock } from './clock.ts'
export { growColumn } from './columns/grow-column.ts'
export { countAtMost, countBelow } from './columns/sorted-column.ts'
export { readUid, showUid, UID_WORDS } from './columns/uid-words.ts'
export {
  componentUidOf,
  countedOrdinal,
  countedUidOf,
  countsStreams,
  isCountedForm,
  ORDINAL_END,
  ordinalOf,
} from './counted-uid.ts'
export { requireCreatable } from './creation-limit.ts'
export { EARLIEST_TIME, type EpochMs, epochMs, isSampleTime, TIME_END } from './epoch.ts'
export { Refusal, refusal, refuse } from './errors.ts'
export { readId, refuseFieldAt, requireUnicode, showValue } from './field-checks.ts'
export {
  type FileSource,
  filesBelow,
  installationFolder,
  installedFiles,
  isSingleFile,
} from './installation.ts'
export { invariant, unreachable } from './invariant.ts'
export { KillableThread, serveThread, ThreadExhausted } from './killable-thread.ts'
export * from './limits.ts'
export { freeBytes } from './memory/free-bytes.ts'
export { ITEMS_PER_SLICE, inSlices, nextIteration, Pacer } from './pacer.ts'
export {
  parseClamped,
  parseWhole,
  type QueryPairs,
  readChoice,
  readFlag,
  readLoosePairs,
  readQueryPairs,
  readSingle,
  readWhole,
} from './query-pairs.ts'
export { sortInSlices } from './sort-in-slices.ts'
export { lowestBitExponent, powerOf2 } from './sums/double-bits.ts'
export { ExactSums } from './sums/exact-sums.ts'
export { trimEndOf } from './trim-end.ts'
