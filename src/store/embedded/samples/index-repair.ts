import type { Sealer } from '../seal/sealer.ts'
import type { CheckedRows } from '../sealed/checked-rows.ts'
import type { FoldCache } from './fold-cache.ts'

/** Has the index of the rows built again where reads or a scrub find it wrong. */
export class IndexRepair {
  readonly #parts: { sealer: Sealer; rows: CheckedRows; folds: FoldCache }
  #repairing: Promise<boolean> | undefined
  /** Building it reads everything: reads ask for it only while that helps. */
  #isOfUse = true

  constructor(parts: { sealer: Sealer; rows: CheckedRows; folds: FoldCache }) {
    this.#parts = parts
  }

  /** Repeats a look at a stream whose rows turn out not to add up, once the index is built again. */
  async lookAgain<T>(stream: number, found: T, look: () => T | Promise<T>): Promise<T> {
    const { rows } = this.#parts
    if (!rows.isSuspect(stream) || !this.#isOfUse || !(await this.repair())) return found
    const again = await look()
    if (rows.isSuspect(stream)) this.#isOfUse = false
    return again
  }

  /** Builds the index again; false where the rows are damaged, or it cannot be done. */
  repair(): Promise<boolean> {
    this.#repairing ??= this.#repair().finally(() => {
      this.#repairing = undefined
    })
    return this.#repairing
  }

  async #repair(): Promise<boolean> {
    const { sealer, rows, folds } = this.#parts
    this.#isOfUse = await sealer.repair()
    if (!this.#isOfUse) return false
    rows.clearSuspects()
    folds.clear()
    return true
  }
}
