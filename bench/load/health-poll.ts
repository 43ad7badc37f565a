import { parentPort, Worker, workerData } from 'node:worker_threads'
import { Connection, getRequest } from './connection.ts'

/** A poll of /healthz that runs in a thread of its own, so that the load generator never delays it. */
export interface HealthPoll {
  /** Ends the poll and tells its longest wait. */
  stop(): Promise<number>
}

/** A service that says nothing for so long has gone. */
const WAIT_MS_MAX = 120_000

/** Begins to poll; resolves when the first answer is there. */
export async function startHealthPoll(port: number): Promise<HealthPoll> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { healthPort: port } })
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => {})
  worker.once('error', reject)
  const next = () =>
    Promise.race([failed, new Promise<number>((resolve) => worker.once('message', resolve))])
  await next()
  return {
    stop: async () => {
      worker.postMessage('stop')
      try {
        return await next()
      } finally {
        await worker.terminate()
      }
    },
  }
}

/** Asks again as soon as it is answered; a connection that is refused or lost counts as waiting. */
async function poll(port: number, onFirst: () => void, isOver: () => boolean): Promise<number> {
  let connection: Connection | undefined
  let worstMs = 0
  let count = 0
  while (count === 0 || !isOver()) {
    const began = performance.now()
    for (;;) {
      try {
        connection ??= await Connection.open({ port })
        await connection.send(getRequest('/healthz'))
        break
      } catch (error) {
        connection?.close()
        connection = undefined
        if (performance.now() - began > WAIT_MS_MAX) throw error
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    // The first one also opens the connection and is no measure.
    if (count === 0) onFirst()
    else worstMs = Math.max(worstMs, performance.now() - began)
    count += 1
  }
  connection?.close()
  return worstMs
}

const { healthPort } = (workerData ?? {}) as { healthPort?: number }
if (healthPort !== undefined && parentPort !== null) {
  const port = parentPort
  let isOver = false
  port.once('message', () => {
    isOver = true
  })
  port.postMessage(
    await poll(
      healthPort,
      () => port.postMessage(0),
      () => isOver,
    ),
  )
}
