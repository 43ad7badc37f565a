import { parentPort, workerData } from 'node:worker_threads'
import { Refusal } from '../../base/index.ts'
import { readFeedBodyPlainly, type WorkerAnswer } from './feed-body.ts'

/** Reads one unusual long body away from the main loop and sends its columns back. */
function answer(bytes: Uint8Array): WorkerAnswer {
  try {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return { samples: { ...readFeedBodyPlainly(body) } as never }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { refused: { code: error.code, message: error.message } }
  }
}

parentPort?.postMessage(answer(workerData as Uint8Array))
