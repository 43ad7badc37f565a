import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type Clock, type Log, redactUrl, refusal } from '../../base/index.ts'
import { HttpMetrics } from '../metrics/http-metrics.ts'
import { answerError } from './answer.ts'
import type { Exchange, Reply, RequestHead } from './exchange.ts'

/** Seconds after which a client may try again while the service stops. */
const SHUTDOWN_RETRY_S = 5

const GIVEN_ID = /^[\w.-]{1,64}$/

/** Accounts for every request: its id, its log line, its metrics, and whether it is still running. */
export class Traffic {
  readonly metrics = new HttpMetrics()
  readonly #clock: Clock
  readonly #log: Log
  readonly #addressOf: (req: RequestHead) => string
  readonly #isPublicSecure: boolean
  readonly #idPrefix = randomBytes(4).toString('hex')
  #count = 0
  #inFlight = 0
  #isDraining = false
  #onIdle: (() => void) | undefined

  constructor(deps: {
    readonly clock: Clock
    readonly log: Log
    readonly addressOf: (req: RequestHead) => string
    /** Whether users reach the service over TLS, wherever it ends. */
    readonly isPublicSecure?: boolean
  }) {
    this.#clock = deps.clock
    this.#log = deps.log
    this.#addressOf = deps.addressOf
    this.#isPublicSecure = deps.isPublicSecure ?? false
  }

  /** Requests that were begun and not yet answered. */
  get inFlight(): number {
    return this.#inFlight
  }

  /**
   * Says that a request's body has begun to arrive: a stop waits for it until begin() takes the
   * request in or abandon() says that it will not come. False once the service stops.
   */
  expect(): boolean {
    if (this.#isDraining) return false
    this.#inFlight += 1
    return true
  }

  /** Says that an expected request will not come. */
  abandon(): void {
    this.#leave()
  }

  /** Takes a request in; undefined when it was refused because the service stops. */
  begin(
    req: RequestHead,
    incoming: IncomingMessage | Buffer,
    reply: Reply,
    { isExpected = false } = {},
  ): Exchange | undefined {
    const exchange: Exchange = {
      id: this.#idFor(req),
      req,
      incoming,
      reply,
      address: this.#addressOf(req),
      isSecure: this.#isPublicSecure || isEncrypted(req.socket),
      startedAtMs: this.#clock.elapsed(),
      route: 'unmatched',
      limit: undefined,
      held: undefined,
      reason: undefined,
      code: undefined,
      warnings: [],
    }
    reply.onceOver(() => this.#end(exchange))
    if (isExpected) return exchange
    this.#inFlight += 1
    if (!this.#isDraining) return exchange
    const refused = refusal('shutting_down', { retryAfterSeconds: SHUTDOWN_RETRY_S })
    answerError(exchange, refused, this.#log, { headers: { Connection: 'close' } })
    return undefined
  }

  /** Refuses what comes from here on; resolves when all that was begun before is answered. */
  async drain(): Promise<void> {
    this.#isDraining = true
    if (this.#inFlight === 0) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  #idFor(req: RequestHead): string {
    const given = req.headers['x-request-id']
    if (typeof given === 'string' && GIVEN_ID.test(given)) return given
    this.#count += 1
    return `${this.#idPrefix}-${this.#count.toString(36)}`
  }

  #end(exchange: Exchange): void {
    const { id, req, reply, address, route, reason, code } = exchange
    exchange.held?.release()
    const durationMs = this.#clock.elapsed() - exchange.startedAtMs
    const method = req.method ?? ''
    const { status } = reply
    this.metrics.observe({ method, route, status, code, seconds: durationMs / 1_000 })
    const level = status >= 500 ? 'warn' : status >= 400 ? 'info' : 'debug'
    if (this.#log.isLevelEnabled(level)) {
      const url = redactUrl(req.url ?? '').slice(0, 2_000)
      const ms = Math.round(durationMs * 1_000) / 1_000
      const line = { requestId: id, method, url, status, durationMs: ms, address, reason }
      this.#log[level](line, 'request')
    }
    this.#leave()
  }

  #leave(): void {
    this.#inFlight -= 1
    if (this.#inFlight === 0) this.#onIdle?.()
  }
}

function isEncrypted(socket: Socket & { readonly encrypted?: boolean }): boolean {
  return socket.encrypted === true
}
