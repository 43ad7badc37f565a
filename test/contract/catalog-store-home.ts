import type { ManualClock } from '../../src/base/index.ts'
import type { CatalogStore } from '../../src/store/index.ts'

/** One place for a catalog: `open` opens the same data again and again. */
export interface CatalogStoreHome {
  readonly clock: ManualClock
  open(): Promise<CatalogStore>
  dispose(): Promise<void>
}
