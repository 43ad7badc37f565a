import { useSyncExternalStore } from 'react'
import { WatchedMedia } from '../style/watched-media.ts'

/** The width of the stylesheets up to which a page is laid out for a phone. */
const narrow = new WatchedMedia('(max-width: 640px)')

/** Whether the page is laid out for a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(narrow.subscribe, narrow.isMatched)
}
