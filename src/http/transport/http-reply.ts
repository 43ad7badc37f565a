import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Reply } from './exchange.ts'
import { afterBody } from './linger.ts'
import { WRITTEN_BYTES_MAX, writeSlices } from './write-slices.ts'

/** The answer to a request that came through Node's HTTP server. */
export class HttpReply implements Reply {
  readonly #req: IncomingMessage
  readonly #res: ServerResponse

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.#req = req
    this.#res = res
  }

  get isOver(): boolean {
    return this.#res.headersSent || this.#res.destroyed
  }

  get status(): number {
    return this.#res.statusCode
  }

  send(status: number, headers: string[], body: string | Uint8Array): void {
    const req = this.#req
    const res = this.#res
    const isLingering = status >= 400 && hasUnreadBody(req)
    // What was refused before it was read would be taken for the next request.
    if (isLingering) headers.push('Connection', 'close')
    res.writeHead(status, STATUS_CODES[status] ?? '', headers)
    const shown = req.method === 'HEAD' ? '' : body
    if (!isLingering) {
      if (typeof shown === 'string' || shown.length <= WRITTEN_BYTES_MAX) res.end(shown)
      else writeSlices(res, shown, () => res.end())
    } else {
      res.write(shown)
      afterBody(req, () => res.end())
    }
  }

  onceOver(done: () => void): void {
    this.#res.once('close', done)
  }

  tellProcessing(): void {
    const { httpVersion, socket } = this.#req
    // Older clients know no answer before the answer.
    if (this.isOver || !socket.readableEnded || httpVersion === '1.0') return
    this.#res.writeProcessing()
  }
}

/** Whether more of a body is to come. The head alone says so: a request that has none ends with it. */
export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
