import type { Socket } from 'node:net'
import { invariant } from '../../../base/index.ts'
import { answerClientError } from '../client-error.ts'
import type { Reply, RequestHead } from '../exchange.ts'
import { answerHead, hasHeader, joined } from './answer-bytes.ts'
import { type BodyMemory, FRONT_BODY_BYTES_MAX } from './body-memory.ts'
import { type PlainHead, readPlainHead } from './request-head.ts'
import { readingInto } from './shared-buffer-socket.ts'

/** What the connections of the front share. */
export interface FrontDeps {
  readonly memory: BodyMemory
  /** What arrives while no request is being put together is read into this, for all connections. */
  readonly shared: Buffer
  /** What clients are told about the time between two requests. */
  readonly keepAliveMs: number
  /** How long a connection may stay silent. */
  readonly idleMs: number
  /** Whether a request with this head can be served here. */
  isServed(head: RequestHead): boolean
  /** Counts a request whose body has begun to arrive; false when nobody waits for it any more. */
  expect(): boolean
  /** Takes back what expect() counted: the rest of the request will not come. */
  abandon(): void
  /**
   * Serves a whole request; its answer goes to the reply, in any case and only once. The body's
   * bytes are there until this returns.
   */
  serve(head: RequestHead, body: Buffer, reply: Reply, isExpected: boolean): void
  /** Lets Node's HTTP server have the connection from here on. */
  handOver(socket: Socket): void
}

/** Longer heads carry samples in their URL; reading them as text is nothing to save on. */
const HEAD_BYTES_MAX = 16 * 1024
/** What a connection keeps of the last head while it is idle; there may be many connections. */
const KEPT_HEAD_BYTES_MAX = 2 * 1024
const HEAD_END = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)

/**
 * A connection whose requests are read here as long as all of them are plain calls to the feed. At
 * the first that is not, or whose head has not arrived in one piece, the connection goes to Node's
 * HTTP server, with all bytes of that request, and stays there.
 */
export class FrontConnection implements Reply {
  readonly #socket: Socket
  readonly #deps: FrontDeps
  /** The bytes of the last head with the empty line behind it: most clients repeat it. */
  #headBytes: Buffer = NOTHING
  #head: PlainHead | undefined
  /** A request that arrives in pieces, until all of them are there. */
  #assembly: Buffer | undefined
  #assembledBytes = 0
  /** The request that arrives in pieces is counted: a stop of the service waits for it. */
  #isExpected = false
  /** From the last byte of a request until the last of its answer has left. */
  #isBusy = false
  #isAnswered = false
  /** The answer is the last of this connection. */
  #isClosing = false
  #isPaused = false
  /** The bytes at hand lie in memory which is read into again. */
  #isBorrowed = false
  #isHandedOver = false
  #hasEnded = false
  #onceOver: (() => void) | undefined
  status = 200

