import type { SampleColumns } from '../../ports/sample-port.ts'
import type { ChunkPlace } from '../rows/chunk-row.ts'

/** Samples kept decoded: 16 MB. */
const SAMPLES_MAX = 1_000_000

/**
 * Chunks that were decoded lately, by row id. A chunk's row is never changed and its id never comes
 * back, so nothing has to be taken out but the least used.
 */
export class DecodedChunks {
  /** The one used last comes last. */
  readonly #chunks = new Map<number, { readonly stream: number; readonly columns: SampleColumns }>()
  #samples = 0

  /** The samples of a row that was found under a stream; undefined when the id is that of another. */
  get(stream: number, { id, start, last, count }: ChunkPlace): SampleColumns | undefined {
    const kept = this.#chunks.get(id)
    if (kept === undefined) return undefined
    const { columns } = kept
    const isTimed = columns.times[0] === start && columns.times[columns.count - 1] === last
    if (kept.stream !== stream || columns.count !== count || !isTimed) return undefined
    this.#chunks.delete(id)
    this.#chunks.set(id, kept)
    return columns
  }

  /** Keeps a chunk of numbers; texts are of any size and stay out. */
  keep(stream: number, id: number, columns: SampleColumns): void {
    if (columns.texts !== undefined || this.#chunks.has(id)) return
    this.#chunks.set(id, { stream, columns })
    this.#samples += columns.count
    for (const [oldest, kept] of this.#chunks) {
      if (this.#samples <= SAMPLES_MAX) return
      this.#chunks.delete(oldest)
      this.#samples -= kept.columns.count
    }
  }
}
