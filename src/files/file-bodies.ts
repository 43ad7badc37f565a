import { EARLIEST_TIME, type EpochMs, epochMs, TIME_END } from '../base/index.ts'
import type { BlobStore, Removal, SampleStore, StreamHandle } from '../store/index.ts'
import { type FileRecord, readFileRecord } from './file-record.ts'

/** Samples looked at in one read: keeps what is held small, however many files go. */
const PAGE_LENGTH = 1_000

/** Bodies that one call takes along, some megabytes of keys; what is beyond is left to the sweep. */
const BODIES_PER_CALL_MAX = 100_000

interface FileBodiesDeps {
  readonly store: SampleStore
  readonly blobs: BlobStore
  /** Whether the stream holds files. */
  readonly isFileStream: (handle: StreamHandle) => boolean
}

/**
 * A sample store that takes the bodies of files along with their samples: whoever removes a range
 * or forgets a stream need not know of files. Bodies go after their samples are gone
 * for good; what a crash leaves in between is for the sweep.
 */
export function withFileBodies(deps: FileBodiesDeps): SampleStore {
  const { store, blobs, isFileStream } = deps
  const ofFiles = ({ handle }: Removal): boolean => isFileStream(handle)
  const removing = async <T>(removals: readonly Removal[], remove: () => Promise<T>) => {
    const keys = await firstKeysIn(store, removals)
    const isRemoved = await remove()
    if (isRemoved !== false) for (const key of keys) await blobs.delete(key)
    return isRemoved
  }
  return {
    // Nulls make gaps: such a batch takes samples out, and may take files.
    append: (batch) =>
      batch.removals.some(ofFiles)
        ? removing(batch.removals.filter(ofFiles), () => store.append(batch))
        : store.append(batch),
    range: (handle, query) => store.range(handle, query),
    latest: (handles) => store.latest(handles),
    span: (handle) => store.span(handle),
    fold: (handle, edges) => store.fold(handle, edges),
    remove: (removal, isWanted) =>
      isFileStream(removal.handle)
        ? removing([removal], () => store.remove(removal, isWanted))
        : store.remove(removal, isWanted),
    forget: (handles) =>
      removing(handles.filter(isFileStream).map(allOf), () => store.forget(handles)),
    touchedSince: (cursor, limit) => store.touchedSince(cursor, limit),
    watch: (handles) => store.watch(handles),
    status: () => store.status(),
    close: () => store.close(),
  }
}

async function firstKeysIn(store: SampleStore, removals: readonly Removal[]): Promise<string[]> {
  const keys: string[] = []
  for (const removal of removals) {
    for await (const key of keysIn(store, removal)) {
      if (keys.length === BODIES_PER_CALL_MAX) return keys
      keys.push(key)
    }
  }
  return keys
}

/** The keys of the bodies that a stream's samples name in a range, oldest first. */
export async function* keysIn(store: SampleStore, removal: Removal): AsyncGenerator<string> {
  for await (const { record } of filesIn(store, removal)) yield record.key
}

/** What a stream's samples say of their files in a range, oldest first. */
export async function* filesIn(
  store: Pick<SampleStore, 'range'>,
  removal: Removal,
): AsyncGenerator<{ readonly time: EpochMs; readonly record: FileRecord }> {
  const { handle, until } = removal
  for (let from: EpochMs = removal.from; from < until; ) {
    const query = { from, until, limit: PAGE_LENGTH, order: 'oldest_first' } as const
    const { count, times, texts } = await store.range(handle, query)
    for (let index = 0; index < count; index += 1) {
      const text = texts?.[index]
      if (text !== undefined) yield { time: epochMs(times[index]), record: readFileRecord(text) }
    }
    if (count < PAGE_LENGTH) return
    from = epochMs(times[count - 1] + 1)
  }
}

/** Everything of a stream. */
export function allOf(handle: StreamHandle): Removal {
  return { handle, from: EARLIEST_TIME, until: TIME_END }
}
