import { parentPort, workerData } from 'node:worker_threads'
import { Connection, getRequest } from './connection.ts'
import { type SideThread, startSideThread } from './side-thread.ts'

/** A service that says nothing for so long has gone. */
const WAIT_MS_MAX = 120_000

/** Begins to poll /healthz; resolves when the first answer is there. Returns the longest wait. */
export async function startHealthPoll(port: number): Promise<SideThread> {
  return await startSideThread(import.meta.url, { healthPort: port })
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
