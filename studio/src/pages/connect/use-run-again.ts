import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { invalidate } from '../../api/use-query.ts'
import { showToast } from '../../ui/toast.tsx'
import { type Payload, payloadKey } from './connector-types.ts'

/** Running payloads again: whether it runs, and what the service said against the last of them. */
export interface RunAgain {
  readonly isBusy: boolean
  readonly error: string | undefined
  /** Runs some, one after the other; one that fails does not keep the next from running, a service that is busy does. */
  run(payloads: readonly Payload[], isForced?: boolean): Promise<void>
}

/** Runs payloads of a connector again. */
export function useRunAgain(connectorUid: string): RunAgain {
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()
  const run = async (payloads: readonly Payload[], isForced = false) => {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    let samples = 0
    let done = 0
    for (const { uid: payloadUid } of payloads) {
      try {
        const { payload } = await call('post', '/api/connector/{uid}/payload/{payloadUid}/run', {
          path: { uid: connectorUid, payloadUid },
          query: { force: isForced },
        })
        samples += payload.samples
        done += 1
      } catch (thrown) {
        const { message, status } = asApiError(thrown)
        setError(message)
        if (status !== 422 && status !== 400) break
      }
    }
    setIsBusy(false)
    invalidate(...payloadKey(connectorUid))
    if (done > 0) showToast(resultText(done, payloads.length, samples))
  }
  return { isBusy, error, run }
}

function resultText(done: number, all: number, samples: number): string {
  const stored = samples === 1 ? '1 sample stored.' : `${samples} samples stored.`
  return all === 1 ? `Done: ${stored}` : `${done} of ${all} done: ${stored}`
}
