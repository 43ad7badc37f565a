import { EARLIEST_TIME, type EpochMs, epochMs, TIME_END } from '../base/index.ts'
import type { Removal, SampleStore, StreamHandle } from '../store/index.ts'
import { type FileRecord, readFileRecord } from './file-record.ts'

/** Samples looked at in one read: keeps what is held small, however many files go. */
const PAGE_LENGTH = 1_000

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
