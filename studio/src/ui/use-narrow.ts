import { useSyncExternalStore } from 'react'

/** The width of the stylesheets up to which a page is laid out for a phone. */
const narrow = matchMedia('(max-width: 640px)')

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether the page is laid out for a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}
