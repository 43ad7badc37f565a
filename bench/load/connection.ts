import { connect, type Socket } from 'node:net'

/** Where a service listens; always on loopback. */
export interface Address {
  readonly port: number
}

const HEADER_END = Buffer.from('\r\n\r\n')
const CHUNKED_END = Buffer.from('0\r\n\r\n')

/** An answer as far as a measurement needs it. */
export interface Answer {
  readonly status: number
  readonly body: Buffer
}

/**
 * One kept-alive HTTP/1.1 connection over a plain socket that sends one request at a time. Requests
 * are bytes made beforehand and answers are only cut out, so that the generator costs little beside
 * the service it measures.
 */
export class Connection {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (data: Buffer) => this.#take(data))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the service closed the connection')))
  }

  /** Connects to a service on this machine. */
  static open(address: Address): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(address.port, '127.0.0.1', () => resolve(new Connection(socket)))
      socket.once('error', reject)
    })
  }

  /** Sends a whole request and resolves with its answer. */
  send(request: Uint8Array): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }

  #take(data: Buffer): void {
    this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data])
    const headerEnd = this.#received.indexOf(HEADER_END)
    if (headerEnd < 0) return
    const header = this.#received.toString('latin1', 0, headerEnd).toLowerCase()
    const body = bodyOf(header, this.#received.subarray(headerEnd + HEADER_END.length))
    if (body === undefined) return
    this.#received = Buffer.alloc(0)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve({ status: Number(header.slice(9, 12)), body })
  }
}

/** The body if all of it has arrived. */
function bodyOf(header: string, rest: Buffer): Buffer | undefined {
  const lengthAt = header.indexOf('content-length:')
  if (lengthAt >= 0) {
    const length = Number.parseInt(header.slice(lengthAt + 15), 10)
    return rest.length >= length ? rest.subarray(0, length) : undefined
  }
  if (!header.includes('transfer-encoding: chunked')) return rest.subarray(0, 0)
  const isWhole = rest.length >= 5 && rest.subarray(-5).equals(CHUNKED_END)
  return isWhole ? joinChunks(rest) : undefined
}

function joinChunks(raw: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = raw.indexOf('\r\n', at)
    const length = Number.parseInt(raw.toString('latin1', at, lineEnd), 16)
    if (!(length > 0)) return Buffer.concat(parts)
    parts.push(raw.subarray(lineEnd + 2, lineEnd + 2 + length))
    at = lineEnd + 2 + length + 2
  }
}

/** A request without a body. */
export function getRequest(path: string, method = 'GET'): Buffer {
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: bench\r\nContent-Length: 0\r\n\r\n`)
}

/** Sends one request over a connection of its own. */
export async function sendOnce(address: Address, request: Uint8Array): Promise<Answer> {
  const connection = await Connection.open(address)
  try {
    return await connection.send(request)
  } finally {
    connection.close()
  }
}
