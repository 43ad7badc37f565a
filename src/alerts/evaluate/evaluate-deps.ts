import type { StreamHandle } from '../../store/index.ts'
import type { JudgeDeps } from './judge-blocks.ts'
import type { StateTable } from './state-table.ts'
import type { WatchList } from './watch-list.ts'

/** What evaluation needs. */
export interface EvaluateDeps extends JudgeDeps {
  readonly watches: WatchList
  readonly states: StateTable
  /** When a sample arrived, by its time. */
  readonly arrivalOf: (sampleTime: number) => number
  /** Whether spans may be ones that were evaluated before a crash. */
  readonly mayRepeat: boolean
  /** Called after each block: changes are committed before they take much memory. */
  readonly onChanges: () => Promise<void>
  /** Called with each stream that was evaluated further, or that a sample arrived for. */
  readonly onProgress: (handle: StreamHandle) => void
  /** Called with streams whose late sample is newer than what the catalog knows to be evaluated. */
  readonly onLate: (handle: StreamHandle) => void
  /** Called when a sample was too old by less than some time. */
  readonly onTooOld: (byMs: number) => void
}
