import type { SampleColumns } from '../../sample-port.ts'
import { cutColumns, DamagedBytes, mergeColumns } from '../chunk/index.ts'
import type { ReadSpan } from '../head/head.ts'
import { type Mask, touchesMask } from '../head/tombstones.ts'
import { foldColumns, foldSummary, readSummary, type SummaryFold } from '../summary/index.ts'
import type { ChunkReadTable } from './chunk-read-table.ts'
import type { ChunkPlace } from './chunk-row.ts'
import { nextTurn, type SealedSamples } from './sealed-samples.ts'

/** Summaries read before others get their turn: about a millisecond. */
const CHUNKS_PER_TURN = 64

/** What lies above the chunks: the head and the runs in one, and what they hide. */
export interface Overlay {
  readonly handle: number
  readonly span: ReadSpan
  readonly mask: Mask
  readonly columns: SampleColumns
}

/**
 * Adds a stream's samples to a fold: by summary where a chunk is untouched from above and no edge cuts
 * one of its blocks, else by decoding. Returns false when a chunk was merged into others meanwhile;
 * then the fold has to begin again.
 */
export async function foldSealed(
  source: { table: ChunkReadTable; sealed: SealedSamples; isInOneStep: boolean },
  overlay: Overlay,
  into: SummaryFold,
): Promise<boolean> {
  const { handle, span, columns } = overlay
  const places = source.table.selectPlaces(handle, span.from, span.until)
  let done = span.from
  for (let index = 0; index < places.length; index += 1) {
    const isTurnOver = index % CHUNKS_PER_TURN === CHUNKS_PER_TURN - 1
    if (isTurnOver && !source.isInOneStep) await nextTurn()
    const place = places[index]
    if (place.start > done) foldColumns(cutColumns(columns, done, place.start), into)
    if (!foldChunk(source, overlay, place, into)) return false
    done = place.last + 1
  }
  foldColumns(cutColumns(columns, done, span.until), into)
  return true
}

function foldChunk(
  { table, sealed }: { table: ChunkReadTable; sealed: SealedSamples },
  overlay: Overlay,
  place: ChunkPlace,
  into: SummaryFold,
): boolean {
  const { span, mask, columns } = overlay
  const above = cutColumns(columns, place.start, place.last + 1)
  const isUntouched =
    above.count === 0 &&
    // Below the first edge the fold leaves samples out by itself, below a floor it does not.
    (place.start >= span.from || span.from === into.edges[0]) &&
    !touchesMask(mask, place.start, place.last + 1)
  if (isUntouched) {
    const row = table.selectSummary(place.id)
    if (row === undefined) return false
    if (row.summary !== null && foldBlocks(row.summary, into)) return true
  }
  const row = table.selectRow(place.id)
  if (row === undefined) return false
  foldColumns(mergeColumns([above, sealed.decodeRow(overlay, row)]), into)
  return true
}

function foldBlocks(summary: Uint8Array, into: SummaryFold): boolean {
  try {
    const blocks = readSummary(summary)
    return blocks !== undefined && foldSummary(blocks, into)
  } catch (error) {
    // The samples themselves still tell everything.
    if (error instanceof DamagedBytes) return false
    throw error
  }
}
