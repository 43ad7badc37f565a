import { useContext, useEffect, useRef } from 'react'
import { useSeldom } from '../../ui/use-seldom.ts'
import { LiveContext } from './live-board.ts'

/** What comes together is asked for together. */
const SOON_MS = 250
/** Streams that send every second are asked for no oftener than so. */
const EVERY_MS = 2_000

interface NewsOptions {
  /** The pause after a call back, at least. */
  readonly everyMs?: number
}

/** Calls back with the streams of which something has come, soon and at most once in a pause. */
export function useNews(
  streamUids: readonly string[],
  onNews: (streamUids: ReadonlySet<string>) => void,
  { everyMs = EVERY_MS }: NewsOptions = {},
): void {
  const values = useContext(LiveContext)
  const noted = useRef(new Set<string>())
  const act = () => {
    const shown = noted.current
    noted.current = new Set()
    onNews(shown)
  }
  const look = useSeldom(act, { soonMs: SOON_MS, everyMs })
  const text = streamUids.join(' ')
  useEffect(() => {
    const stops = text.split(' ').map((uid) =>
      values.follow(uid, () => {
        noted.current.add(uid)
        look()
      }),
    )
    return () => {
      for (const stop of stops) stop()
    }
  }, [values, text, look])
}
