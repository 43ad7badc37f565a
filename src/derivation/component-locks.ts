import type { CatalogStore, Lease } from '../store/index.ts'

/** A holder that died keeps others waiting this long at most. */
const LEASE_MS = 60_000

/** What locks are kept with. */
interface LockDeps {
  readonly catalog: Pick<CatalogStore, 'acquireLease' | 'releaseLease'>
  /** Who this process is among those that share the catalog. */
  readonly holder: string
}

/**
 * Components of which somebody alone derives for a while. Within the process it is known at once, to other
 * processes by the lease `derive:<component uid>`.
 */
export class ComponentLocks {
  readonly #deps: LockDeps
  readonly #held = new Map<string, Lease | undefined>()

  constructor(deps: LockDeps) {
    this.#deps = deps
  }

  /** Whether somebody of this process holds a component. */
  isLocked(componentUid: string): boolean {
    return this.#held.has(componentUid)
  }

  /** Takes a component; false while somebody else has it, here or in another process. */
  async lock(componentUid: string): Promise<boolean> {
    if (this.#held.has(componentUid)) return false
    this.#held.set(componentUid, undefined)
    let isHeld = false
    try {
      isHeld = await this.renew(componentUid)
    } finally {
      if (!isHeld) this.#held.delete(componentUid)
    }
    return isHeld
  }

  /** Keeps a component that is held; false when it was lost to another process. */
  async renew(componentUid: string): Promise<boolean> {
    const { catalog, holder } = this.#deps
    const lease = await catalog.acquireLease(`derive:${componentUid}`, holder, LEASE_MS)
    if (lease !== undefined) this.#held.set(componentUid, lease)
    return lease !== undefined
  }

  /** Gives a component back. */
  async unlock(componentUid: string): Promise<void> {
    const lease = this.#held.get(componentUid)
    this.#held.delete(componentUid)
    if (lease !== undefined) await this.#deps.catalog.releaseLease(lease)
  }
}
