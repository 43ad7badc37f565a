import { useCallback, useEffect, useRef } from 'react'

/** Does something soon after it was asked for, at most once in so many milliseconds, and never too few times. */
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
