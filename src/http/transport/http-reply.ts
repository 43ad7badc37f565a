import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { invariant } from '../../base/index.ts'
import type { Exchange, Reply, SentStream } from './exchange.ts'
import { afterBody } from './linger.ts'
import { WRITTEN_BYTES_MAX, writeSlices } from './write-slices.ts'

/** The answer to a request that came through Node's HTTP server. */
export class HttpReply implements Reply {
  /** Node's own objects, for answers without end. */
  readonly request: IncomingMessage
  readonly response: ServerResponse

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.request = req
    this.response = res
  }

  get isOver(): boolean {
    return this.response.headersSent || this.response.destroyed
  }

  get status(): number {
    return this.response.statusCode
  }

  send(status: number, headers: string[], body: string | Uint8Array): void {
    const req = this.request
    const res = this.response
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

  sendStream(status: number, headers: string[], { body, trailer, onEarlyError }: SentStream): void {
    const res = this.response
    res.statusCode = status
    for (let at = 0; at < headers.length; at += 2) res.appendHeader(headers[at], headers[at + 1])
    // HTTP/1.0 knows no trailers.
    const isTold = trailer !== undefined && this.request.httpVersion !== '1.0'
    if (isTold) res.setHeader('Trailer', trailer.name)
    let isWhole = false
    body.once('error', (error) => {
      if (res.headersSent || res.destroyed) {
        res.destroy()
        return
      }
      for (const name of res.getHeaderNames()) res.removeHeader(name)
      onEarlyError(error)
    })
    body.once('end', () => {
      isWhole = true
      if (isTold) res.addTrailers({ [trailer.name]: trailer.value() })
    })
    res.once('close', () => {
      if (!isWhole) body.destroy()
    })
    if (res.destroyed) body.destroy()
    else body.pipe(res)
  }

  onceOver(done: () => void): void {
    this.response.once('close', done)
  }

  sendProcessing(): void {
    const { httpVersion, socket } = this.request
    // Older clients know no answer before the answer.
    if (this.isOver || !socket.readableEnded || httpVersion === '1.0') return
    this.response.writeProcessing()
  }
}

/** Node's own request and response of a call that did not come through the front. */
export function nodeReplyOf({ reply }: Pick<Exchange, 'reply'>): HttpReply {
  invariant(reply instanceof HttpReply, 'only whole answers leave through the front')
  return reply
}

/** Whether more of a body is to come. The head alone says so: a request that has none ends with it. */
export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
