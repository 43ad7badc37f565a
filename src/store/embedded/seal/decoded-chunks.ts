import type { SampleColumns } from '../../sample-port.ts'

/** Samples kept decoded: 16 MB. */
const SAMPLES_MAX = 1_000_000

/**
 * Chunks that were decoded lately, by row id. A chunk's row is never changed and its id never comes
 * back, so nothing has to be taken out but the least used.
 */
export class DecodedChunks {
  /** The one used last comes last. */
  readonly #chunks = new Map<number, SampleColumns>()
  #samples = 0

  get(id: number): SampleColumns | undefined {
    const columns = this.#chunks.get(id)
    if (columns === undefined) return undefined
    this.#chunks.delete(id)
    this.#chunks.set(id, columns)
    return columns
  }

  /** Keeps a chunk of numbers; texts are of any size and stay out. */
  keep(id: number, columns: SampleColumns): void {
    if (columns.texts !== undefined || this.#chunks.has(id)) return
    this.#chunks.set(id, columns)
    this.#samples += columns.count
    for (const [oldest, { count }] of this.#chunks) {
      if (this.#samples <= SAMPLES_MAX) return
      this.#chunks.delete(oldest)
      this.#samples -= count
    }
  }
}
