import { IpList, networkOf } from '../../access/index.ts'
import type { Clock, Log } from '../../base/index.ts'

/** How many connections are let in. */
export interface ConnectionLimits {
  /** All together. */
  readonly connectionsMax: number
  /** From one address, or one /64 of IPv6; a trusted proxy carries many and is not counted. */
  readonly perAddressMax: number
}

/** Refused clients try again at once, so one line a minute is enough. */
const REPORTED_EVERY_MS = 60_000

/** Counts the open connections by where they come from, and refuses those beyond the limits. */
export class ConnectionCount {
  readonly limits: ConnectionLimits
  readonly #proxies: IpList | undefined
  readonly #clock: Clock
  readonly #log: Log
  readonly #open = new Map<string, number>()
  #reportedAtMs = Number.NEGATIVE_INFINITY
  #count = 0
  #refused = 0

  constructor(deps: {
    readonly limits: ConnectionLimits
    readonly trustedProxies: readonly string[]
    readonly clock: Clock
    readonly log: Log
  }) {
    const { trustedProxies } = deps
    this.limits = deps.limits
    this.#proxies = trustedProxies.length === 0 ? undefined : new IpList(trustedProxies)
    this.#clock = deps.clock
    this.#log = deps.log
  }

  /** Counts a connection from an address until the answered function is called; undefined: refused. */
  admit(address: string): (() => void) | undefined {
    const network = networkOf(address)
    const before = this.#open.get(network) ?? 0
    if (before >= this.limits.perAddressMax && this.#proxies?.includes(address) !== true) {
      this.refuse(address)
      return undefined
    }
    this.#open.set(network, before + 1)
    this.#count += 1
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#count -= 1
      const left = (this.#open.get(network) ?? 1) - 1
      if (left === 0) this.#open.delete(network)
      else this.#open.set(network, left)
    }
  }

  /** Counts a rejected connection from an address, and logs a summary now and then. */
  refuse(address: string): void {
    this.#refused += 1
    const now = this.#clock.elapsed()
    if (now - this.#reportedAtMs < REPORTED_EVERY_MS) return
    this.#reportedAtMs = now
    const counts = { open: this.#count, refused: this.#refused, ...this.limits }
    this.#log.warn({ address, ...counts }, 'rejecting connections: too many')
  }

  /** The counts in Prometheus' text format. */
  metrics(): string {
    const lines = [
      '# HELP weir_connections Open connections.',
      '# TYPE weir_connections gauge',
      `weir_connections ${this.#count}`,
      '# HELP weir_connections_refused_total Connections that were closed because there were too many.',
      '# TYPE weir_connections_refused_total counter',
      `weir_connections_refused_total ${this.#refused}`,
    ]
    return `${lines.join('\n')}\n`
  }
}
