import { useCallback, useEffect, useRef } from 'react'

/** Runs an action soon after it is requested, at most once per interval, and always after the last request. */
export function useSeldom(
  act: () => void,
  { soonMs, everyMs }: { readonly soonMs: number; readonly everyMs: number },
): () => void {
  const latest = useRef(act)
  latest.current = act
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const doneAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    if (timer.current !== undefined) return
    const restMs = doneAt.current + everyMs - performance.now()
    timer.current = setTimeout(
      () => {
        timer.current = undefined
        doneAt.current = performance.now()
        latest.current()
      },
      Math.max(soonMs, restMs),
    )
  }, [soonMs, everyMs])
}
