/** The one reader of bodies that are held whole, of all callers and in every form. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import {
  freeBytes,
  type HeldMemory,
  type MemoryBudget,
  type MemoryShare,
  refusal,
  refuse,
  type WaitOptions,
} from '../../base/index.ts'
import { INLINE_PARSE_BYTES_MAX, isBatchBegun, readerBytesOf } from '../../intake/index.ts'
import { collectBody, inflatedChunks, peekPiece, requireEncoding, windowBytesOf } from './body.ts'
import type { RequestHead } from './exchange.ts'
import { BodyBytes, freeLater } from './held-body.ts'

const NOTHING = Buffer.alloc(0)

/** A body beside what is read from it: 26 bytes of columns for each of 39 or more that samples have. */
const HELD_PER_BYTE = 1.75

/** The first memory of a body whose length is not known, and what a decoder takes for itself. */
const FIRST_BYTES = 16 * 1024
const DECODER_BYTES = 128 * 1024

/** JSON of samples inflates to some ten times its bytes; what is wrong by this waits while it grows. */
const USUAL_RATIO = 10

/** What Node may have read of a body from the socket before anybody asks for it. */
const READ_AHEAD_BYTES = 64 * 1024

/** What is done with a body; `held` is the memory of a long one, which may be released early. */
export type UseBytes<T> = (bytes: Buffer, held: HeldMemory | undefined) => T | Promise<T>

/** What bodies of an operation can be. */
export interface BodyForm {
  /** The most bytes, sent and inflated. */
  readonly limitBytes: number
  /** How a body is inflated, by what its header says; by default as it says. */
  readonly encodingOf?: (given: string | undefined) => string | undefined
  /** Whether a long body may be in the batch form, which a thread reads in memory of its own. */
  readonly hasBatchForm?: boolean
}

/** A body that is to be read. */
interface Reading {
  readonly form: BodyForm
  readonly budget: MemoryBudget
  /** Whether the caller has said who it is. */
  readonly isKnown: boolean
}

/** Whether a request brings a body at all; small devices say neither length nor encoding. */
export function hasBody({ headers }: Pick<RequestHead, 'headers'>): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/** The bytes of the memory budget that a call holds while it reads a body of this length. */
export function bytesWhileRead(bodyBytes: number): number {
  return Math.ceil(bodyBytes * HELD_PER_BYTE)
}

/** Refuses a body of this length when the limit is lower, or the budget can never hold it. */
export function requireBodyFits(bytes: number, reading: Pick<Reading, 'form' | 'budget'>): void {
  const limitBytes = limitOf(reading)
  if (bytes > limitBytes) refuse('body_too_large', { limitBytes })
}

function limitOf({ form, budget }: Pick<Reading, 'form' | 'budget'>): number {
  return Math.min(form.limitBytes, Math.floor(budget.shareBytesMax / HELD_PER_BYTE))
}

/**
 * Reads a whole body, hands it to `use`, and counts it in the memory budget until that is done. The bytes
 * of a known caller are counted before they are read, and until then its connection is not read on.
 */
export async function readWholeBody<T>(
  req: IncomingMessage,
  reading: Reading,
  use: UseBytes<T>,
): Promise<T> {
  if (!hasBody(req)) return await use(NOTHING, undefined)
  requireBodyFits(Number(req.headers['content-length'] ?? 0), reading)
  return reading.isKnown ? await readHeld(req, reading, use) : await readArriving(req, reading, use)
}

/** Reads a body into one piece of memory, which is given back when it is done. */
async function readHeld<T>(req: IncomingMessage, reading: Reading, use: UseBytes<T>): Promise<T> {
  const { form, budget } = reading
  const { headers } = req
  const length = Number(headers['content-length'] ?? 0)
  const contentEncoding = encodingOf(req, form)
  const isIdentity = contentEncoding === undefined && length > 0
  const gone = new AbortController()
  const onClose = (): void => {
    if (!req.complete) gone.abort()
  }
  req.once('close', onClose)
  const waiting = {
    signal: gone.signal,
    heldBytes: isIdentity ? Math.min(READ_AHEAD_BYTES, length) : READ_AHEAD_BYTES,
  }
  const readerBytes = isIdentity ? await readerBytesFor(req, length, reading) : undefined
  const first = isIdentity ? bytesWhileRead(length) : growingShare(length, contentEncoding, reading)
  const share = await budget.take(first + (readerBytes ?? 0), waiting)
  const body = new BodyBytes(isIdentity ? length : FIRST_BYTES)
  const held: HeldMemory = { share, readerBytes, freeBody: () => body.free() }
  try {
    if (isIdentity) await collectIdentity(req, body)
    else
      await collectGrowing(inflatedChunks(req, contentEncoding), body, {
        ...reading,
        contentEncoding,
        share,
        waiting,
      })
    return await use(body.bytes(), held)
  } finally {
    req.off('close', onClose)
    held.freeBody()
    share.release()
  }
}

