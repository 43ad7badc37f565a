import { useEffect, useState } from 'react'
import { type ApiError, asApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { invalidate } from '../../api/use-query.ts'

/** A secret is hidden again after this. */
const SHOWN_MS = 60_000

/** The key that the first samples are sent with; the secret is in this page's memory only. */
export interface FirstKey {
  readonly secret: string | undefined
  readonly isShown: boolean
  readonly isBusy: boolean
  readonly error: ApiError | undefined
  make(): Promise<void>
  setShown(isShown: boolean): void
}

/** Makes a key that puts and gets samples, and nothing else. */
export function useFirstKey(): FirstKey {
  const [secret, setSecret] = useState<string>()
  const [isShown, setShown] = useState(false)
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  useEffect(() => {
    if (!isShown) return undefined
    const timer = setTimeout(() => setShown(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isShown])
  const make = async () => {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    try {
      const { api_key } = await call('put', '/api/api_key', {
        body: {
          api_key: {
            name: 'First samples',
            description: 'Made by the page of the first sample',
            capabilities: [{ resource: 'component/*/feed', methods: ['GET', 'PUT'] }],
          },
        },
      })
      setSecret(api_key.secretKey)
      invalidate('api_key')
    } catch (thrown) {
      setError(asApiError(thrown))
    }
    setIsBusy(false)
  }
  return { secret, isShown, isBusy, error, make, setShown }
}
