import type { IncomingMessage } from 'node:http'
import { parse as parseQuery } from 'node:querystring'
import type { Principal } from '../../access/index.ts'
import type { ActingCaller } from '../../auth/administer/index.ts'
import type { Caller, CallerCheck } from '../../auth/index.ts'
import { invariant } from '../../base/index.ts'
import type { Exchange } from '../transport/exchange.ts'
import type { UseBytes } from '../transport/read-whole-body.ts'

/** Who was let in with a call. */
export interface Admitted {
  readonly caller: Caller
  /** How the caller stands while the call goes on. */
  readonly callerCheck: CallerCheck
}

/** What the head of a call names, and what was read of it for all requests with the same head. */
export interface CallHead {
  /** The IDs in the path, decoded. */
  readonly ids: Readonly<Record<string, string>>
  /** What stands behind the question mark, as it was sent. */
  readonly query: string
  readonly kept: { value?: { readonly made: unknown }; target?: { readonly made: unknown } }
}

/** One call of an operation: who calls, what it names, and what it brings. */
export class Call<Body = unknown, Target = undefined> {
  /** The request and its answer, for operations that are about HTTP itself. */
  readonly exchange: Exchange
  /** The body, parsed as the operation's input says. */
  readonly body: Body
  /** What the operation has read of the head before it asked who calls. */
  readonly target: Target
  /** What an error of this call is answered with beside its own headers. */
  errorHeaders: Readonly<Record<string, string>>
  readonly #head: CallHead
  readonly #admitted: Admitted | undefined
  readonly #readBytes: <T>(use: UseBytes<T>) => Promise<T>
  #query: NodeJS.Dict<string | string[]> | undefined

  constructor(parts: {
    readonly exchange: Exchange
    readonly head: CallHead
    readonly body: Body
    readonly target: Target
    readonly errorHeaders: Readonly<Record<string, string>>
    readonly admitted: Admitted | undefined
    readonly readBytes: <T>(use: UseBytes<T>) => Promise<T>
  }) {
    this.exchange = parts.exchange
    this.body = parts.body
    this.target = parts.target
    this.errorHeaders = parts.errorHeaders
    this.#head = parts.head
    this.#admitted = parts.admitted
    this.#readBytes = parts.readBytes
  }

  /** The request as Node reads it: for inputs of the kind `stream`, and operations that are not hot. */
  get incoming(): IncomingMessage {
    const { incoming } = this.exchange
    invariant(!Buffer.isBuffer(incoming), 'the body of a hot call is read whole')
    return incoming
  }

  get method(): string {
    return this.exchange.req.method ?? ''
  }

  get ids(): CallHead['ids'] {
    return this.#head.ids
  }

  /** The query as it was sent. */
  get queryText(): string {
    return this.#head.query
  }

  /** The parameters of the query; one that comes several times is a list. */
  get query(): NodeJS.Dict<string | string[]> {
    this.#query ??= parseQuery(this.#head.query, '&', '=', { maxKeys: 0 })
    return this.#query
  }

  /** The caller's address. */
  get address(): string {
    return this.exchange.address
  }

  /** Reads a header of the request by its name in lower case. */
  get header(): (name: keyof Exchange['req']['headers']) => string | undefined {
    const { headers } = this.exchange.req
    return (name) => (headers[name] === undefined ? undefined : String(headers[name]))
  }

  get caller(): Caller {
    return this.#known.caller
  }

  get principal(): Principal {
    return this.#known.caller.principal
  }

  get callerCheck(): CallerCheck {
    return this.#known.callerCheck
  }

  /** Who acts, with the password and code that the call carries besides. */
  get acting(): ActingCaller {
    const { principal, callerCheck, address } = this
    return { principal, address, password: this.#password, otp: this.#otp, callerCheck }
  }

  /** The caller as of this moment, once the call has waited; refuses one whose rights have ended. */
  renew(): Principal | Promise<Principal> {
    const caller = this.callerCheck.renew()
    return caller instanceof Promise ? caller.then(({ principal }) => principal) : caller.principal
  }

  /** Reads the body in full and hands it to `use`; its memory is held until that is done. */
  withBytes<T>(use: UseBytes<T>): Promise<T> {
    return this.#readBytes(use)
  }

  /** Adds a warning to a successful call. */
  warn(warnings: readonly string[]): void {
    this.exchange.warnings = warnings
  }

  /** What `make` reads of method, path and query alone, once for all requests with the same head. */
  once<T>(make: () => T): T {
    const { kept } = this.#head
    kept.value ??= { made: make() }
    return kept.value.made as T
  }

  get #known(): Admitted {
    invariant(this.#admitted !== undefined, 'an operation for anyone asks who calls')
    return this.#admitted
  }

  /** `currentOtp` in the body, beside the record; else the header. */
  get #otp(): string | undefined {
    const given = (this.body as { currentOtp?: unknown } | null | undefined)?.currentOtp
    const otp = given ?? this.exchange.req.headers['weir-otp']
    return typeof otp === 'string' ? otp : undefined
  }

  /** `currentPassword` in the body, beside the record or in it; else the header, for calls without one. */
  get #password(): string | undefined {
    const body: unknown = this.body
    const record = typeof body === 'object' && body !== null ? Object.values(body) : []
    for (const place of [body, ...record]) {
      const given = (place as { currentPassword?: unknown } | null | undefined)?.currentPassword
      if (typeof given === 'string') return given
    }
    const header = this.exchange.req.headers['weir-password']
    // Node reads headers as Latin-1; clients write UTF-8.
    return typeof header === 'string' ? Buffer.from(header, 'latin1').toString('utf8') : undefined
  }
}
