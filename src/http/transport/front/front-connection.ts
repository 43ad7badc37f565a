import type { Socket } from 'node:net'
import { invariant, nextIteration } from '../../../base/index.ts'
import { answerClientError } from '../client-error.ts'
import type { FastLookup, Reply } from '../exchange.ts'
import { type PaceWatch, type Passage, takenBytes, tooSlow } from '../pace-watch.ts'
import { WRITTEN_BYTES_MAX, writeSlices } from '../write-slices.ts'
import { answerHead, hasHeader, joined } from './answer-bytes.ts'
import { type BodyMemory, FRONT_BODY_BYTES_MAX, type UnauthenticatedBudget } from './body-memory.ts'
import type { MessageGate } from './gate-messages.ts'
import { readStrictHead, type StrictHead } from './request-head.ts'
import { readingInto } from './shared-buffer-socket.ts'
import type { Quiet, SilenceWatch } from './silence-watch.ts'
import { UnauthenticatedHold } from './unauthenticated-hold.ts'

/** What the connections of the front share. */
export interface FrontDeps {
  readonly memory: BodyMemory
  /** What requests that were sent ahead may hold. */
  readonly budget: UnauthenticatedBudget
  /** Ends bodies that come too slowly. */
  readonly arrivals: PaceWatch
  /** Ends connections whose answers are read too slowly. */
  readonly departures: PaceWatch
  /** What arrives while no request is being put together is read into this, for all connections. */
  readonly shared: Buffer
  /** Hint for clients about the time between two requests. */
  readonly keepAliveMs: number
  /** Ends connections that stay silent. */
  readonly silences: SilenceWatch
  /** Finds who serves a method and target here; undefined: Node's HTTP server has to. */
  readonly findServe: FastLookup
  /** Counts a request whose body has begun to arrive; false when nobody waits for it any more. */
  expect(): boolean
  /** Takes back what expect() counted: the rest of the request will not come. */
  abandon(): void
  /**
   * Serves a whole request; its answer goes to the reply, in any case and only once. The body's
   * bytes are there until this returns.
   */
  serve(head: StrictHead, body: Buffer, reply: Reply, isExpected: boolean): void
  /** Stands between a connection and Node's HTTP server; asks `takeBack` about each request. */
  openGate(socket: Socket, takeBack: (bytes: Buffer) => boolean): MessageGate
}

/** Longer heads carry samples in their URL; reading them as text is nothing to save on. */
const HEAD_BYTES_MAX = 16 * 1024
/** What a connection keeps of the last head while it is idle; there may be many connections. */
const KEPT_HEAD_BYTES_MAX = 2 * 1024
/** What Node reads on from a paused socket of its own, as over TLS: until it holds 64 KB, with reads of 64 KB. */
const READ_ON_BYTES = 128 * 1024
const HEAD_END = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)
const PROCESSING = 'HTTP/1.1 102 Processing\r\n\r\n'

/** Whether a body is written in slices, so that the connection ends only when the last has left. */
function isLong(body: string | Uint8Array): body is Uint8Array {
  return typeof body !== 'string' && body.length > WRITTEN_BYTES_MAX
}

/**
 * What a connection is at, one after the other:
 * - `idle`: the next request has not begun,
 * - `arriving`: a request came in part; its bytes are put together,
 * - `serving`: a request is whole and has no answer yet,
 * - `answering`: its answer was written and has not left,
 * - `closing`: the same, and the answer is the last one: what still comes is nobody's,
 * - `closed`: the last answer has left, or the connection is gone,
 * - `parsed`: Node's HTTP server has the request, and the connection until the next plain request.
 */
type State = 'idle' | 'arriving' | 'serving' | 'answering' | 'closing' | 'closed' | 'parsed'

/** A request that arrives in pieces. */
interface Arriving {
  readonly memory: Buffer
  /** How much of the memory is filled. */
  bytes: number
  /** It is counted: a stop of the service waits for it. */
  readonly isExpected: boolean
}

