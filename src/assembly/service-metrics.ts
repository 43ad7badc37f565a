/** A piece of the composition root: what /metrics shows of the stores. */
import { type AlertWorker, alertMetrics, type Deliverer } from '../alerts/index.ts'
import { metricText, version } from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import type { Imports } from '../connectors/index.ts'
import type { StreamDeriver } from '../derivation/index.ts'
import type { LiveHub } from '../feed/live/index.ts'
import type { GqlRuns } from '../gql/index.ts'
import type { DoorLog } from '../intake/index.ts'
import type { PrometheusQueries } from '../prometheus/index.ts'
import type { SqlRunners } from '../sql/index.ts'
import { type KnownDamage, type ScrubRunner, scrubMetrics } from '../store/index.ts'
import type { OpenedStores } from './opened-storage.ts'

/** Who is asked. */
interface MetricParts {
  readonly alertWorker: AlertWorker
  readonly catalog: Catalog
  readonly damage: KnownDamage
  readonly deliverer: Deliverer
  readonly derivation: StreamDeriver
  readonly doorLog: DoorLog
  readonly gql: GqlRuns
  readonly imports: Imports
  readonly live: LiveHub
  readonly prometheus: PrometheusQueries
  readonly scrub: ScrubRunner
  readonly sql: SqlRunners
  readonly stores: Pick<OpenedStores, 'metrics'>
}

/** The counts of all parts in Prometheus' text format; nothing is counted for it that is not asked for. */
export async function serviceMetrics(parts: MetricParts): Promise<string> {
  const { catalog, damage, derivation, gql, imports, live, scrub, sql, stores } = parts
  const { index } = catalog
  const info = `version="${version}",node="${process.versions.node}"`
  return [
    metricText('weir_build_info', 'gauge', 'Versions of Weir and Node.js.', [[info, 1]]),
    metricText('weir_streams', 'gauge', 'Streams that this process has loaded.', index.streamCount),
    metricText(
      'weir_components',
      'gauge',
      'Components that this process has loaded.',
      index.componentCount,
    ),
    await stores.metrics(),
    scrubMetrics(damage, scrub),
    derivation.metrics(),
    parts.doorLog.metrics(),
    live.metrics(),
    sqlMetrics(sql),
    gql.metrics(),
    imports.metrics(),
    alertMetrics(parts.alertWorker),
    parts.deliverer.metrics(),
    prometheusMetrics(parts.prometheus),
  ].join('')
}

function prometheusMetrics({ figures }: PrometheusQueries): string {
  const { running, waiting } = figures
  return [
    metricText('weir_promql_running', 'gauge', 'PromQL queries that run.', running),
    metricText('weir_promql_waiting', 'gauge', 'PromQL queries that wait for a thread.', waiting),
  ].join('')
}

function sqlMetrics({ figures }: SqlRunners): string {
  const { busy, ended, runners, waiting } = figures
  const outcomes = Object.entries(ended).map(
    ([name, count]) => [`outcome="${name}"`, count] as const,
  )
  return [
    metricText('weir_sql_runners', 'gauge', 'Processes that run GS SQL.', runners),
    metricText('weir_sql_runners_busy', 'gauge', 'GS SQL processes that are busy.', busy),
    metricText('weir_sql_waiting', 'gauge', 'GS SQL runs waiting for a process.', waiting),
    metricText('weir_sql_runs_total', 'counter', 'GS SQL runs by result.', outcomes),
  ].join('')
}
