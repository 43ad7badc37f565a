import type { EpochMs } from '../../base/index.ts'
import type { StreamHandle } from './sample-port.ts'

/** Something on disk that did not check when it was read again. */
export interface ScrubFinding {
  readonly part: 'samples' | 'journal' | 'catalog' | 'files' | 'payloads'
  /** What is wrong and where, in words an operator can act on; no secrets, no values. */
  readonly what: string
  /** The stream that misses samples, where that is known. */
  readonly handle: StreamHandle | undefined
  /** The stretch of time that may miss samples, where that is known. */
  readonly from: EpochMs | undefined
  readonly until: EpochMs | undefined
}

/** One pass over everything that is stored; the part that is read asks often whether to go on. */
export interface ScrubPass {
  /** Asked after at most some megabytes or milliseconds; waits its turn, false: the pass ends. */
  mayGoOn(): Promise<boolean>
  /** Called with the amount read since the last call: rows, documents, frames or blocks, and bytes. */
  onChecked(items: number, bytes: number): void
  onDamage(finding: ScrubFinding): void
}

/** A store that can read back all it holds and hold it against its checksums. */
export interface Scrubbable {
  /** Reads everything once, in small steps, beside the calls that are served. */
  scrub(pass: ScrubPass): Promise<void>
}
