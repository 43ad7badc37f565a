import { Worker } from 'node:worker_threads'
import {
  type ErrorCode,
  type HeldMemory,
  littleGarbage,
  Mutex,
  memoryRefusal,
  nextIteration,
  Refusal,
  refusal,
} from '../../base/index.ts'
import type { IncomingSamples } from '../../feed/index.ts'
import type { StreamSource } from '../stream-cache.ts'
import { readParsedJson } from './parsed-json.ts'
import { type ParseStep, SampleArrayParser } from './sample-array-parser.ts'
import { copyBytes, type PackedSamples, unpackSamples } from './worker-samples.ts'

/** After this many bytes other calls get their turn. */
export const SLICE_BYTES = 256 * 1024
/** JSON.parse of more than this would hold the loop up for too long. */
export const INLINE_PARSE_BYTES_MAX = 1024 * 1024

/** Objects of a body of millions of small values take many times its bytes. */
const WORKER_BYTES_PER_BYTE = 8
const WORKER_BYTES_MIN = 64 * 1024 * 1024
const WORKER_BYTES_MAX = 2_048 * 1024 * 1024
/** With less V8 cannot even start a thread, and ends the process. */
const THREAD_BYTES_MIN = 16 * 1024 * 1024

/** Where the beginning of a body shows whether it is an array of samples. */
const LOOKED_AT_BYTES = 1_024

/** By then some other call has most likely given its handles back. */
const RETRY_AFTER_SECONDS = 5

/** What a worker answers: the columns of a body, or why it was refused. */
export type WorkerAnswer =
  | { readonly samples: PackedSamples }
  | { readonly refused: { readonly code: ErrorCode; readonly message: string } }

function withoutByteOrderMark(bytes: Buffer): Buffer {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? bytes.subarray(3) : bytes
}

/** Whether a body is in the batch form, as far as its beginning shows. */
export function isBatchBegun(beginning: Buffer): boolean {
  const text = withoutByteOrderMark(beginning).toString('latin1', 0, LOOKED_AT_BYTES)
  return /^\s*\{/.test(text)
}

/** What the thread takes that reads a body too long to be read inline. */
export function readerBytesOf(bodyBytes: number): number {
  const bytes = Math.max(bodyBytes * WORKER_BYTES_PER_BYTE, WORKER_BYTES_MIN)
  return Math.min(bytes, WORKER_BYTES_MAX)
}

/** One worker at a time: a second unusual giant waits rather than taking the machine's memory. */
const workerMutex = new Mutex()

/** The memory is taken first: who holds the mutex must not wait for one that waits for it. */
async function readInWorker(bytes: Buffer, held: HeldMemory | undefined): Promise<IncomingSamples> {
  let heapBytes = held?.readerBytes ?? readerBytesOf(bytes.length)
  if (held !== undefined && held.readerBytes === undefined) {
    heapBytes = Math.min(heapBytes, held.share.growthMax)
    if (heapBytes >= THREAD_BYTES_MIN) await held.share.resize(held.share.bytes + heapBytes)
  }
  if (heapBytes < THREAD_BYTES_MIN) throw memoryRefusal()
  return workerMutex.run(async () => unpackSamples(await runWorker(bytes, heapBytes, held)))
}

async function runWorker(
  body: Buffer,
  heapBytes: number,
  held: HeldMemory | undefined,
): Promise<PackedSamples> {
  // A body of its own goes over as it is; nobody reads it here any more.
  const bytes = held === undefined ? await copyBytes(body) : body
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./json-samples-worker.ts', import.meta.url), {
      workerData: bytes,
      transferList: [bytes.buffer as ArrayBuffer],
      // What it makes stays until its end: room for what dies young would be on top of all that is counted.
      resourceLimits: {
        ...littleGarbage(),
        maxOldGenerationSizeMb: Math.floor(heapBytes / 1024 / 1024),
      },
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
      reject(refusalOf(cause))
    })
    worker.once('exit', (code) => reject(new Error(`reader of a body ended with ${code}`)))
  })
}

/** Why a reader has failed: more than its memory, or no file handles for another thread. */
function refusalOf(cause: NodeJS.ErrnoException): Error {
  if (cause.code === 'ERR_WORKER_OUT_OF_MEMORY') return memoryRefusal()
  if (cause.code === 'ERR_WORKER_INIT_FAILED')
    return refusal('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
  return new Error('reader failed', { cause })
}

/**
 * Reads samples in JSON, as an array or as a batch: all of it is valid, or it is refused. Long
 * bodies are read in slices with turns for other calls between them; only they, and unusual ones,
 * take a promise. A body in memory of its own comes with what its call `held`, which may grow.
 */
export function readJsonSamples(
  body: Buffer,
  source: StreamSource,
  held?: HeldMemory,
): IncomingSamples | Promise<IncomingSamples> {
  const bytes = withoutByteOrderMark(body)
  const parser = new SampleArrayParser(bytes, source)
  const step = parser.step(SLICE_BYTES)
  return step === 'more' ? readOn(parser, bytes, held) : finish(parser, step, { bytes, held })
}

async function readOn(
  parser: SampleArrayParser,
  bytes: Buffer,
  held: HeldMemory | undefined,
): Promise<IncomingSamples> {
  let step: ParseStep = 'more'
  let areTextsHeld = held === undefined
  while (step === 'more') {
    await nextIteration()
    if (!areTextsHeld && parser.samples.texts !== undefined) {
      areTextsHeld = true
      await held?.share.resize(held.share.bytes + bytes.length)
    }
    step = parser.step(SLICE_BYTES)
  }
  return finish(parser, step, { bytes, held })
}

function finish(
  parser: SampleArrayParser,
  step: ParseStep,
  { bytes, held }: { readonly bytes: Buffer; readonly held: HeldMemory | undefined },
): IncomingSamples | Promise<IncomingSamples> {
  const { samples } = parser
  if (step === 'done') return samples
  samples.release()
  return bytes.length <= INLINE_PARSE_BYTES_MAX ? readParsedJson(bytes) : readInWorker(bytes, held)
}
