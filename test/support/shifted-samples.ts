import type {
  Removal,
  SampleBatch,
  SampleReads,
  SampleStore,
  StreamHandle,
  TouchedSpan,
} from '../../src/store/index.ts'

/**
 * A store whose streams begin at another number, so that several tests share the tables of one keyspace
 * without meeting each other's streams.
 */
export function shiftedSamples(store: SampleStore, by: number): SampleStore {
  const there = (handle: StreamHandle) => (handle + by) as StreamHandle
  const removalThere = (removal: Removal) => ({ ...removal, handle: there(removal.handle) })
  const spanHere = (span: TouchedSpan): TouchedSpan => ({
    ...span,
    handle: (span.handle - by) as StreamHandle,
  })
  const batchThere = (batch: SampleBatch): SampleBatch => ({
    ...batch,
    handles: batch.handles.map((handle) => (handle > 0 ? handle + by : handle)),
    removals: batch.removals.map(removalThere),
  })
  const readsThere = (reads: SampleReads): SampleReads => ({
    range: (handle, query) => reads.range(there(handle), query),
    latest: (handles, options) => reads.latest(handles.map(there), options),
    span: (handle) => reads.span(there(handle)),
    fold: (handle, edges, memory) => reads.fold(there(handle), edges, memory),
    outline: (handle, edges, memory) => reads.outline(there(handle), edges, memory),
  })
  return {
    ...readsThere(store),
    reads: () => readsThere(store.reads?.() ?? store),
    keepRoom: (bytes) => store.keepRoom(bytes),
    append: (batch) => store.append(batchThere(batch)),
    appendSpecials: (batch) => store.appendSpecials(batchThere(batch)),
    amend: (span, make) =>
      store.amend(removalThere(span), async () => {
        const { batch, ...form } = await make()
        return { batch: batchThere(batch), ...form }
      }),
    specials: (handle, query) => store.specials(there(handle), query),
    windows: (handle, edges, statistic) => store.windows(there(handle), edges, statistic),
    remove: (removal, isWanted) => store.remove(removalThere(removal), isWanted),
    forget: (handles) => store.forget(handles.map(there)),
    touchedSince: async (cursor, limit) => {
      const { spans, cursor: next } = await store.touchedSince(cursor, limit)
      return { spans: spans.map(spanHere), cursor: next }
    },
    watch: (handles) => store.watch(handles.map(there)),
    watchAlso: (handle) => store.watchAlso(there(handle)),
    follow: () => {
      const follow = store.follow()
      return {
        add: (handle) => follow.add(there(handle)),
        delete: (handle) => follow.delete(there(handle)),
        take: () => follow.take().map(spanHere),
        close: () => follow.close(),
      }
    },
    status: () => store.status(),
    close: () => store.close(),
  }
}
