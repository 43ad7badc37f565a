import { MessageChannel, Worker } from 'node:worker_threads'
import { littleGarbage } from '../../../base/index.ts'
import { CONTROL_BYTES, ControlCells } from './control-cells.ts'
import type {
  FrameWrite,
  JournalCommand,
  JournalReply,
  JournalThreadData,
} from './journal-protocol.ts'

/** The journal's writer as the main thread knows it; one frame is under way at a time. */
export interface JournalLink {
  /** Tells the writer about the next frame. */
  post(command: Exclude<JournalCommand, { op: 'close' }>): void
  /** Has a frame made durable; the reply comes later. */
  order(order: FrameWrite): void
  /** Ends the writer; what was ordered before is finished first. */
  close(): Promise<void>
}

/** Who hears of the writer. */
export interface JournalEvents {
  onReply(reply: JournalReply): void
  onDied(error: unknown): void
}

/** Starts the writer in a thread of its own. */
export function startJournalThread(
  faults: SharedArrayBuffer | undefined,
  events: JournalEvents,
): JournalLink {
  const { port1: port, port2 } = new MessageChannel()
  const control = new SharedArrayBuffer(CONTROL_BYTES)
  const cells = new ControlCells(control)
  const workerData: JournalThreadData = { port: port2, control, faults }
  const worker = new Worker(new URL('./journal-thread.ts', import.meta.url), {
    workerData,
    transferList: [port2],
    name: 'journal',
    resourceLimits: littleGarbage(),
    // The thread writes to files that this one opened.
    trackUnmanagedFds: false,
  })
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.on('error', (error) => events.onDied(error))
  port.on('message', (reply: JournalReply) => events.onReply(reply))
  const post = (command: JournalCommand): void => {
    port.postMessage(command)
    cells.noteMessage()
  }
  return {
    post,
    order(order) {
      cells.order(order)
      cells.call()
    },
    async close() {
      post({ op: 'close' })
      cells.call()
      await exited
      port.close()
    },
  }
}
