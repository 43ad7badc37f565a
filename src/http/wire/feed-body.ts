import { Worker } from 'node:worker_threads'
import { type ErrorCode, nextTurn, Refusal, refusal, refuse } from '../../base/index.ts'
import type { IncomingSamples } from '../../feed/index.ts'
import { FeedArrayParser, type ParseStep } from './feed-array-parser.ts'
import { readFeedBatch } from './feed-batch-reader.ts'
import { isRecord, readFeedArray } from './feed-plain-reader.ts'
import { findJsonFault } from './json-scan.ts'
import type { RawStreamCache } from './raw-stream-cache.ts'
import { type PackedSamples, shareBytes, unpackSamples } from './worker-samples.ts'

/** After this many bytes other calls get their turn. */
export const SLICE_BYTES = 256 * 1024
/** JSON.parse of more than this would hold the loop up for too long. */
const INLINE_PARSE_BYTES_MAX = 1024 * 1024

/** Objects of a body of millions of small values take many times its bytes. */
const WORKER_MEGABYTES_MAX = 2_048

/** What a worker answers: the columns of a body, or why it was refused. */
export type WorkerAnswer =
  | { readonly samples: PackedSamples }
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
  const turn = workerTurn.then(async () => unpackSamples(await runWorker(await shareBytes(bytes))))
  workerTurn = turn.catch(() => undefined)
  return turn
}

function runWorker(bytes: Uint8Array): Promise<PackedSamples> {
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
        resolve(answer.samples)
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

/** The parser of the body before; most bodies are read in one go, so that one is enough. */
let idleParser: FeedArrayParser | undefined

/**
 * Reads a feed body, array or batch form, into columns: all of it is valid, or it is refused. Long
 * bodies are read in slices with turns for other calls between them; only they, and unusual ones,
 * take a promise.
 */
export function readFeedBody(
  body: Buffer,
  cache: RawStreamCache,
  orgUid: string,
): IncomingSamples | Promise<IncomingSamples> {
  const bytes = withoutByteOrderMark(body)
  const parser = idleParser ?? new FeedArrayParser(cache)
  idleParser = undefined
  parser.begin(bytes, cache, orgUid)
  const step = parser.step(SLICE_BYTES)
  return step === 'more' ? readOn(parser, bytes) : finish(parser, step, bytes)
}

async function readOn(parser: FeedArrayParser, bytes: Buffer): Promise<IncomingSamples> {
  let step: ParseStep = 'more'
  while (step === 'more') {
    await nextTurn()
    step = parser.step(SLICE_BYTES)
  }
  return finish(parser, step, bytes)
}

function finish(
  parser: FeedArrayParser,
  step: ParseStep,
  bytes: Buffer,
): IncomingSamples | Promise<IncomingSamples> {
  const { samples } = parser
  parser.end()
  idleParser = parser
  if (step === 'done') return samples
  samples.release()
  return bytes.length <= INLINE_PARSE_BYTES_MAX ? readFeedBodyPlainly(bytes) : readInWorker(bytes)
}
