import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { LiveSink } from '../../feed/live/index.ts'
import { commonHeaders } from '../transport/answer.ts'
import type { Exchange } from '../transport/exchange.ts'
import { FIRST_TEXT } from './event-text.ts'

/** Proxies hand on at once what comes; nobody keeps it. */
const EVENT_HEADERS = [
  'Content-Type',
  'text/event-stream; charset=utf-8',
  'Cache-Control',
  'no-store',
  'X-Accel-Buffering',
  'no',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
]

/** An answer without end: server-sent events to one client. */
export class EventSink implements LiveSink {
  readonly #exchange: Exchange
  readonly #response: ServerResponse
  #isBegun = false
  #isFirst = true

  constructor(exchange: Exchange, response: ServerResponse) {
    this.#exchange = exchange
    this.#response = response
  }

  get isFree(): boolean {
    const response = this.#response
    return this.#isBegun && !response.destroyed && response.writableLength === 0
  }

  get unsentBytes(): number {
    return this.#response.destroyed ? 0 : this.#response.writableLength
  }

  begin(): void {
    const response = this.#response
    this.#isBegun = true
    if (response.destroyed) return
    // It ends with its connection, so there is nothing to delimit with chunks.
    response.removeHeader('Transfer-Encoding')
    const headers = [...commonHeaders(this.#exchange), ...EVENT_HEADERS, 'Connection', 'close']
    response.writeHead(200, STATUS_CODES[200], headers)
  }

  send(text: string, onLeft: () => void): void {
    if (this.#response.destroyed) return
    // Bytes: a text that waits would keep its characters besides.
    this.#response.write(Buffer.from(this.#isFirst ? FIRST_TEXT + text : text), onLeft)
    this.#isFirst = false
  }

  end(text: string): void {
    const response = this.#response
    if (response.destroyed) return
    if (this.isFree) response.end(text)
    else response.destroy()
  }
}