/**
 * Reads a body of a caller who has not said who it is. It is counted as it arrives, and a decoder is opened
 * only when it is complete, so a client that sends a little and stops holds little.
 */
async function readArriving<T>(
  req: IncomingMessage,
  reading: Reading,
  use: UseBytes<T>,
): Promise<T> {
  const { form, budget } = reading
  const limitBytes = limitOf(reading)
  const contentEncoding = encodingOf(req, form)
  let countedBytes = 0
  let inflating: MemoryShare | undefined
  const onBytes = (bytes: number): void => {
    if (!budget.addUnauthenticated(bytes - countedBytes)) throw budget.refuseUnauthenticated()
    countedBytes = bytes
  }
  try {
    const sent = await collectBody(req, { contentEncoding: undefined, limitBytes, onBytes })
    if (!requireEncoding(contentEncoding) || sent.length === 0) return await use(sent, undefined)
    // The pieces of what inflates, and the whole that they are put together to. A client cannot prolong it.
    const bytes = DECODER_BYTES + 2 * limitBytes
    inflating = await budget.take(bytes, { heldBytes: countedBytes })
    const source = Readable.from([sent])
    return await use(await collectBody(source, { contentEncoding, limitBytes }), undefined)
  } finally {
    budget.endUnauthenticated(countedBytes)
    inflating?.release()
  }
}

function encodingOf({ headers }: IncomingMessage, form: BodyForm): string | undefined {
  const given = headers['content-encoding']
  return form.encodingOf === undefined ? given : form.encodingOf(given)
}

/**
 * What a thread takes that is to read the body, undefined where its beginning shows none. Who has it from the first
 * waits without its body; calls that ask for it once they have theirs would be refused, as all wait for each other.
 */
async function readerBytesFor(
  req: IncomingMessage,
  length: number,
  { form, budget }: Reading,
): Promise<number | undefined> {
  if (form.hasBatchForm !== true || length <= INLINE_PARSE_BYTES_MAX) return undefined
  const piece = await peekPiece(req)
  if (piece === null || !isBatchBegun(piece)) return undefined
  return Math.min(readerBytesOf(length), budget.shareBytesMax - bytesWhileRead(length))
}

/** What is taken before a body is read whose length does not show: what it may need. */
function growingShare(
  length: number,
  contentEncoding: string | undefined,
  reading: Reading,
): number {
  const inflated = Math.max(FIRST_BYTES, Math.min(length * USUAL_RATIO, limitOf(reading)))
  return Math.min(
    bytesWhileRead(inflated) + decoderBytes(contentEncoding),
    reading.budget.shareBytesMax,
  )
}

function decoderBytes(contentEncoding: string | undefined): number {
  return contentEncoding === undefined ? 0 : DECODER_BYTES
}

interface Growing extends Reading {
  readonly contentEncoding: string | undefined
  readonly share: MemoryShare
  readonly waiting: WaitOptions
}

/** A body whose length shows only while it comes or inflates: its share grows ahead of it. */
async function collectGrowing(
  pieces: AsyncIterable<Buffer>,
  body: BodyBytes,
  reading: Growing,
): Promise<void> {
  const { contentEncoding, share, waiting } = reading
  const windowBytes = contentEncoding === undefined ? 0 : windowBytesOf(contentEncoding)
  for await (const piece of pieces) {
    const length = body.length + piece.length
    requireBodyFits(length, reading)
    if (length > body.capacity) {
      const capacity = Math.min(Math.max(length, body.capacity * 2), limitOf(reading))
      // A decoder keeps of what it has inflated as much as its window takes.
      const ofDecoder = decoderBytes(contentEncoding) + Math.min(capacity, windowBytes)
      const needed = bytesWhileRead(capacity) + ofDecoder
      if (needed > share.bytes) await share.resize(needed, waiting)
      await body.reserve(capacity)
    }
    body.add(piece)
    freeLater(piece)
  }
  await share.resize(bytesWhileRead(body.length))
}

/** Events instead of an iterator: a body of few pieces, as nearly all are, costs one promise. */
function collectIdentity(req: IncomingMessage, body: BodyBytes): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const take = (piece: Buffer): void => {
    body.add(piece)
    // At once: an iteration of the event loop may bring megabytes of each connection.
    freeBytes(piece)
  }
  const breakOff = (): void => {
    if (req.complete) return
    req.off('data', take)
    const what = 'The connection closed before the body was complete. Send the request again'
    reject(refusal('bad_input', { what }))
  }
  req.on('data', take)
  req.on('end', resolve)
  req.on('error', breakOff)
  req.on('close', breakOff)
  if (req.destroyed) breakOff()
  return promise
}
