import type { DemoClient } from './demo-client.ts'
import { type DemoValue, greenhouse } from './greenhouse-streams.ts'

/** How often the demonstration speaks: sooner than a greenhouse would, so that something moves. */
const EVERY_MS = 2_000

/** Puts the values of every stream at a time; for streams with changes only, those that differ. */
export async function putPresent(
  client: DemoClient,
  time: number,
  before: Map<string, DemoValue>,
): Promise<void> {
  const samples = greenhouse.flatMap(({ id: compId, streams }) =>
    streams.flatMap(({ id: streamId, everyMs, isHourly = false, onChange = false, valueAt }) => {
      const at = isHourly ? Math.floor(time / everyMs) * everyMs : time
      const data = valueAt?.(at, 0)
      if (data === undefined) return []
      const key = `${compId} ${streamId}`
      const said = isHourly ? at : data
      if ((onChange || isHourly) && before.get(key) === said) return []
      before.set(key, said)
      return [{ compId, streamId, time: at, data }]
    }),
  )
  await client.call('PUT', '/api/feed', samples)
}

/** Puts current values at intervals until the returned function is called. Retries when the service is unavailable. */
export function startLive(client: DemoClient, onProblem: (problem: string) => void): () => void {
  const before = new Map<string, DemoValue>()
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    putPresent(client, Date.now(), before)
      .catch((error: Error) => onProblem(error.message))
      .finally(() => {
        isBusy = false
      })
  }, EVERY_MS)
  return () => clearInterval(timer)
}
