import { Worker } from 'node:worker_threads'
import type { SealerCommand, SealerReply, SealerThreadData } from './sealer-protocol.ts'

/** The sealer's writing side as the main thread knows it. */
export interface SealerLink {
  /** Asks for something; the reply comes later. */
  send(command: Exclude<SealerCommand, { op: 'close' }>): void
  /** Ends it: a seal under way stops where it may. */
  close(): Promise<void>
}

/** Who hears of the sealer. */
export interface SealerEvents {
  onReply(reply: SealerReply): void
  onDied(error: unknown): void
}

/** Where the sealer works. */
export type SealerPlace = Pick<SealerThreadData, 'file' | 'journalFolder'>

/** Starts the sealer in a thread of its own. */
export function startSealerThread(
  place: SealerPlace,
  faults: SharedArrayBuffer | undefined,
  events: SealerEvents,
): SealerLink {
  const control = new SharedArrayBuffer(4)
  const cells = new Int32Array(control)
  const workerData: SealerThreadData = { ...place, faults, control }
  const url = new URL('./sealer-thread.ts', import.meta.url)
  const worker = new Worker(url, { workerData, name: 'sealer' })
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.on('message', (reply: SealerReply) => events.onReply(reply))
  worker.on('error', (error) => events.onDied(error))
  return {
    send: (command) => worker.postMessage(command),
    async close() {
      Atomics.store(cells, 0, 1)
      worker.postMessage({ op: 'close' } satisfies SealerCommand)
      await exited
    },
  }
}
