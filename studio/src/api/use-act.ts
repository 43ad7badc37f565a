import { useState } from 'react'
import { type ApiError, asApiError } from './api-error.ts'

/** A change that a form asks for: whether it runs, and what the service said against it. */
export interface Act {
  readonly isBusy: boolean
  readonly error: ApiError | undefined
  /** The message about one field. */
  errorAt(field: string): string | undefined
  /** The message when it is about none of the fields that the form shows. */
  errorBeside(...fields: readonly string[]): string | undefined
  /** Runs the change; true when it is done. A second one waits for none: while one runs it does nothing. */
  run(change: () => Promise<unknown>): Promise<boolean>
  /** Forgets what was said. */
  clear(): void
}

/** The state of a form's change. */
export function useAct(): Act {
  const [error, setError] = useState<ApiError>()
  const [isBusy, setIsBusy] = useState(false)
  const fieldOf = (one: ApiError) => one.field?.split(/[.[]/, 1)[0]
  return {
    isBusy,
    error,
    errorAt: (field) =>
      error !== undefined && fieldOf(error) === field ? error.message : undefined,
    errorBeside: (...fields) =>
      error === undefined || fields.includes(fieldOf(error) ?? '') ? undefined : error.message,
    run: async (change) => {
      if (isBusy) return false
      setIsBusy(true)
      setError(undefined)
      try {
        await change()
        return true
      } catch (thrown) {
        setError(asApiError(thrown))
        return false
      } finally {
        setIsBusy(false)
      }
    },
    clear: () => setError(undefined),
  }
}
