import type { ChunkPlace } from '../rows/chunk-row.ts'
import type { SummaryTable } from '../summary/index.ts'

/** Blocks kept: some 5 MB, enough for 10,000,000 samples of one stream. */
const BLOCKS_MAX = 40_000

/** What a table costs beside its blocks, counted in blocks. */
const BLOCKS_PER_TABLE = 4

interface KeptTable {
  readonly stream: number
  readonly place: ChunkPlace
  readonly blocks: SummaryTable
}

/**
 * Summaries that were read lately, by row id: a user who moves a chart asks for nearly the same ones again.
 * A chunk's row is never changed and its id never comes back, so only the least used are taken out.
 */
export class KeptSummaries {
  /** The one used last comes last. */
  readonly #tables = new Map<number, KeptTable>()
  #blocks = 0

  /** The summary of a row that was found under a stream; undefined when the id is that of another. */
  get(stream: number, { id, start, last, count }: ChunkPlace): SummaryTable | undefined {
    const kept = this.#tables.get(id)
    if (kept === undefined || kept.stream !== stream) return undefined
    const { place } = kept
    if (place.start !== start || place.last !== last || place.count !== count) return undefined
    this.#tables.delete(id)
    this.#tables.set(id, kept)
    return kept.blocks
  }

  /** Keeps a summary that has been checked. */
  keep(stream: number, place: ChunkPlace, blocks: SummaryTable): void {
    this.#drop(place.id)
    this.#tables.set(place.id, { stream, place, blocks })
    this.#blocks += blocks.length + BLOCKS_PER_TABLE
    for (const id of this.#tables.keys()) {
      if (this.#blocks <= BLOCKS_MAX) return
      this.#drop(id)
    }
  }

  #drop(id: number): void {
    const kept = this.#tables.get(id)
    if (kept === undefined) return
    this.#tables.delete(id)
    this.#blocks -= kept.blocks.length + BLOCKS_PER_TABLE
  }
}
