import type { ManualClock } from '../../src/base/index.ts'
import type { CatalogStore } from '../../src/store/index.ts'

/** One place for a catalog: `open` opens the same data again and again. */
export interface CatalogStoreHome {
  readonly clock: ManualClock
  /** Of the random runs, the share that there is time for: all, by default. */
  readonly share?: number
  open(): Promise<CatalogStore>
  dispose(): Promise<void>
}

/** The number of random runs in a place: its share of `runs`. */
export function runsOf({ share = 1 }: CatalogStoreHome, runs: number): number {
  return Math.ceil(runs * share)
}
