import { useEffect, useRef } from 'react'

/** Runs something once when a page is shown if it is wanted at that moment. */
export function useFirstRun(isWanted: boolean, run: () => void): void {
  const first = useRef({ isWanted, run })
  useEffect(() => {
    const { isWanted: isFirst, run: runFirst } = first.current
    first.current = { isWanted: false, run: runFirst }
    if (isFirst) runFirst()
  }, [])
}
