import { type Principal, requireSomeFeed } from '../access/index.ts'
import type { MemoryBudget } from '../base/index.ts'
import { listMetadata, type MetadataQuery } from './labels/list-metadata.ts'
import type { QueryJob } from './run/query-messages.ts'
import { QueryRuns } from './run/query-runs.ts'
import type { TestTexts } from './run/query-thread.ts'
import { type HandedSamples, StoredSeries, type StoredSeriesDeps } from './source/stored-series.ts'

/** Who asks, and whether somebody still waits. */
export interface PromqlCall {
  readonly principal: Principal
  /** The caller as of the moment; refuses one whose permissions have ended. */
  readonly renew: () => Principal | Promise<Principal>
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal
  /** How long the query may wait and run together. */
  readonly timeoutMs: number
  /** Hears of the samples of each stream that the query reads. */
  readonly onHanded: (handed: HandedSamples) => void
}

interface Deps extends StoredSeriesDeps {
  readonly budget: MemoryBudget
}

/** PromQL, and the calls beside it, over the streams of a caller. All answers are JSON as Prometheus writes it. */
export class PrometheusQueries {
  readonly #deps: Deps
  readonly #runs: QueryRuns

  constructor(deps: Deps) {
    this.#deps = deps
    this.#runs = new QueryRuns(deps.budget)
  }

  /** Queries that run and that wait. */
  get figures() {
    return this.#runs.figures
  }

  /** Refuses a caller who may read no stream, before parameters are read. */
  requireReader(principal: Principal): void {
    requireSomeFeed(principal, 'GET')
  }

  /** Evaluates a query, or lists labels or series, in a thread. */
  async run(
    { principal, renew, signal, timeoutMs, onHanded }: PromqlCall,
    job: QueryJob,
  ): Promise<Uint8Array> {
    return await this.#runs.run({
      orgUid: principal.orgUid,
      job,
      deadlineMs: performance.now() + timeoutMs,
      signal,
      open: (parts) => new StoredSeries(this.#deps, { ...parts, renew, onHanded }),
    })
  }

  /** Type, help, and unit of metrics. */
  async metadata({ renew }: PromqlCall, query: MetadataQuery): Promise<Uint8Array> {
    const { catalog, store } = this.#deps
    const principal = await renew()
    return await listMetadata({ catalog, store, principal, testTexts: NO_PATTERNS }, query)
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    await this.#runs.close()
  }
}

const NO_PATTERNS: TestTexts = () => {
  throw new Error('BUG: there is no selector, and no thread that could test its pattern')
}
