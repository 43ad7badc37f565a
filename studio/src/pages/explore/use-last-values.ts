import { useEffect, useState } from 'react'
import { useLive } from '../../api/live.ts'
import type { LiveEvent, LiveSample } from '../../api/live-events.ts'
import { invalidate } from '../../api/use-query.ts'

/** The last value of a stream as it is shown. */
export type LastValue = Pick<LiveSample, 'time' | 'data' | 'fData' | 'isCut'>

type LastValues = ReadonlyMap<string, LastValue>

/** Corrections come in rows; small lines are asked for once. */
const LINES_MS = 2_000

/** The last values of a component's streams by UID, as they arrive; undefined until the first are there. */
export function useLastValues(
  componentUid: string,
  streamUids: readonly string[] | undefined,
): LastValues | undefined {
  const [values, setValues] = useState<LastValues>()
  const [isChanged, setIsChanged] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another component has other values.
  useEffect(() => setValues(undefined), [componentUid])
  useLive([{ compUid: componentUid, streamUids }], (events) => {
    setValues((before) => withEvents(before ?? new Map(), events))
    if (events.some(({ event }) => event === 'change')) setIsChanged(true)
  })
  useEffect(() => {
    if (!isChanged) return undefined
    const timer = setTimeout(() => {
      setIsChanged(false)
      invalidate('spark', componentUid)
    }, LINES_MS)
    return () => clearTimeout(timer)
  }, [isChanged, componentUid])
  return values
}

function withEvents(before: LastValues, events: readonly LiveEvent[]): LastValues {
  const next = new Map(before)
  for (const { event, data } of events) {
    // What is the last value after a change follows it; of an emptied stream nothing does.
    if (event === 'change') next.delete(data.streamUid)
    if (event === 'sample') next.set(data.streamUid, data)
  }
  return next
}
