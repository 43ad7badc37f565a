/** A piece of the composition root: what /metrics shows for stores in a data folder. */
import { histogramHead, metricText } from '../base/index.ts'
import type { BackupHolds, EmbeddedSampleStore } from '../store/embedded/index.ts'
import type { StorageSizes } from '../store/index.ts'

/** The counts of samples, journal, backups and sizes in Prometheus' text format. */
export function folderMetrics(parts: {
  readonly backups: BackupHolds
  readonly samples: EmbeddedSampleStore
  readonly sizes: StorageSizes
}): string {
  const { backups, samples, sizes } = parts
  return [
    metricText('weir_backups_running', 'gauge', 'Backups in progress.', backups.count),
    storeMetrics(samples),
    sizeMetrics(sizes),
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
      'Samples written durably since the start.',
      samples,
    ),
    metricText(
      'weir_puts_stored_total',
      'counter',
      'Requests written durably, including deletes.',
      puts,
    ),
    metricText(
      'weir_journal_written_bytes_total',
      'counter',
      'Bytes of records written durably.',
      bytes,
    ),
    metricText('weir_journal_waiting_bytes', 'gauge', 'Bytes waiting for the disk.', waitingBytes),
    histogramHead(sync, 'Time to write a group of requests durably: one write, one sync.'),
    syncs.lines(sync),
    metricText('weir_seal_backlog_segments', 'gauge', 'Closed segments not sealed yet.', backlog),
    metricText(
      'weir_seal_lag_seconds',
      'gauge',
      'Age of the oldest closed segment that is not sealed.',
      sealLagMs / 1_000,
    ),
    metricText(
      'weir_quarantined_segments',
      'gauge',
      'Segments with quarantined bytes.',
      segments.size,
    ),
    metricText(
      'weir_quarantined_items',
      'gauge',
      'Quarantined damage, at most 1,000.',
      damages.length,
    ),
    metricText(
      'weir_read_only',
      'gauge',
      '1: the service is read-only.',
      readOnlyReason === undefined ? 0 : 1,
    ),
  ].join('')
}

function sizeMetrics({ free, journalSegments, ...sizes }: StorageSizes): string {
  const parts = Object.entries(sizes).map(
    ([part, bytes]) => [`part="${part}"`, bytes ?? 0] as const,
  )
  return [
    metricText('weir_storage_bytes', 'gauge', 'Bytes on disk, without file bodies.', parts),
    metricText('weir_journal_segments', 'gauge', 'Files of the journal.', journalSegments ?? 0),
    metricText('weir_disk_free_bytes', 'gauge', 'Free space on the disk of the data folder.', free),
  ].join('')
}
