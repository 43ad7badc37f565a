import type { SampleStore } from '../../store/index.ts'
import type { SlicedWork } from './sliced-work.ts'

/** What sending needs of a store. */
export type LiveStore = Pick<SampleStore, 'latest' | 'range' | 'follow'>

/**
 * The same store, whose answers are waited for without that counting as work: those of a cluster come from elsewhere, and
 * the main thread is free meanwhile.
 */
export function waitedFor(store: LiveStore, work: SlicedWork): LiveStore {
  const aside = async <T>(answer: Promise<T>): Promise<T> => {
    work.end()
    try {
      return await answer
    } finally {
      work.begin()
    }
  }
  return {
    latest: (handles, options) => aside(store.latest(handles, options)),
    range: (handle, query) => aside(store.range(handle, query)),
    follow: () => store.follow(),
  }
}
