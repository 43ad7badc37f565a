import { Worker } from 'node:worker_threads'
import { type ErrorCode, nextTurn, Refusal, refusal, refuse } from '../../base/index.ts'
import { IncomingSamples } from '../../feed/index.ts'
import { FeedArrayParser } from './feed-array-parser.ts'
import { readFeedBatch } from './feed-batch-reader.ts'
import { isRecord, readFeedArray } from './feed-plain-reader.ts'
import { findJsonFault } from './json-scan.ts'
import type { RawStreamCache } from './raw-stream-cache.ts'

/** After this many bytes other calls get their turn. */
export const SLICE_BYTES = 256 * 1024
/** JSON.parse of more than this would hold the loop up for too long. */
const INLINE_PARSE_BYTES_MAX = 1024 * 1024

/** Objects of a body of millions of small values take many times its bytes. */
const WORKER_MEGABYTES_MAX = 2_048

/** What a worker answers: the columns of a body, or why it was refused. */
export type WorkerAnswer =
  | { readonly samples: IncomingSamples }
  | { readonly refused: { readonly code: ErrorCode; readonly message: string } }

function withoutByteOrderMark(bytes: Buffer): Buffer {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? bytes.subarray(3) : bytes
}

/** Reads a whole body with JSON.parse; the reference that the byte parser is measured by. */
export function readFeedBodyPlainly(bytes: Buffer): IncomingSamples {
  const fault = findJsonFault(bytes)
  if (fault !== undefined) {
    refuse('bad_json', { position: fault.position, problem: fault.what })
  }
  const body: unknown = JSON.parse(bytes.toString('utf8'))
  if (Array.isArray(body)) return readFeedArray(body)
  if (isRecord(body)) return readFeedBatch(body)
  refuse('bad_input', {
    what: 'Cannot read the body: it must be a list of samples or an object with "feed"',
  })
}

/** One worker at a time: a second unusual giant waits rather than taking the machine's memory. */
let workerTurn: Promise<unknown> = Promise.resolve()

function readInWorker(bytes: Buffer): Promise<IncomingSamples> {
  const turn = workerTurn.then(() => runWorker(bytes))
  workerTurn = turn.catch(() => undefined)
  return turn
}

function runWorker(bytes: Buffer): Promise<IncomingSamples> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./feed-body-worker.ts', import.meta.url), {
      workerData: bytes,
      resourceLimits: { maxOldGenerationSizeMb: WORKER_MEGABYTES_MAX },
    })
    worker.once('message', (answer: WorkerAnswer) => {
      void worker.terminate()
      if ('refused' in answer) {
        reject(new Refusal(answer.refused.code, answer.refused.message))
      } else {
        resolve(Object.assign(new IncomingSamples(), answer.samples))
      }
    })
    worker.once('error', (cause: NodeJS.ErrnoException) => {
      const isTooLarge = cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
      const what =
        'Cannot read this body: it holds too much besides plain samples; send it in parts'
      reject(isTooLarge ? refusal('bad_input', { what }) : new Error('reader failed', { cause }))
    })
    worker.once('exit', (code) => reject(new Error(`reader of a body ended with ${code}`)))
  })
}

/**
 * Reads a feed body, array or batch form, into columns: all of it is valid, or it is refused. Long
 * bodies are read in slices with turns for other calls between them.
 */
export async function readFeedBody(
  body: Buffer,
  cache: RawStreamCache,
  orgUid: string,
): Promise<IncomingSamples> {
  const bytes = withoutByteOrderMark(body)
  const parser = new FeedArrayParser(bytes, cache, orgUid)
  let step = parser.step(SLICE_BYTES)
  while (step === 'more') {
    await nextTurn()
    step = parser.step(SLICE_BYTES)
  }
  if (step === 'done') return parser.samples
  if (bytes.length <= INLINE_PARSE_BYTES_MAX) return readFeedBodyPlainly(bytes)
  return readInWorker(bytes)
}
