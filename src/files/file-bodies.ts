import type { Amendment, BlobStore, Removal, SampleStore, StreamHandle } from '../store/index.ts'
import type { FileUsage } from './file-usage.ts'
import { allOf, filesIn } from './files-in.ts'

/** Bodies deleted by one call, some megabytes of keys. The sweep deletes the rest. */
const BODIES_PER_CALL_MAX = 100_000

interface FileBodiesDeps {
  readonly store: SampleStore
  readonly blobs: BlobStore
  /** Whether the stream holds files. */
  readonly isFileStream: (handle: StreamHandle) => boolean
  /** Called with the bytes that are removed. */
  readonly usage: Pick<FileUsage, 'change'>
}

/**
 * A sample store that removes the bodies of files with their samples: a call that removes a range
 * or forgets a stream need not know of files. Bodies go after their samples are gone
 * for good; what a crash leaves in between is for the sweep.
 */
export function withFileBodies(deps: FileBodiesDeps): SampleStore {
  const { store, blobs, isFileStream, usage } = deps
  const ofFiles = ({ handle }: Removal): boolean => isFileStream(handle)
  const removing = <T>(removals: readonly Removal[], remove: () => Promise<T>) => {
    const handles = removals.map(({ handle }) => handle)
    return removingChosen(handles, async () => removals, remove)
  }
  const removingChosen = async <T>(
    handles: readonly StreamHandle[],
    choose: () => Promise<readonly Removal[]>,
    remove: () => Promise<T>,
  ) => {
    const { isRemoved, keys } = await usage.change(handles, async (note) => {
      const found = await sumUp(store, await choose())
      const isRemoved = await remove()
      if (isRemoved === false) return { isRemoved, keys: [] }
      for (const [handle, bytes] of found.bytes) note(handle, -bytes)
      return { isRemoved, keys: found.keys }
    })
    for (const key of keys) await blobs.delete(key)
    return isRemoved
  }
  return {
    keepRoom: (bytes) => store.keepRoom(bytes),
    // Nulls make gaps: such a batch takes samples out, and may take files.
    append: (batch, room) =>
      batch.removals.some(ofFiles)
        ? removing(batch.removals.filter(ofFiles), () => store.append(batch, room))
        : store.append(batch, room),
    // Only numbers have special values.
    appendSpecials: (batch) => store.appendSpecials(batch),
    amend: (span, make) => {
      if (!isFileStream(span.handle)) return store.amend(span, make)
      let amendment: Promise<Amendment>
      const choose = async () => {
        amendment = make()
        return (await amendment).batch.removals
      }
      // Nothing else changes the files of the stream meanwhile.
      return removingChosen([span.handle], choose, () => store.amend(span, () => amendment))
    },
    specials: (handle, query) => store.specials(handle, query),
    range: (handle, query) => store.range(handle, query),
    latest: (handles, options) => store.latest(handles, options),
    span: (handle) => store.span(handle),
    fold: (handle, edges, memory) => store.fold(handle, edges, memory),
    outline: (handle, edges, memory) => store.outline(handle, edges, memory),
    windows: (handle, edges, statistic) => store.windows(handle, edges, statistic),
    reads: store.reads?.bind(store),
    remove: (removal, isWanted) =>
      isFileStream(removal.handle)
        ? removing([removal], () => store.remove(removal, isWanted))
        : store.remove(removal, isWanted),
    forget: (handles) =>
      removing(handles.filter(isFileStream).map(allOf), () => store.forget(handles)),
    touchedSince: (cursor, limit) => store.touchedSince(cursor, limit),
    watch: (handles) => store.watch(handles),
    watchAlso: (handle) => store.watchAlso(handle),
    follow: () => store.follow(),
    status: () => store.status(),
    close: () => store.close(),
  }
}

/** The bytes of the files in some ranges, by stream, and the keys of the first of them. */
async function sumUp(
  store: SampleStore,
  removals: readonly Removal[],
): Promise<{ bytes: Map<StreamHandle, number>; keys: string[] }> {
  const keys: string[] = []
  const bytes = new Map<StreamHandle, number>()
  for (const removal of apart(removals)) {
    const { handle } = removal
    for await (const { record } of filesIn(store, removal)) {
      if (keys.length < BODIES_PER_CALL_MAX) keys.push(record.key)
      bytes.set(handle, (bytes.get(handle) ?? 0) + record.bytes)
    }
  }
  return { bytes, keys }
}

/** The same removals without overlaps, so that no file is met twice. */
function apart(removals: readonly Removal[]): Removal[] {
  const sorted = [...removals].sort((a, b) => a.handle - b.handle || a.from - b.from)
  const separate: Removal[] = []
  for (const removal of sorted) {
    const last = separate.at(-1)
    const isBehind =
      last === undefined || last.handle !== removal.handle || last.until <= removal.from
    if (isBehind) separate.push(removal)
    else if (removal.until > last.until) separate.push({ ...removal, from: last.until })
  }
  return separate
}
