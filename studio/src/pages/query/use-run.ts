import { useCallback, useEffect, useRef, useState } from 'react'
import { type ApiError, asApiError } from '../../api/api-error.ts'
import { type GqlAnswer, type GqlCall, runGql } from './gql-answer.ts'

/** A run that has ended. */
export interface EndedRun {
  readonly call: Omit<GqlCall, 'signal'>
  readonly tookMs: number
  readonly answer: GqlAnswer | undefined
  readonly error: ApiError | undefined
  readonly isStopped: boolean
}

/** The run of a page: one at a time. */
export interface Run {
  readonly isRunning: boolean
  readonly ended: EndedRun | undefined
  start(call: Omit<GqlCall, 'signal'>): void
  /** Gives it up; the service ends it too. */
  stop(): void
}

/** Runs texts, the last one counts; what came of the one before stays until the next has ended. */
export function useRun(): Run {
  const [isRunning, setIsRunning] = useState(false)
  const [ended, setEnded] = useState<EndedRun>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = useCallback(async (call: Omit<GqlCall, 'signal'>) => {
    running.current?.abort()
    const own = new AbortController()
    running.current = own
    setIsRunning(true)
    const begunAt = performance.now()
    let answer: GqlAnswer | undefined
    let error: ApiError | undefined
    try {
      answer = await runGql({ ...call, signal: own.signal })
    } catch (thrown) {
      error = own.signal.aborted ? undefined : asApiError(thrown)
    }
    if (running.current !== own) return
    running.current = undefined
    setIsRunning(false)
    const tookMs = performance.now() - begunAt
    setEnded({
      call,
      tookMs,
      answer,
      error,
      isStopped: answer === undefined && error === undefined,
    })
  }, [])
  const stop = useCallback(() => running.current?.abort(), [])
  return { isRunning, ended, start: (call) => void start(call), stop }
}
