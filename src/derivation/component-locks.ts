import { BoundedCache, type Clock } from '../base/index.ts'
import { type CatalogStore, HeldLease } from '../store/index.ts'

/** A holder that died keeps others waiting this long at most. */
const LEASE_MS = 60_000

/** How long what was heard of another process counts: jobs hold a component for longer than that. */
const HEARD_MS = 500

/** Components of which it is known whether another process holds them, some hundred bytes each. */
const HEARD_MAX = 10_000

/** What locks are kept with. */
interface LockDeps {
  readonly catalog: Pick<CatalogStore, 'acquireLease' | 'releaseLease' | 'holderOf'>
  readonly clock: Clock
  /** Who this process is among those that share the catalog. */
  readonly holder: string
}

/** Whether another process holds a component, as it was at a time. */
interface Heard {
  readonly at: number
  readonly isHeld: Promise<boolean>
}

/**
 * Components of which somebody alone derives for a while. Within the process it is known at once, to other
 * processes by the lease `derive:<component uid>`.
 */
export class ComponentLocks {
  readonly #deps: LockDeps
  readonly #held = new Map<string, HeldLease>()
  readonly #heard = new BoundedCache<string, Heard>(HEARD_MAX)

  constructor(deps: LockDeps) {
    this.#deps = deps
  }

  /** Whether somebody holds a component: in this process, or in another half a second ago. */
  async isLocked(componentUid: string): Promise<boolean> {
    if (this.#held.has(componentUid)) return true
    const { clock } = this.#deps
    const known = this.#heard.get(componentUid)
    if (known !== undefined && clock.elapsed() - known.at < HEARD_MS) return await known.isHeld
    return await this.#hear(componentUid, this.#isHeldRemotely(componentUid))
  }

  /** Takes a component; false while somebody else has it, here or in another process. */
  async lock(componentUid: string): Promise<boolean> {
    if (this.#held.has(componentUid)) return false
    const { catalog, clock, holder } = this.#deps
    const lease = { catalog, clock, holder, name: nameOf(componentUid), ttlMs: LEASE_MS }
    const held = new HeldLease(lease)
    this.#held.set(componentUid, held)
    let isHeld = false
    try {
      isHeld = await held.renew()
    } finally {
      if (!isHeld) this.#held.delete(componentUid)
    }
    return isHeld
  }

  /** Keeps a component that is held; false when it was lost to another process. */
  async renew(componentUid: string): Promise<boolean> {
    return (await this.#held.get(componentUid)?.renew()) ?? false
  }

  /** Gives a component back. */
  async unlock(componentUid: string): Promise<void> {
    const held = this.#held.get(componentUid)
    this.#held.delete(componentUid)
    await held?.release()
  }

  /** Lets all who ask at the same time, and soon after, share one answer. */
  async #hear(componentUid: string, isHeld: Promise<boolean>): Promise<boolean> {
    this.#heard.set(componentUid, { at: this.#deps.clock.elapsed(), isHeld })
    try {
      return await isHeld
    } catch (error) {
      this.#heard.delete(componentUid)
      throw error
    }
  }

  async #isHeldRemotely(componentUid: string): Promise<boolean> {
    const { catalog, holder } = this.#deps
    const found = await catalog.holderOf(nameOf(componentUid), LEASE_MS)
    return found !== undefined && found !== holder
  }
}

function nameOf(componentUid: string): string {
  return `derive:${componentUid}`
}
