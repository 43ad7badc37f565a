import { useSyncExternalStore } from 'react'

/** The part of the window's height that the chart of a page takes, without its legend. */
const WINDOW_PART = 0.62
/** On a phone that lies on its side a chart still has room for its axes. */
const HEIGHT_MIN = 220

function subscribe(listener: () => void): () => void {
  addEventListener('resize', listener)
  return () => removeEventListener('resize', listener)
}

// The root's height stays the same while a phone hides and shows its address bar.
const heightNow = () =>
  Math.max(HEIGHT_MIN, Math.ceil(document.documentElement.clientHeight * WINDOW_PART))

/** The height of a chart that dominates its page, in pixels. */
export function useChartHeight(): number {
  return useSyncExternalStore(subscribe, heightNow)
}