/**
 * A connection whose plain requests are read here. A request that is not plain, or whose head has not
 * arrived in one piece, goes to Node's HTTP server with all its bytes. After its answer, the next
 * request may be read here again.
 */
export class FrontConnection implements Reply, Passage, Quiet {
  readonly #socket: Socket
  readonly #deps: FrontDeps
  #state: State = 'idle'
  /** Made for the first request that Node's HTTP server reads. */
  #gate: MessageGate | undefined
  /** The bytes of the last head with the empty line behind it: most clients repeat it. */
  #headBytes: Buffer = NOTHING
  #head: StrictHead | undefined
  /** Its memory is given back when the request has been served: a little longer than it arrives. */
  #arriving: Arriving | undefined
  #onceOver: (() => void) | undefined
  /** What was sent ahead, and whether it was more than there was room for. */
  readonly #ahead: UnauthenticatedHold
  /** What may still come, beside what was put back, when the connection is not read on. */
  readonly #readOnBytes: number
  #isOverfull = false
  /** What is kept in memory for the answer under way. */
  #answerBytes = 0
  status = 200

  /** Reads an accepted connection from here on. */
  constructor(accepted: Socket, deps: FrontDeps) {
    this.#deps = deps
    this.#ahead = new UnauthenticatedHold(deps.budget)
    const socket = readingInto(accepted, {
      nextBuffer: () => this.#arriving?.memory.subarray(this.#arriving.bytes) ?? deps.shared,
      take: (bytes) => this.#take(bytes),
    })
    this.#socket = socket
    this.#readOnBytes = socket === accepted ? READ_ON_BYTES : 0
    deps.silences.begin(this)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  get socket(): Socket {
    return this.#socket
  }

  get isOver(): boolean {
    return this.#state !== 'serving' || this.#socket.destroyed
  }

  onceOver(done: () => void): void {
    const before = this.#onceOver
    this.#onceOver =
      before === undefined
        ? done
        : () => {
            before()
            done()
          }
  }

  sendStream(): void {
    invariant(false, 'the front serves no operation whose answer is a stream')
  }

  sendProcessing(): void {
    if (!this.isOver && this.#socket.readableEnded) this.#socket.write(PROCESSING, 'latin1')
  }

  send(status: number, headers: string[], body: string | Uint8Array): void {
    this.status = status
    if (this.#isOverfull) headers.push('Connection', 'close')
    const isLast = this.#socket.readableEnded || hasHeader(headers, 'Connection')
    this.#state = isLast ? 'closing' : 'answering'
    const keepAliveSeconds = isLast ? undefined : this.#deps.keepAliveMs / 1_000
    this.#write(answerHead(status, headers, keepAliveSeconds), body)
    if (isLong(body) || this.#socket.writableLength > 0) {
      this.#answerBytes = Math.max(1, body.length)
      this.#deps.departures.begin(this)
    }
    if (isLast && !isLong(body)) this.#socket.destroySoon()
  }

  #write(head: string, body: string | Uint8Array): void {
    const socket = this.#socket
    if (typeof body === 'string') {
      socket.write(head + body, body === '' ? 'latin1' : 'utf8', this.#onSent)
      return
    }
    if (isLong(body)) {
      socket.write(head, 'latin1')
      writeSlices(socket, body, this.#onSent)
      return
    }
    const bytes = joined(head, body)
    if (bytes !== undefined) {
      socket.write(bytes, this.#onSent)
      return
    }
    socket.cork()
    socket.write(head, 'latin1')
    socket.write(body, this.#onSent)
    socket.uncork()
  }

  /** The next request has its turn when the answer has left: who reads none is served no more. */
  readonly #onSent = (error?: Error | null): void => {
    if (error) return
    if (this.#state === 'closing') {
      this.#finish('closed')
      this.#socket.destroySoon()
    }
    if (this.#state !== 'answering') return
    this.#finish('idle')
    if (this.#socket.readableEnded) this.#socket.end()
    else if (this.#socket.isPaused()) void nextIteration().then(this.#readOn)
  }

  /** Reads what was sent ahead; without a turn between, others would wait for all of it. */
  readonly #readOn = (): void => {
    if (this.#state === 'idle') this.#socket.resume()
  }

  /** The request is over, answered or not. */
  #finish(next: 'idle' | 'closed'): void {
    this.#state = next
    if (this.#answerBytes > 0) {
      this.#answerBytes = 0
      this.#deps.departures.end(this)
    }
    if (this.#headBytes.length > KEPT_HEAD_BYTES_MAX) {
      this.#headBytes = NOTHING
      this.#head = undefined
    }
    const done = this.#onceOver
    this.#onceOver = undefined
    done?.()
  }

  #giveMemoryBack(): void {
    if (this.#arriving === undefined) return
    this.#deps.memory.give(this.#arriving.memory)
    this.#arriving = undefined
  }

  /** Puts bytes of the next request back until this one is answered; without room it is the last. */
  #defer(bytes: Buffer): void {
    if (this.#isOverfull) return
    if (!this.#ahead.resize(bytes.length === 0 ? 0 : bytes.length + this.#readOnBytes)) {
      this.#deps.budget.refuseUnauthenticated()
      this.#ahead.resize(0)
      this.#isOverfull = true
      if (this.#state === 'answering') this.#state = 'closing'
      return
    }
    if (bytes.length === 0) return
    this.#socket.pause()
    this.#socket.unshift(this.#owned(bytes))
  }

  /** The bytes themselves, or a copy where they lie in memory which is read into again. */
  #owned(bytes: Buffer): Buffer {
    const { buffer } = bytes
    const isBorrowed =
      buffer === this.#deps.shared.buffer || buffer === this.#arriving?.memory.buffer
    return isBorrowed ? Buffer.from(bytes) : bytes
  }

  /** Bytes that lie in memory which is read into again. */
  #take(bytes: Buffer): boolean {
    if (this.#state === 'parsed') return this.#socket.push(Buffer.from(bytes))
    this.#onData(bytes)
    return true
  }

  readonly #onData = (bytes: Buffer): void => {
    switch (this.#state) {
      case 'idle':
        if (!this.#begin(bytes)) this.#handOver(this.#owned(bytes))
        return
      case 'arriving':
        this.#assemble(bytes)
        return
      case 'serving':
      case 'answering':
        this.#defer(bytes)
        return
      case 'parsed':
        this.#gate?.take(bytes)
        return
      case 'closing':
      case 'closed':
        return
    }
  }

  /** Takes the request that begins with these bytes; false: it is for Node's HTTP server. */
  #begin(bytes: Buffer): boolean {
    const head = this.#headOf(bytes)
    if (head === undefined) return false
    const headBytes = this.#headBytes.length
    const totalBytes = headBytes + head.bodyBytes
    if (bytes.length >= totalBytes) {
      this.#defer(bytes.subarray(totalBytes))
      this.#serve(head, bytes.subarray(headBytes, totalBytes), false)
      return true
    }
    this.#ahead.resize(0)
    const memory = this.#deps.memory.take(totalBytes)
    if (memory === undefined) return false
    bytes.copy(memory)
    this.#arriving = { memory, bytes: bytes.length, isExpected: this.#deps.expect() }
    this.#state = 'arriving'
    this.#deps.arrivals.begin(this)
    return true
  }

  #assemble(bytes: Buffer): void {
    const head = this.#head
    const arriving = this.#arriving
    invariant(head !== undefined && arriving !== undefined, 'a body arrives without a head')
    const { memory } = arriving
    const headBytes = this.#headBytes.length
    const totalBytes = headBytes + head.bodyBytes
    const missingBytes = totalBytes - arriving.bytes
    // Usually they were read to where they belong.
    if (bytes.buffer !== memory.buffer) bytes.copy(memory, arriving.bytes, 0, missingBytes)
    arriving.bytes += Math.min(bytes.length, missingBytes)
    if (arriving.bytes < totalBytes) return
    this.#deps.arrivals.end(this)
    this.#defer(bytes.subarray(missingBytes))
    this.#serve(head, memory.subarray(headBytes, totalBytes), arriving.isExpected)
  }

  #serve(head: StrictHead, body: Buffer, isExpected: boolean): void {
    this.#state = 'serving'
    this.status = 200
    this.#deps.serve(head, body, this, isExpected)
    // Before the next read asks where to: it must not go to memory that others may get.
    this.#giveMemoryBack()
  }

  /** The head at the beginning of the bytes when all of it is there and plain. */
  #headOf(bytes: Buffer): StrictHead | undefined {
    const known = this.#headBytes.length
    if (known > 0 && bytes.length >= known) {
      if (bytes.compare(this.#headBytes, 0, known, 0, known) === 0) return this.#head
    }
    const end = bytes.indexOf(HEAD_END)
    if (end < 0 || end > HEAD_BYTES_MAX) return undefined
    const text = bytes.toString('latin1', 0, end)
    const head = readStrictHead(text, this.#socket, this.#deps.findServe)
    if (head === undefined || head.bodyBytes > FRONT_BODY_BYTES_MAX) return undefined
    this.#headBytes = Buffer.from(bytes.subarray(0, end + HEAD_END.length))
    this.#head = head
    return head
  }

  #handOver(bytes: Buffer): void {
    this.#state = 'parsed'
    this.#deps.silences.end(this)
    this.#ahead.resize(0)
    this.#gate ??= this.#openGate()
    this.#gate.begin(bytes)
  }

  #openGate(): MessageGate {
    const socket = this.#socket
    socket.off('data', this.#onData)
    const gate = this.#deps.openGate(socket, this.#takeBack)
    // Added after Node's listeners: Node's parser then leaves the reading to them.
    socket.on('data', this.#onData)
    return gate
  }

  /** Takes the connection back when the next request is plain. */
  readonly #takeBack = (bytes: Buffer): boolean => {
    const socket = this.#socket
    if (socket.readableEnded || !this.#begin(bytes)) return false
    // Node's own timer, which would not know that a call is served.
    socket.setTimeout(0)
    this.#deps.silences.begin(this)
    if (this.#state === 'arriving') socket.resume()
    return true
  }

  readonly #onEnd = (): void => {
    if (this.#state === 'parsed') this.#gate?.end()
    if (this.#state === 'idle') this.#socket.end()
    if (this.#state !== 'arriving') return
    this.#breakOff(new Error('the connection ended before the body did'))
  }

  get passedBytes(): number {
    return this.#state === 'arriving' ? this.#socket.bytesRead : takenBytes(this.#socket)
  }

  get heldBytes(): number {
    return this.#answerBytes
  }

  /** What has arrived is taken at once, and an answer is written when it is whole. */
  isHeldBack(): boolean {
    return false
  }

  giveUp(): void {
    if (this.#state === 'arriving') this.#breakOff(tooSlow())
    else this.#socket.destroy()
  }

  /** Answers a request that has not arrived in full; its memory may be read into until the end. */
  #breakOff(error: Error): void {
    this.#endArrival()
    this.#state = 'closed'
    answerClientError(error, this.#socket)
  }

  #endArrival(): void {
    if (this.#state !== 'arriving') return
    this.#deps.arrivals.end(this)
    if (this.#arriving?.isExpected) this.#deps.abandon()
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }

  get movedBytes(): number {
    return this.#socket.bytesRead + takenBytes(this.#socket)
  }

  onSilent(): void {
    if (this.#state !== 'serving') this.#socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#deps.silences.end(this)
    this.#endArrival()
    this.#giveMemoryBack()
    this.#ahead.resize(0)
    this.#finish('closed')
  }
}
