import type { CatalogStore } from '../ports/catalog-port.ts'
import { HeldLease } from './held-lease.ts'

/** A holder that died keeps others waiting this long at most. */
const LEASE_MS = 60_000

/** What a job needs to run in one process of a cluster at a time. */
export interface LeasedJobDeps {
  readonly catalog: Pick<CatalogStore, 'acquireLease' | 'releaseLease'>
  /** Who this process is among those that share the catalog. */
  readonly holder: string
  /** Called with an error; the next run tries again. */
  readonly onFailure: (error: unknown) => void
}

/** One run of a job, which must ask often whether it may go on. */
export interface JobRun {
  /** Whether the job is being closed. */
  readonly isOver: boolean
  /** Renews the lease; false when the run has to end: the lease is lost, or the job is closed. */
  mayGoOn(): Promise<boolean>
}

/** Work that is done from time to time, in the background and under a lease. */
export class LeasedJob {
  readonly #deps: LeasedJobDeps
  readonly #name: string
  readonly #everyMs: number
  readonly #work: (run: JobRun) => Promise<number>
  #timer: NodeJS.Timeout | undefined
  #running: Promise<unknown> | undefined
  #isClosed = false

  /** `work` answers how much it did. */
  constructor(
    deps: LeasedJobDeps,
    job: {
      readonly name: string
      readonly everyMs: number
      readonly work: (run: JobRun) => Promise<number>
    },
  ) {
    this.#deps = deps
    this.#name = job.name
    this.#everyMs = job.everyMs
    this.#work = job.work
  }

  /** Runs from time to time until closed. */
  start(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#running = this.run()
        .catch(this.#deps.onFailure)
        .finally(() => this.start())
    }, this.#everyMs)
    this.#timer.unref()
  }

  /** Runs once; returns the amount of work done, 0 if another process works. */
  async run(): Promise<number> {
    const { catalog, holder } = this.#deps
    const held = new HeldLease({ catalog, holder, name: this.#name, ttlMs: LEASE_MS })
    if (!(await held.renew())) return 0
    const isClosed = () => this.#isClosed
    const run: JobRun = {
      get isOver() {
        return isClosed()
      },
      mayGoOn: async () => (await held.renew()) && !isClosed(),
    }
    try {
      return await this.#work(run)
    } finally {
      await held.release()
    }
  }

  /** Ends the job and waits for a run that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#running
  }
}
