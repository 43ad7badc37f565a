import type { IncomingMessage } from 'node:http'
import {
  freeBytes,
  type HeldMemory,
  type MemoryBudget,
  refusal,
  refuse,
  type WaitOptions,
} from '../../base/index.ts'
import { INLINE_PARSE_BYTES_MAX, isBatchBegun, readerBytesOf } from '../../intake/index.ts'
import { inflatedChunks, peekPiece, windowBytesOf } from '../transport/body.ts'
import { BodyBytes, freeLater } from '../transport/held-body.ts'

const NOTHING = Buffer.alloc(0)

/** A body beside the columns that its samples are read into: 26 bytes for each of 39 or more. */
const HELD_PER_BYTE = 1.75

/** The first memory of a body whose length is not known, and what a decoder takes for itself. */
const FIRST_BYTES = 64 * 1024
const DECODER_BYTES = 128 * 1024

/** JSON of samples inflates to some ten times its bytes; what is wrong by this waits while it grows. */
const USUAL_RATIO = 10

/** What Node may have read of a body from the socket before anybody asks for it. */
const READ_AHEAD_BYTES = 64 * 1024

/** Whether a request brings a body at all; small devices say neither length nor encoding. */
function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/** The bytes of the memory budget that a call holds while it reads a body of this length. */
export function bytesWhileRead(bodyBytes: number): number {
  return Math.ceil(bodyBytes * HELD_PER_BYTE)
}

/** What is done with a body; it may let go of the body's memory before it ends. */
type UseBody<T> = (body: Buffer, held: HeldMemory | undefined) => Promise<T>

/** What bodies can be. */
interface BodyForms {
  /** How a body is inflated, by what its header says; by default as it says. */
  readonly encodingOf?: (given: string | undefined) => string | undefined
  /** Whether a long body may be in the batch form, which a thread reads in memory of its own; true by default. */
  readonly hasBatchForm?: boolean
}

interface Reading {
  readonly req: IncomingMessage
  readonly held: HeldMemory
  readonly signal: AbortSignal
}

/**
 * Reads whole bodies of puts, each into one piece of memory that is given back when it is done. The
 * bytes of a body are in the memory budget before they are read; until then the client's connection
 * is not read on. One body is bounded by the limit, and by what the budget can ever give to one.
 */
export class FeedBodyReader {
  readonly budget: MemoryBudget
  readonly #limitBytes: number
  readonly #encodingOf: NonNullable<BodyForms['encodingOf']>
  readonly #hasBatchForm: boolean

  constructor(
    limitBytes: number,
    budget: MemoryBudget,
    { encodingOf = (given) => given, hasBatchForm = true }: BodyForms = {},
  ) {
    this.budget = budget
    this.#encodingOf = encodingOf
    this.#hasBatchForm = hasBatchForm
    this.#limitBytes = Math.min(limitBytes, Math.floor(budget.shareBytesMax / HELD_PER_BYTE))
  }

  /** Refuses a body of this length when the limit is lower. */
  requireFits(bytes: number): void {
    if (bytes > this.#limitBytes) refuse('body_too_large', { limitBytes: this.#limitBytes })
  }

  /** Reads a body, hands it to `use`, and counts it as held until that is done. */
  async read<T>(req: IncomingMessage, use: UseBody<T>): Promise<T> {
    if (!hasBody(req)) return use(NOTHING, undefined)
    const { headers } = req
    const length = Number(headers['content-length'] ?? 0)
    this.requireFits(length)
    const isEncoded = this.#encodingOf(headers['content-encoding']) !== undefined
    const isIdentity = !isEncoded && length > 0
    const gone = new AbortController()
    const onClose = (): void => {
      if (!req.complete) gone.abort()
    }
    req.once('close', onClose)
    const { signal } = gone
    const heldBytes = isIdentity ? Math.min(READ_AHEAD_BYTES, length) : READ_AHEAD_BYTES
    const readerBytes = isIdentity ? await this.#readerBytesOf(req, length) : undefined
    const first = this.#firstShare(length, isIdentity) + (readerBytes ?? 0)
    const share = await this.budget.take(first, { signal, heldBytes })
    const body = new BodyBytes(isIdentity ? length : FIRST_BYTES)
    const held: HeldMemory = { share, readerBytes, freeBody: () => body.free() }
    try {
      if (isIdentity) await collectIdentity(req, body)
      else await this.#collectGrowing({ req, held, signal }, body)
      return await use(body.bytes(), held)
    } finally {
      req.off('close', onClose)
      held.freeBody()
      share.release()
    }
  }

  /**
   * What a thread takes that is to read the body, undefined where its beginning shows none. Who has it from the first
   * waits without its body; calls that ask for it once they have theirs would be refused, as all wait for each other.
   */
  async #readerBytesOf(req: IncomingMessage, length: number): Promise<number | undefined> {
    if (!this.#hasBatchForm || length <= INLINE_PARSE_BYTES_MAX) return undefined
    const piece = await peekPiece(req)
    if (piece === null || !isBatchBegun(piece)) return undefined
    return Math.min(readerBytesOf(length), this.budget.shareBytesMax - bytesWhileRead(length))
  }

  /** What is taken before a body is read: what it needs, or where that does not show, may need. */
  #firstShare(length: number, isIdentity: boolean): number {
    if (isIdentity) return bytesWhileRead(length)
    const inflated = Math.max(FIRST_BYTES, Math.min(length * USUAL_RATIO, this.#limitBytes))
    return Math.min(bytesWhileRead(inflated) + DECODER_BYTES, this.budget.shareBytesMax)
  }

  /** A body whose length shows only while it comes or inflates: its share grows ahead of it. */
  async #collectGrowing({ req, held, signal }: Reading, body: BodyBytes): Promise<void> {
    const { share } = held
    const contentEncoding = this.#encodingOf(req.headers['content-encoding'])
    const windowBytes = contentEncoding === undefined ? 0 : windowBytesOf(contentEncoding)
    const waiting: WaitOptions = { signal, heldBytes: READ_AHEAD_BYTES }
    for await (const piece of inflatedChunks(req, contentEncoding)) {
      const length = body.length + piece.length
      this.requireFits(length)
      if (length > body.capacity) {
        const capacity = Math.min(Math.max(length, body.capacity * 2), this.#limitBytes)
        // A decoder keeps of what it has inflated as much as its window takes.
        const needed = bytesWhileRead(capacity) + DECODER_BYTES + Math.min(capacity, windowBytes)
        if (needed > share.bytes) await share.resize(needed, waiting)
        await body.reserve(capacity)
      }
      body.add(piece)
      freeLater(piece)
    }
    await share.resize(bytesWhileRead(body.length))
  }
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
