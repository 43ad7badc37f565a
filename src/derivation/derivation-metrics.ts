import { metricText } from '../base/index.ts'
import type { DerivationWorker } from './background/derivation-worker.ts'
import type { DerivationGraph } from './derivation-plan.ts'
import type { HistoryJobs } from './history/history-jobs.ts'
import type { StatusBook } from './status-book.ts'

/** Metrics of derived streams in Prometheus' text format. */
export function derivationMetrics(parts: {
  readonly graph: DerivationGraph
  readonly jobs: HistoryJobs
  readonly status: StatusBook
  readonly worker: DerivationWorker
}): string {
  const { graph, jobs, status, worker } = parts
  const { runs, samples, failures } = status.totals
  return [
    metricText('weir_derived_streams', 'gauge', 'Streams with a formula.', graph.derived().length),
    metricText(
      'weir_derived_samples_total',
      'counter',
      'Samples calculated by formulas since the start.',
      samples,
    ),
    metricText(
      'weir_derivation_runs_total',
      'counter',
      'Blocks of results with samples or failures.',
      runs,
    ),
    metricText(
      'weir_derivation_failures_total',
      'counter',
      'Results missing because a formula failed.',
      failures,
    ),
    metricText(
      'weir_derivation_waiting_streams',
      'gauge',
      'Streams waiting to be calculated.',
      worker.waitingCount,
    ),
    metricText('weir_jobs_unfinished', 'gauge', 'Unfinished jobs.', jobs.unfinishedCount),
  ].join('')
}
