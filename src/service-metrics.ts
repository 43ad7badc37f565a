/** A piece of the composition root: what /metrics tells of the stores. */
import { histogramHead, metricText, version } from './base/index.ts'
import type { Catalog } from './catalog/index.ts'
import type { Imports } from './connectors/index.ts'
import type { StreamDeriver } from './derivation/index.ts'
import type { LiveHub } from './feed/index.ts'
import type { GqlRuns } from './gql/index.ts'
import type { SqlRunners } from './sql/index.ts'
import {
  type BackupHolds,
  type EmbeddedSampleStore,
  measureFolder,
} from './store/embedded/index.ts'
import { type KnownDamage, type ScrubRunner, scrubMetrics } from './store/index.ts'

/** Who is asked. */
interface MetricParts {
  readonly backups: BackupHolds
  readonly catalog: Catalog
  readonly damage: KnownDamage
  readonly derivation: StreamDeriver
  readonly embeddedSamples: EmbeddedSampleStore
  readonly gql: GqlRuns
  readonly imports: Imports
  readonly live: LiveHub
  readonly scrub: ScrubRunner
  readonly sql: SqlRunners
}

/** The counts of all parts in Prometheus' text format; nothing is counted for it that is not asked for. */
export async function serviceMetrics(parts: MetricParts, dataDir: string): Promise<string> {
  const { backups, catalog, damage, derivation, embeddedSamples, gql, imports } = parts
  const { live, scrub, sql } = parts
  const { index } = catalog
  const info = `version="${version}",node="${process.versions.node}"`
  return [
    metricText('weir_build_info', 'gauge', 'Which Weir runs on which Node.', [[info, 1]]),
    metricText('weir_streams', 'gauge', 'Streams of all organizations.', index.streamCount),
    metricText(
      'weir_components',
      'gauge',
      'Components of all organizations.',
      index.componentCount,
    ),
    metricText('weir_backups_running', 'gauge', 'Backups that are being written.', backups.count),
    storeMetrics(embeddedSamples),
    await folderMetrics(dataDir),
    scrubMetrics(damage, scrub),
    derivation.metrics(),
    live.metrics(),
    sqlMetrics(sql),
    gql.metrics(),
    imports.metrics(),
  ].join('')
}

function storeMetrics(store: EmbeddedSampleStore): string {
  const { samples, puts, bytes, waitingBytes, syncs, backlog, sealLagMs } = store.figures
  const { readOnlyReason, damages } = store.status()
  const segments = new Set(damages.map(({ file }) => file).filter((file) => file.endsWith('.seg')))
  const sync = 'weir_journal_sync_seconds'
  return [
    metricText(
      'weir_samples_stored_total',
      'counter',
      'Samples made durable since the start.',
      samples,
    ),
    metricText('weir_puts_stored_total', 'counter', 'Calls made durable, removals too.', puts),
    metricText(
      'weir_journal_written_bytes_total',
      'counter',
      'Bytes of records made durable.',
      bytes,
    ),
    metricText(
      'weir_journal_waiting_bytes',
      'gauge',
      'Bytes that wait for the disk.',
      waitingBytes,
    ),
    histogramHead(sync, 'Time to make a group of calls durable: one write, one sync.'),
    syncs.lines(sync),
    metricText('weir_seal_backlog_segments', 'gauge', 'Closed segments not sealed yet.', backlog),
    metricText(
      'weir_seal_lag_seconds',
      'gauge',
      'For how long the oldest waits.',
      sealLagMs / 1_000,
    ),
    metricText(
      'weir_quarantined_segments',
      'gauge',
      'Segments with bytes set aside.',
      segments.size,
    ),
    metricText(
      'weir_quarantined_items',
      'gauge',
      'Damages set aside, at most 1,000.',
      damages.length,
    ),
    metricText(
      'weir_read_only',
      'gauge',
      '1: nothing can be stored.',
      readOnlyReason === undefined ? 0 : 1,
    ),
  ].join('')
}

async function folderMetrics(dataDir: string): Promise<string> {
  const { free, journalSegments, ...sizes } = await measureFolder(dataDir)
  const parts = Object.entries(sizes).map(([part, bytes]) => [`part="${part}"`, bytes] as const)
  return [
    metricText('weir_storage_bytes', 'gauge', 'Bytes on disk, without the bodies of files.', parts),
    metricText('weir_journal_segments', 'gauge', 'Files of the journal.', journalSegments),
    metricText('weir_disk_free_bytes', 'gauge', "What the data folder's disk has left.", free),
  ].join('')
}

function sqlMetrics({ figures }: SqlRunners): string {
  const { busy, ended, runners, waiting } = figures
  const outcomes = Object.entries(ended).map(
    ([name, count]) => [`outcome="${name}"`, count] as const,
  )
  return [
    metricText('weir_sql_runners', 'gauge', 'Processes that run GS SQL.', runners),
    metricText('weir_sql_runners_busy', 'gauge', 'Of these, those that work.', busy),
    metricText('weir_sql_waiting', 'gauge', 'Runs that wait for a process.', waiting),
    metricText('weir_sql_runs_total', 'counter', 'Runs by how they ended.', outcomes),
  ].join('')
}
