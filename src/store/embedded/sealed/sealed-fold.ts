import { nextIteration } from '../../../base/index.ts'
import type { SampleColumns, WindowStatistic } from '../../ports/sample-port.ts'
import { cutColumns, DamagedBytes, mergeColumns } from '../chunk/index.ts'
import type { ReadSpan } from '../head/head.ts'
import { type Mask, touchesMask } from '../head/tombstones.ts'
import { type ChunkPlace, placeSeed } from '../rows/chunk-row.ts'
import {
  type FoldDoubts,
  foldColumns,
  foldSummary,
  hasOpen,
  readStatistic,
  readSummary,
  type SummaryFold,
  type SummaryTable,
} from '../summary/index.ts'
import type { CheckedRows } from './checked-rows.ts'
import type { SealedSamples } from './sealed-samples.ts'

/** Work done before others get their turn, in summaries read: about a millisecond. */
const WORK_PER_SLICE = 64

/** Cost of decoding a chunk, in summaries. */
const DECODE_WORK = 16

/**
 * Most untouched chunks that an outline decodes, besides those at its two ends. Blocks shorter than this fraction of
 * its range are used whole, so only longer ones are decoded.
 */
const OUTLINE_DECODES_MAX = 1_000

/** How long a block may be that an outline takes whole: an interval, or more where those are many. */
export function looseMsOf(edges: Float64Array): number {
  if (edges.length < 2) return 0
  const parts = Math.min(edges.length - 1, OUTLINE_DECODES_MAX)
  return (edges[edges.length - 1] - edges[0]) / parts
}

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
  /** The room for the first and last samples of the fold that are texts. */
  readonly textBytesMax: number
}

/**
 * Adds a stream's samples to a fold: by summary where a chunk is untouched from above and no edge cuts
 * one of its blocks, else by decoding. Where a chunk was merged into others meanwhile, or there is no room
 * for texts, the fold has to begin again.
 */
export async function foldSealed(
  source: FoldSource,
  overlay: Overlay,
  into: SummaryFold,
): Promise<'done' | 'merged' | 'texts'> {
  const { span, columns, places } = overlay
  const doubtful: DoubtfulChunk[] = []
  let done = span.from
  let work = 0
  for (const place of places) {
    if (work >= WORK_PER_SLICE && !source.isInOneStep) {
      await nextIteration()
      work = 0
    }
    if (place.start > done) foldColumns(cutColumns(columns, done, place.start), into)
    const folded = foldChunk(source, overlay, place, into)
    if (folded === 'merged') return 'merged'
    if (into.textBytes > source.textBytesMax) return 'texts'
    if (folded !== 'decoded' && folded.length > 0) doubtful.push({ place, doubts: folded })
    work += folded === 'decoded' ? DECODE_WORK : 1
    done = place.last + 1
  }
  foldColumns(cutColumns(columns, done, span.until), into)
  for (const { place, doubts } of doubtful) {
    if (!hasOpen(into, doubts)) continue
    if (work >= WORK_PER_SLICE && !source.isInOneStep) {
      await nextIteration()
      work = 0
    }
    if (foldDecoded(source, overlay, place, into) === 'merged') return 'merged'
    work += DECODE_WORK
  }
  return into.textBytes > source.textBytesMax ? 'texts' : 'done'
}

/** A chunk whose summary was added, but which may have a further extreme. */
interface DoubtfulChunk {
  readonly place: ChunkPlace
  readonly doubts: FoldDoubts
}

/** Adds one chunk, which may be gone; returns what its summary only bounds. */
function foldChunk(
  source: FoldSource,
  overlay: Overlay,
  place: ChunkPlace,
  into: SummaryFold,
): FoldDoubts | 'decoded' | 'merged' {
  const { mask, columns } = overlay
  const above = cutColumns(columns, place.start, place.last + 1)
  const isUntouched = above.count === 0 && !touchesMask(mask, place.start, place.last + 1)
  if (isUntouched) {
    const blocks = blocksAt(source, { handle: overlay.handle, place, only: into.statistic })
    if (blocks === undefined && !source.isInOneStep) return 'merged'
    const doubts = blocks ? foldSummary(blocks, into) : undefined
    if (doubts !== undefined) return doubts
  }
  return foldDecoded(source, overlay, place, into)
}

function foldDecoded(
  { rows, sealed, isInOneStep }: FoldSource,
  overlay: Overlay,
  place: ChunkPlace,
  into: SummaryFold,
): 'decoded' | 'merged' {
  const above = cutColumns(overlay.columns, place.start, place.last + 1)
  const row = rows.chunkAt(overlay.handle, place)
  if (row === undefined && !isInOneStep) return 'merged'
  if (row === undefined) rows.reportDamaged(overlay.handle, place)
  if (row === undefined || row === null) {
    foldColumns(above, into)
    return 'decoded'
  }
  const fold = (columns: SampleColumns) => foldColumns(mergeColumns([above, columns]), into)
  // A query reads many streams once. What it reads would drive out what charts read again.
  if (into.statistic === undefined) fold(sealed.decodeChunkRow(overlay, row))
  else sealed.visitChunkRow(overlay, row, fold)
  return 'decoded'
}

interface BlocksWanted {
  readonly handle: number
  readonly place: ChunkPlace
  /** The statistic that alone counts. */
  readonly only: WindowStatistic | undefined
}

/** The blocks of a chunk's summary, null where there are none to rely on, undefined when it is gone. */
function blocksAt(
  { rows, sealed }: FoldSource,
  { handle, place, only }: BlocksWanted,
): SummaryTable | null | undefined {
  const kept = sealed.summaries.get(handle, place)
  if (kept !== undefined) return kept
  const summary = rows.summary(handle, place)
  if (summary === undefined || summary === null) return summary
  const seed = placeSeed({ stream: handle, ...place })
  try {
    // Not kept, as decoded samples of queries are not.
    if (only !== undefined) return readStatistic(summary, seed, only) ?? null
    const blocks = readSummary(summary, seed)
    if (blocks !== undefined) sealed.summaries.keep(handle, place, blocks)
    return blocks ?? null
  } catch (error) {
    // The samples themselves are still complete.
    if (error instanceof DamagedBytes) return null
    throw error
  }
}
