import { parentPort, workerData } from 'node:worker_threads'
import { Refusal } from '../../base/plain.ts'
import type { WorkerAnswer } from './json-samples.ts'
import { readParsedJson } from './parsed-json.ts'
import { packSamples } from './worker-samples.ts'

/** Reads one unusual long body away from the main loop and sends its columns back. */
function answer(bytes: Uint8Array): { answer: WorkerAnswer; transfer: ArrayBuffer[] } {
  try {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const { packed, transfer } = packSamples(readParsedJson(body))
    return { answer: { samples: packed }, transfer }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { answer: { refused: { code: error.code, message: error.message } }, transfer: [] }
  }
}

const answered = answer(workerData as Uint8Array)
parentPort?.postMessage(answered.answer, answered.transfer)
