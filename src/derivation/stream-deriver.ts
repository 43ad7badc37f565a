import { type Clock, KeyedMutex } from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import type { Feed } from '../feed/index.ts'
import type { DeriveLimits } from '../feed/put/index.ts'
import type { CatalogStore, SampleBatch, SampleStore, StreamHandle } from '../store/index.ts'
import { DerivationWorker } from './background/derivation-worker.ts'
import { CatalogGraph } from './catalog-graph.ts'
import { ComponentLocks } from './component-locks.ts'
import { derivationMetrics } from './derivation-metrics.ts'
import { isProblem } from './derivation-plan.ts'
import { deriveNews } from './derive-news.ts'
import { derivePut } from './derive-put.ts'
import { EvaluationThread } from './evaluate/evaluation-thread.ts'
import { DerivationViews } from './explain/derivation-views.ts'
import { historyWork } from './history/derive-history.ts'
import { HistoryJobs, type JobWorks } from './history/history-jobs.ts'
import { JobBook } from './history/job-book.ts'
import { TypeSettler } from './settle-type.ts'
import { StatusBook } from './status-book.ts'

/** What derived streams need of the others. */
interface DerivationDeps {
  readonly catalog: Catalog
  readonly catalogStore: CatalogStore
  readonly store: SampleStore
  readonly feed: Feed
  readonly clock: Clock
  /** Who this process is among those that share the catalog; the same after a restart where there is one only. */
  readonly holder: string
  readonly onFailure: (error: unknown) => void
  /** Where jobs are kept. */
  readonly book?: JobBook
  /** What jobs do that derive nothing. */
  readonly works?: Omit<JobWorks, 'derive'>
  /** Whether other processes derive over the same catalog. */
  readonly isShared?: boolean
}

/** Everything that derives, opened together. */
export class StreamDeriver {
  readonly graph: CatalogGraph
  readonly status: StatusBook
  readonly locks: ComponentLocks
  readonly worker: DerivationWorker
  readonly jobs: HistoryJobs
  readonly types: TypeSettler
  readonly views: DerivationViews
  readonly #thread = new EvaluationThread({ name: 'derivation' })
  readonly #putDeps: Parameters<typeof derivePut>[0]

  constructor(deps: DerivationDeps) {
    const { catalog, catalogStore, clock, feed, holder, isShared, onFailure, store } = deps
    const { index } = catalog
    this.graph = new CatalogGraph(catalog)
    this.status = new StatusBook({ catalog: catalogStore, index, clock, isShared })
    this.locks = new ComponentLocks({ catalog: catalogStore, clock, holder })
    const { graph, locks, status } = this
    const mutex = new KeyedMutex<StreamHandle>()
    const thread = this.#thread
    const common = { feed, store, status, graph, index, locks, clock, mutex, thread, onFailure }
    this.worker = new DerivationWorker({ ...common, catalog: catalogStore, holder })
    this.types = new TypeSettler({ catalog, graph, onFailure })
    this.views = new DerivationViews({ catalog, store })
    const work = historyWork({ feed, store, status, graph, catalog, thread })
    const works = { ...deps.works, derive: work }
    const book = deps.book ?? new JobBook(catalogStore)
    this.jobs = new HistoryJobs({ ...common, isShared, works, book })
    this.#putDeps = {
      clock,
      graph,
      index,
      locks,
      onFailure,
      deriveAppended: (plan, news, control) =>
        deriveNews({ ...common, worker: this.worker }, plan, news, control),
    }
    catalog.showDerivationStatus({
      read: (handle) => this.#statusOf(handle as StreamHandle),
      newestOf: async (handles) =>
        (await store.latest(handles, { isTimesOnly: true })).map((sample) => sample?.time),
    })
    catalog.derivations.onSource((handle) => this.worker.addSource(handle))
    catalog.derivations.onUntyped((handle) => this.types.add(handle))
  }

  /**
   * Begins to derive in the background, and continues the jobs of processes that are gone. A process that is no worker
   * does neither: it derives only within puts, and runs the jobs that are started in it.
   */
  async start({ isWorker = true }: { readonly isWorker?: boolean } = {}): Promise<void> {
    this.types.start()
    await this.worker.start(isWorker)
    if (isWorker) await this.jobs.resume()
  }

  /** Derives within the call that put a batch; see derivePut. */
  async derivePut(batch: SampleBatch, limits: DeriveLimits): Promise<void> {
    await derivePut(this.#putDeps, batch, limits)
  }

  /** The state of a stream. A source that is gone or does not fit is reported before anything is put. */
  async #statusOf(handle: StreamHandle) {
    const plan = await this.graph.planOf(handle)
    if (!isProblem(plan)) {
      await this.status.noteFit(handle)
      return await this.status.read(handle)
    }
    const status = await this.status.read(handle)
    return { ...status, lastError: { message: plan.problem, time: null, values: {} } }
  }

  /** Metrics of derived streams in Prometheus' text format. */
  metrics(): string {
    return derivationMetrics(this)
  }

  /** Ends what is under way, and keeps how far it is. */
  async close(): Promise<void> {
    await this.types.close()
    await this.jobs.close()
    await this.worker.close()
    await this.views.close()
    await this.#thread.close()
  }
}
