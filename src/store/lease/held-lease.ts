import { type Clock, systemClock } from '../../base/index.ts'
import type { CatalogStore, Lease } from '../ports/catalog-port.ts'
import { RENEW_EVERY_MS, Renewal } from './renewal.ts'

/** What a lease is held with. */
interface LeaseTerms {
  readonly catalog: Pick<CatalogStore, 'acquireLease' | 'releaseLease'>
  readonly name: string
  /** Who this process is among those that share the catalog. */
  readonly holder: string
  /** A holder that died keeps others waiting this long at most. */
  readonly ttlMs: number
  readonly clock?: Clock
}

/** A lease of the catalog as this process holds it: taken, renewed, and released, or lost to another process. */
export class HeldLease {
  readonly #terms: LeaseTerms
  readonly #clock: Clock
  #lease: Lease | undefined
  #renewedAtMs = Number.NEGATIVE_INFINITY
  #renewal: Renewal | undefined
  #isReleased = false

  constructor(terms: LeaseTerms) {
    this.#terms = terms
    this.#clock = terms.clock ?? systemClock
  }

  /** The lease as commits name it; undefined while this process does not hold it. */
  get lease(): Lease | undefined {
    return this.#lease
  }

  /** Milliseconds since the last renewal that the store granted was asked for. */
  get ageMs(): number {
    return this.#clock.elapsed() - this.#renewedAtMs
  }

  /** Takes or renews the lease; false while another process holds it. */
  async renew(): Promise<boolean> {
    const { catalog, name, holder, ttlMs } = this.#terms
    const askedAtMs = this.#clock.elapsed()
    this.#lease = await catalog.acquireLease(name, holder, ttlMs)
    if (this.#lease === undefined) return false
    this.#renewedAtMs = askedAtMs
    return true
  }

  /**
   * Renews a lease that was just taken every few seconds until it is released, and reports once that it is lost. A store
   * that is away for a moment takes nothing from the holder: only a renewal that would come too late does.
   */
  keep(onLost: () => void): void {
    this.#renewal = new Renewal(async () => {
      try {
        if (await this.renew()) return
      } catch {
        // By the next renewal the lease may have ended, and another process may hold it.
        if (this.ageMs + RENEW_EVERY_MS < this.#terms.ttlMs) return
      }
      this.#renewal?.end()
      if (!this.#isReleased) onLost()
    })
  }

  /** Lets others take the lease: at once, or after some time in which this process must not use it either. */
  async release(afterMs = 0): Promise<void> {
    this.#isReleased = true
    // A renewal under way would take it once more.
    await this.#renewal?.close()
    const lease = this.#lease
    this.#lease = undefined
    if (lease === undefined) return
    const { catalog, name, holder } = this.#terms
    if (afterMs === 0) await catalog.releaseLease(lease)
    else await catalog.acquireLease(name, holder, afterMs)
  }
}
