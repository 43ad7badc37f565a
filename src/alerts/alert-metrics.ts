import { metricText } from '../base/index.ts'
import type { AlertWorker } from './evaluate/alert-worker.ts'

/** Metrics of alerts in Prometheus' text format. States are known to the process that evaluates. */
export function alertMetrics(worker: AlertWorker): string {
  const { states, totals, watchedCount } = worker
  const byState = (['PENDING', 'FIRING'] as const).map(
    (state) => [`state="${state}"`, states.count(state)] as const,
  )
  return [
    metricText('weir_alert_streams', 'gauge', 'Streams that alerts watch.', watchedCount),
    metricText('weir_alert_states', 'gauge', 'States that are not OK.', byState),
    metricText('weir_alert_changes_total', 'counter', 'Changes of states.', totals.changes),
    metricText(
      'weir_alert_failures_total',
      'counter',
      'Samples on which a condition failed, and evaluations that were repeated.',
      totals.failures,
    ),
  ].join('')
}
