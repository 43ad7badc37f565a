import { nextTurn } from '../../../base/index.ts'
import type { SampleColumns } from '../../sample-port.ts'
import { cutColumns, DamagedBytes, mergeColumns } from '../chunk/index.ts'
import type { ReadSpan } from '../head/head.ts'
import { type Mask, touchesMask } from '../head/tombstones.ts'
import { type ChunkPlace, placeSeed } from '../rows/chunk-row.ts'
import { foldColumns, foldSummary, readSummary, type SummaryFold } from '../summary/index.ts'
import type { CheckedRows } from './checked-rows.ts'
import type { SealedSamples } from './sealed-samples.ts'

/** Work done before others get their turn, in summaries read: about a millisecond. */
const WORK_PER_SLICE = 64

/** A chunk that has to be decoded takes as long as so many summaries. */
const DECODE_WORK = 16

/** What lies above the chunks: the head and the runs in one, and what they hide. */
interface Overlay {
  readonly handle: number
  readonly span: ReadSpan
  readonly mask: Mask
  readonly columns: SampleColumns
  /** The chunks below, oldest first, of the same state of the file as the runs. */
  readonly places: readonly ChunkPlace[]
}

/** Where a fold finds what is sealed. */
interface FoldSource {
  readonly rows: CheckedRows
  readonly sealed: SealedSamples
  /** Over one state of the file, so that no row can vanish. */
  readonly isInOneStep: boolean
}

/**
 * Adds a stream's samples to a fold: by summary where a chunk is untouched from above and no edge cuts
 * one of its blocks, else by decoding. Returns false when a chunk was merged into others meanwhile;
 * then the fold has to begin again.
 */
export async function foldSealed(
  source: FoldSource,
  overlay: Overlay,
  into: SummaryFold,
): Promise<boolean> {
  const { span, columns, places } = overlay
  let done = span.from
  let work = 0
  for (const place of places) {
    if (work >= WORK_PER_SLICE && !source.isInOneStep) {
      await nextTurn()
      work = 0
    }
    if (place.start > done) foldColumns(cutColumns(columns, done, place.start), into)
    const workDone = foldChunk(source, overlay, place, into)
    if (workDone === undefined) return false
    work += workDone
    done = place.last + 1
  }
  foldColumns(cutColumns(columns, done, span.until), into)
  return true
}

/** Adds one chunk; tells the work that took, undefined when the chunk is gone. */
function foldChunk(
  { rows, sealed, isInOneStep }: FoldSource,
  overlay: Overlay,
  place: ChunkPlace,
  into: SummaryFold,
): number | undefined {
  const { mask, columns } = overlay
  const above = cutColumns(columns, place.start, place.last + 1)
  const isUntouched = above.count === 0 && !touchesMask(mask, place.start, place.last + 1)
  if (isUntouched) {
    const summary = rows.summary(overlay.handle, place)
    if (summary === undefined && !isInOneStep) return undefined
    const seed = placeSeed({ stream: overlay.handle, ...place })
    if (summary && foldBlocks(summary, seed, into)) return 1
  }
  const row = rows.chunkAt(overlay.handle, place)
  if (row === undefined && !isInOneStep) return undefined
  if (row === undefined) rows.tellDamaged(overlay.handle, place)
  if (row === undefined || row === null) {
    foldColumns(above, into)
    return DECODE_WORK
  }
  foldColumns(mergeColumns([above, sealed.decodeChunkRow(overlay, row)]), into)
  return DECODE_WORK
}

function foldBlocks(summary: Uint8Array, seed: number, into: SummaryFold): boolean {
  try {
    const blocks = readSummary(summary, seed)
    return blocks !== undefined && foldSummary(blocks, into)
  } catch (error) {
    // The samples themselves still tell everything.
    if (error instanceof DamagedBytes) return false
    throw error
  }
}
