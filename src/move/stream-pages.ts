import { EARLIEST_TIME, type EpochMs, epochMs, TIME_END } from '../base/index.ts'
import type { SampleColumns, SampleStore, StreamHandle, TextMemory } from '../store/index.ts'
import { persist } from './persist.ts'

/** Samples of one page: some hundred kilobytes. */
const SAMPLES_PER_PAGE = 8_192
/** What the texts of a page may take; one text is held whatever it takes. */
const TEXT_BYTES_MAX = 2 * 1024 * 1024

/** Texts that take too much for one page. */
class PageTooLong extends Error {}

/** A stretch of a stream. */
interface StreamSpan {
  readonly handle: StreamHandle
  readonly from: EpochMs
  readonly until: EpochMs
}

/** Samples of a stretch, and where the stretch that they fill ends. */
export interface StreamPage {
  readonly samples: SampleColumns
  readonly from: EpochMs
  readonly until: EpochMs
}

/** Everything of a stream from a time on. */
export function fromTime(handle: StreamHandle, from: EpochMs = EARLIEST_TIME): StreamSpan {
  return { handle, from, until: TIME_END }
}

/** Which samples pages have: those that everybody sees, or special values. */
type PageRead = 'range' | 'specials'

/** The samples of a stretch, oldest first, in pages that follow each other without gaps; the last may be empty. */
export async function* pagesOf(
  store: SampleStore,
  span: StreamSpan,
  read: PageRead = 'range',
): AsyncGenerator<StreamPage> {
  let limit = SAMPLES_PER_PAGE
  for (let from = span.from; from < span.until; ) {
    const samples = await readPage({ store, read }, { ...span, from }, limit)
    if (samples === undefined) {
      limit = Math.ceil(limit / 4)
      continue
    }
    const isLast = samples.count < limit
    const until = isLast ? span.until : epochMs(samples.times[samples.count - 1] + 1)
    yield { samples, from, until }
    from = until
    limit = Math.min(SAMPLES_PER_PAGE, limit * 2)
  }
}

/** Undefined when its texts take more than a page may hold. */
async function readPage(
  { store, read }: { readonly store: SampleStore; readonly read: PageRead },
  { handle, from, until }: StreamSpan,
  limit: number,
): Promise<SampleColumns | undefined> {
  const memory = limit > 1 ? textRoom() : undefined
  try {
    const query = { from, until, limit, order: 'oldest_first', memory } as const
    return await persist(() => store[read](handle, query))
  } catch (error) {
    if (error instanceof PageTooLong) return undefined
    throw error
  }
}

/** Whether a stream has a special value in a stretch. */
export async function hasSpecials(
  store: SampleStore,
  { handle, from, until }: StreamSpan,
): Promise<boolean> {
  const query = { from, until, limit: 1, order: 'oldest_first' } as const
  const { count } = await persist(() => store.specials(handle, query))
  return count > 0
}

function textRoom(): TextMemory {
  let held = 0
  return {
    get bytes() {
      return held
    },
    resize(bytes) {
      if (bytes > TEXT_BYTES_MAX) throw new PageTooLong()
      held = bytes
      return undefined
    },
  }
}
