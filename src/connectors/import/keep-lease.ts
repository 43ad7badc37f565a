import type { Clock } from '../../base/index.ts'

/** What a lease is kept by. */
interface KeptLease {
  /** For how long each renewal holds. */
  readonly leaseMs: number
  readonly everyMs: number
  readonly clock: Clock
  /** Answers false when another process has it; rejects when the store cannot be asked. */
  readonly renew: () => Promise<boolean>
  readonly onLost: () => void
}

/**
 * Renews a lease that has just been taken until it is stopped, and tells once it is lost. A store that is away for a
 * moment takes nothing from its holder: only a renewal that would come too late for the lease does.
 */
export function keepLease({ leaseMs, everyMs, clock, renew, onLost }: KeptLease): () => void {
  let heldSince = clock.elapsed()
  const once = async () => {
    const askedAt = clock.elapsed()
    try {
      if (await renew()) heldSince = askedAt
      else lose()
    } catch {
      // By the next time it may be over, and another process have it.
      if (clock.elapsed() + everyMs >= heldSince + leaseMs) lose()
    }
  }
  const renewing = setInterval(() => void once(), everyMs)
  const stop = () => clearInterval(renewing)
  const lose = () => {
    stop()
    onLost()
  }
  return stop
}
