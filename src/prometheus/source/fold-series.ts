import type { Feed } from '../../feed/index.ts'
import type { FoldedSeries, SeriesFold } from '../../promql/plain.ts'
import type { StreamHandle } from '../../store/index.ts'

interface FoldParts {
  readonly feed: Feed
  readonly mayRead: (handle: number) => handle is StreamHandle
  /** Throws when the query has ended. */
  readonly checkStop: () => void
  /** Waits for the memory of a number of samples. */
  readonly makeRoom: (samples: number) => Promise<void>
}

/** Values of windows from the summaries of the store. */
export async function foldSeries(
  { feed, mayRead, checkStop, makeRoom }: FoldParts,
  { refs, ...windows }: SeriesFold,
): Promise<FoldedSeries> {
  await makeRoom(refs.length * windows.windowCount)
  const handles = refs as readonly StreamHandle[]
  const isLeftOut = (handle: StreamHandle) => !mayRead(handle)
  return await feed.foldWindows({ ...windows, handles, isLeftOut, checkStop })
}
