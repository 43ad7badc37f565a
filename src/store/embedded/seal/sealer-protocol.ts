import type { FoundDamage } from '../damage/found-damage.ts'
import type { FileIdentity } from '../disk/file-identity.ts'

/** What the sealer's thread is started with. */
export interface SealerThreadData {
  readonly file: string
  /** Which files it and its log were at the start: what is in their place since must not be written to. */
  readonly opened: readonly FileIdentity[]
  readonly journalFolder: string
  readonly faults: SharedArrayBuffer | undefined
  /** Cell 0 becomes 1 when the store closes: a seal under way stops where it can. */
  readonly control: SharedArrayBuffer
}

export type SealerCommand =
  /**
   * Seals segments that follow each other, the first of them at least; `watched` are streams whose touched spans are kept
   * from these on, beside the others.
   */
  | {
      readonly op: 'seal'
      readonly segments: readonly number[]
      readonly watched: readonly number[]
    }
  | { readonly op: 'watch'; readonly id: number; readonly handles: readonly number[] }
  /** Builds the index of the rows again, where the rows are whole. */
  | { readonly op: 'mend' }
  | { readonly op: 'close' }

export type SealerReply =
  | { readonly op: 'ready' }
  /** These are in samples.db for good: as many from the first on as could be sealed in one pass. */
  | {
      readonly op: 'sealed'
      readonly segments: readonly number[]
      readonly damages: readonly FoundDamage[]
    }
  | { readonly op: 'stopped' }
  | {
      readonly op: 'failed'
      readonly what: string
      /** What is short, when trying again later may do. */
      readonly passing: string | undefined
      /** What is wrong with what would have been sealed. */
      readonly damages: readonly FoundDamage[]
    }
  | { readonly op: 'mended'; readonly isDone: boolean; readonly damages: readonly FoundDamage[] }
  | { readonly op: 'watched'; readonly id: number; readonly what: string | undefined }