  /** Reads an accepted connection from here on. */
  constructor(accepted: Socket, deps: FrontDeps) {
    this.#deps = deps
    const socket = readingInto(accepted, {
      nextBuffer: () => this.#assembly?.subarray(this.#assembledBytes) ?? deps.shared,
      take: (bytes) => this.#take(bytes),
    })
    this.#socket = socket
    socket.setTimeout(deps.idleMs)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('timeout', this.#onTimeout)
    socket.on('close', this.#onClose)
  }

  get socket(): Socket {
    return this.#socket
  }

  get isOver(): boolean {
    return !this.#isBusy || this.#isAnswered || this.#socket.destroyed
  }

  onceOver(done: () => void): void {
    this.#onceOver = done
  }

  send(status: number, headers: string[], body: string | Uint8Array): void {
    this.status = status
    this.#isAnswered = true
    this.#isClosing = this.#hasEnded || hasHeader(headers, 'Connection')
    const keepAliveSeconds = this.#isClosing ? undefined : this.#deps.keepAliveMs / 1_000
    this.#write(answerHead(status, headers, keepAliveSeconds), body)
    if (this.#isClosing) this.#socket.destroySoon()
  }

  #write(head: string, body: string | Uint8Array): void {
    const socket = this.#socket
    if (typeof body === 'string') {
      socket.write(head + body, body === '' ? 'latin1' : 'utf8', this.#onSent)
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
    if (error || !this.#isBusy) return
    this.#finish()
    if (this.#hasEnded) this.#socket.end()
    else if (this.#isPaused && !this.#isClosing) this.#resume()
  }

  /** The request is over, answered or not. */
  #finish(): void {
    this.#isBusy = false
    if (this.#headBytes.length > KEPT_HEAD_BYTES_MAX) {
      this.#headBytes = NOTHING
      this.#head = undefined
    }
    const done = this.#onceOver
    this.#onceOver = undefined
    done?.()
  }

  #release(): void {
    if (this.#isExpected) {
      this.#isExpected = false
      this.#deps.abandon()
    }
    if (this.#assembly === undefined) return
    this.#deps.memory.give(this.#assembly)
    this.#assembly = undefined
  }

  #resume(): void {
    this.#isPaused = false
    this.#socket.resume()
  }

  /** Puts bytes of the next request back until this one is answered. */
  #defer(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#isPaused = true
    this.#socket.pause()
    this.#socket.unshift(this.#owned(bytes))
  }

  #owned(bytes: Buffer): Buffer {
    return this.#isBorrowed ? Buffer.from(bytes) : bytes
  }

  /** Bytes that lie in memory which is read into again. */
  #take(bytes: Buffer): boolean {
    if (this.#isHandedOver) return this.#socket.push(Buffer.from(bytes))
    this.#isBorrowed = true
    this.#onData(bytes)
    this.#isBorrowed = false
    return true
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#isClosing) return
    if (this.#isBusy) this.#defer(bytes)
    else if (this.#assembly === undefined) this.#begin(bytes)
    else this.#assemble(this.#assembly, bytes)
  }

  #begin(bytes: Buffer): void {
    const head = this.#headOf(bytes)
    if (head === undefined) {
      this.#handOver(bytes)
      return
    }
    const headBytes = this.#headBytes.length
    const totalBytes = headBytes + head.bodyBytes
    if (bytes.length >= totalBytes) {
      this.#serve(head, bytes.subarray(headBytes, totalBytes), bytes.subarray(totalBytes))
      return
    }
    const assembly = this.#deps.memory.take(totalBytes)
    if (assembly === undefined) {
      this.#handOver(bytes)
      return
    }
    bytes.copy(assembly)
    this.#assembly = assembly
    this.#assembledBytes = bytes.length
    this.#isExpected = this.#deps.expect()
  }

  #assemble(assembly: Buffer, bytes: Buffer): void {
    invariant(this.#head !== undefined, 'a body arrives without a head')
    const headBytes = this.#headBytes.length
    const totalBytes = headBytes + this.#head.bodyBytes
    const missingBytes = totalBytes - this.#assembledBytes
    // Usually they were read to where they belong.
    if (bytes.buffer !== assembly.buffer)
      bytes.copy(assembly, this.#assembledBytes, 0, missingBytes)
    this.#assembledBytes += Math.min(bytes.length, missingBytes)
    if (this.#assembledBytes < totalBytes) return
    this.#serve(this.#head, assembly.subarray(headBytes, totalBytes), bytes.subarray(missingBytes))
  }

  #serve(head: PlainHead, body: Buffer, rest: Buffer): void {
    this.#isBusy = true
    this.#isAnswered = false
    this.status = 200
    this.#defer(rest)
    const isExpected = this.#isExpected
    this.#isExpected = false
    this.#deps.serve(head, body, this, isExpected)
    // Before the next read asks where to: it must not go to memory that others may get.
    this.#release()
  }

  /** The head at the beginning of the bytes when all of it is there and plain. */
  #headOf(bytes: Buffer): PlainHead | undefined {
    const known = this.#headBytes.length
    if (known > 0 && bytes.length >= known) {
      if (bytes.compare(this.#headBytes, 0, known, 0, known) === 0) return this.#head
    }
    const end = bytes.indexOf(HEAD_END)
    if (end < 0 || end > HEAD_BYTES_MAX) return undefined
    const head = readPlainHead(bytes.toString('latin1', 0, end), this.#socket)
    if (head === undefined || head.bodyBytes > FRONT_BODY_BYTES_MAX) return undefined
    if (!this.#deps.isServed(head)) return undefined
    this.#headBytes = Buffer.from(bytes.subarray(0, end + HEAD_END.length))
    this.#head = head
    return head
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('timeout', this.#onTimeout)
    socket.off('close', this.#onClose)
    this.#isHandedOver = true
    socket.unshift(this.#owned(bytes))
    this.#deps.handOver(socket)
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true
    if (this.#isBusy) return
    if (this.#assembly === undefined) this.#socket.end()
    else answerClientError(new Error('the connection ended before the body did'), this.#socket)
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }

  readonly #onTimeout = (): void => {
    if (!this.#isBusy || this.#isAnswered) this.#socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#release()
    if (this.#isBusy) this.#finish()
  }
}
