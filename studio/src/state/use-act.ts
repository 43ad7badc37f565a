import { useCallback, useRef, useState } from 'react'
import { type ApiError, asApiError } from '../api/api-error.ts'

/** Something that a person has asked for: whether it runs, and what was wrong. */
export interface Act<A extends readonly unknown[]> {
  /** Runs it unless it runs; tells whether it succeeded. */
  run(...args: A): Promise<boolean>
  readonly error: ApiError | undefined
  readonly isBusy: boolean
  clear(): void
}

/** Runs an act at a time; its error stays until the next one, or until it is cleared. */
export function useAct<A extends readonly unknown[]>(
  act: (...args: A) => Promise<unknown>,
): Act<A> {
  const [error, setError] = useState<ApiError>()
  const [isBusy, setIsBusy] = useState(false)
  const running = useRef(false)
  const latest = useRef(act)
  latest.current = act
  const run = useCallback(async (...args: A): Promise<boolean> => {
    if (running.current) return false
    running.current = true
    setIsBusy(true)
    setError(undefined)
    try {
      await latest.current(...args)
      return true
    } catch (thrown) {
      setError(asApiError(thrown))
      return false
    } finally {
      running.current = false
      setIsBusy(false)
    }
  }, [])
  const clear = useCallback(() => setError(undefined), [])
  return { run, error, isBusy, clear }
}
