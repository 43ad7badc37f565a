import { Worker } from 'node:worker_threads'

/** Work in a thread of its own, so that the load generator never delays it. */
export interface SideThread {
  /** Ends the work and reports its figure. */
  stop(): Promise<number>
}

/**
 * Runs a module as a thread; resolves when the thread is ready. It posts one number then, and its
 * figure when it is asked to stop.
 */
export async function startSideThread(module: string, workerData: object): Promise<SideThread> {
  const worker = new Worker(new URL(module), { workerData })
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
