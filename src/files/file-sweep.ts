import type { Clock } from '../base/index.ts'
import type { BlobStore, CatalogStore, Lease, SampleStore, StreamHandle } from '../store/index.ts'
import { allOf, keysIn } from './file-bodies.ts'
import { LiveKeys } from './live-keys.ts'

export interface FileSweepDeps {
  readonly blobs: BlobStore
  readonly store: SampleStore
  readonly catalog: Pick<CatalogStore, 'acquireLease' | 'releaseLease'>
  /** Every stream that holds files. */
  readonly fileStreams: () => Iterable<StreamHandle>
  readonly clock: Clock
  /** Who this process is among those that share the catalog. */
  readonly holder: string
  /** Told of a run that failed; the next one tries again. */
  readonly onFailure: (error: unknown) => void
}

const LEASE_NAME = 'file_sweep'
const LEASE_MS = 60_000
const EVERY_MS = 3_600_000

/** Streams looked at before the lease is renewed. */
const STREAMS_PER_TURN = 100

/**
 * Removes the bodies that no sample names: what uploads and deletions leave when they are cut short
 * by a crash. Runs in one process of a cluster at a time.
 */
export class FileSweep {
  readonly #deps: FileSweepDeps
  #timer: NodeJS.Timeout | undefined
  #running: Promise<unknown> | undefined
  #isClosed = false

  constructor(deps: FileSweepDeps) {
    this.#deps = deps
  }

  /** Sweeps from time to time until closed. */
  start(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#running = this.run()
        .catch(this.#deps.onFailure)
        .finally(() => this.start())
    }, EVERY_MS)
    this.#timer.unref()
  }

  /** Sweeps once; tells how many bodies went, 0 where another process works. */
  async run(): Promise<number> {
    const { catalog, holder, blobs, clock, store } = this.#deps
    // Samples that cannot be read at present may come back, and would miss their bodies then.
    if (store.status().damages.length > 0) return 0
    let lease = await catalog.acquireLease(LEASE_NAME, holder, LEASE_MS)
    if (lease === undefined) return 0
    // Bodies that come while the samples are read are younger than this and spared by their age.
    const startedAt = clock.now()
    try {
      const live = new LiveKeys()
      let seenCount = 0
      for (const handle of this.#deps.fileStreams()) {
        if (this.#isClosed) return 0
        seenCount += 1
        if (seenCount % STREAMS_PER_TURN === 0) lease = await this.#keep(lease)
        if (lease === undefined) return 0
        for await (const key of keysIn(store, allOf(handle))) live.add(key)
      }
      return await blobs.sweep((key) => this.#isClosed || live.has(key), startedAt)
    } finally {
      if (lease !== undefined) await catalog.releaseLease(lease)
    }
  }

  /** Ends the sweeping and waits for a run that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #keep(lease: Lease): Promise<Lease | undefined> {
    return this.#deps.catalog.acquireLease(LEASE_NAME, lease.holder, LEASE_MS)
  }
}
