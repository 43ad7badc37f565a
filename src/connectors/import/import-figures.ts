import { metricText } from '../../base/index.ts'
import type { RunOutcome } from '../../store/index.ts'

/** What the imports of this process have come to since its start. */
export class ImportFigures {
  readonly #runs = { done: 0, failed: 0 }
  #rowsFetched = 0
  #rowsSkipped = 0
  #samples = 0

  /** Counts a run that is over. */
  note({ status, rowsFetched, rowsSkipped, samples }: RunOutcome): void {
    this.#runs[status === 'DONE' ? 'done' : 'failed'] += 1
    this.#rowsFetched += rowsFetched
    this.#rowsSkipped += rowsSkipped
    this.#samples += samples
  }

  /** In Prometheus' text format. */
  metrics(running: number): string {
    const { done, failed } = this.#runs
    return [
      metricText('weir_imports_running', 'gauge', 'Imports running now.', running),
      metricText('weir_import_runs_total', 'counter', 'Import runs by result.', [
        ['outcome="done"', done],
        ['outcome="failed"', failed],
      ]),
      metricText(
        'weir_import_rows_total',
        'counter',
        'Rows fetched by imports.',
        this.#rowsFetched,
      ),
      metricText(
        'weir_import_rows_skipped_total',
        'counter',
        'Rows skipped by imports because they were unchanged.',
        this.#rowsSkipped,
      ),
      metricText(
        'weir_import_samples_total',
        'counter',
        'Samples stored by imports.',
        this.#samples,
      ),
    ].join('')
  }
}
