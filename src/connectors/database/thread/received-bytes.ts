/**
 * Limits the bytes that servers may send, for every socket of this thread. Drivers create TLS sockets and, for Oracle,
 * the TCP sockets themselves, so the count is taken where Node hands each chunk to a socket: at `push()`. It works below
 * the drivers, so none of them sees more than the limit, whatever lengths the server announces.
 */
import { Socket } from 'node:net'
import { Readable } from 'node:stream'

/** Counts what the sockets of this thread receive. One per thread. */
export class ReceivedBytes {
  readonly #left = new Map<Socket, number>()
  readonly #firstMax: number
  readonly #onExceeded: (bytesMax: number) => void
  #max: number

  /** A new socket may receive `firstMax` bytes. A socket that receives more is destroyed. */
  constructor(firstMax: number, onExceeded: (bytesMax: number) => void) {
    this.#firstMax = firstMax
    this.#max = firstMax
    this.#onExceeded = onExceeded
  }

  /** Starts to count. */
  install(): void {
    const received = this
    Socket.prototype.push = function push(this: Socket, chunk: unknown, encoding) {
      const length = (chunk as Buffer | null)?.length ?? 0
      if (!received.#count(this, length)) return false
      return Readable.prototype.push.call(this, chunk, encoding)
    }
  }

  /** Lets each open socket receive this many more bytes. */
  expect(bytesMax: number): void {
    this.#max = bytesMax
    for (const socket of this.#left.keys()) this.#left.set(socket, bytesMax)
  }

  #count(socket: Socket, bytes: number): boolean {
    let left = this.#left.get(socket)
    if (left === undefined) {
      left = this.#firstMax
      socket.once('close', () => this.#left.delete(socket))
    }
    left -= bytes
    this.#left.set(socket, left)
    if (left >= 0) return true
    socket.destroy()
    this.#onExceeded(this.#max)
    return false
  }
}
