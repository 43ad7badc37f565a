import { nextIteration } from '../../../base/index.ts'
import {
  cutColumns,
  DamagedBytes,
  decodedTextBytes,
  mergeColumns,
} from '../../embedded/chunk/index.ts'
import { applyMask } from '../../embedded/head/apply-mask.ts'
import { touchesMask } from '../../embedded/head/tombstones.ts'
import { placeSeed } from '../../embedded/rows/chunk-row.ts'
import {
  type FoldDoubts,
  foldColumns,
  foldSummary,
  hasOpen,
  readSummary,
  type SummaryFold,
} from '../../embedded/summary/index.ts'
import { hidesAll } from './hidden-spans.ts'
import type { ManifestEntry } from './leaf-index.ts'
import { decodeEntry, type LeafReader } from './leaf-reader.ts'
import type { Overlay } from './run-reader.ts'
import type { LeafPlace } from './sample-head.ts'
import { eachAtOnce } from './slots.ts'
import type { TextRoom } from './text-room.ts'

/** Chunks that are fetched and decoded at once. */
const DECODED_AT_ONCE = 8

/** Summaries read before others get a turn: about a millisecond. */
const SUMMARIES_PER_SLICE = 64

/** A stream as one read found it. */
interface FoldedStream {
  readonly handle: number
  readonly leaves: readonly LeafPlace[]
  readonly overlay: Overlay
  readonly room: TextRoom
}

interface Undecided {
  readonly leaf: number
  readonly entry: ManifestEntry
}

/** A chunk whose summary was added, but which may have a further extreme. */
interface Doubtful extends Undecided {
  readonly doubts: FoldDoubts
}

/**
 * Adds a stream's samples to a fold. The summary of a chunk counts only while no run and no removal that
 * is newer than it touches its stretch, and where no edge cuts one of its blocks; else it is decoded.
 */
export async function foldStream(
  stream: FoldedStream,
  reader: LeafReader,
  into: SummaryFold,
): Promise<void> {
  const { handle, overlay, leaves } = stream
  const [from, until] = [into.edges[0], into.edges[into.edges.length - 1]]
  const toDecode: Undecided[] = []
  const doubtful: Doubtful[] = []
  let done = from
  let work = 0
  for (const place of leaves) {
    if (place.start >= until || place.last < from) continue
    const { entries } = await reader.manifest(handle, place)
    for (const entry of entries) {
      if (entry.start >= until || entry.last < from) continue
      // What lies between two chunks is in none of them.
      if (entry.start > done) foldColumns(cutColumns(overlay.columns, done, entry.start), into)
      done = Math.max(done, entry.last + 1)
      if (hidesAll(overlay.mask, entry)) {
        foldColumns(cutColumns(overlay.columns, entry.start, entry.last + 1), into)
      } else {
        const doubts = foldBySummary(handle, entry, overlay, into)
        if (doubts === undefined) toDecode.push({ leaf: place.leaf, entry })
        else if (doubts.length > 0) doubtful.push({ leaf: place.leaf, entry, doubts })
      }
      work += 1
      if (work % SUMMARIES_PER_SLICE === 0) await nextIteration()
    }
  }
  foldColumns(cutColumns(overlay.columns, done, until), into)
  await eachAtOnce(toDecode, DECODED_AT_ONCE, (one) =>
    foldDecoded(stream, { ...one, reader }, into),
  )
  const open = doubtful.filter(({ doubts }) => hasOpen(into, doubts))
  await eachAtOnce(open, DECODED_AT_ONCE, async (one) => {
    // What was decoded meanwhile may have settled it.
    if (hasOpen(into, one.doubts)) await foldDecoded(stream, { ...one, reader }, into)
  })
}

function foldBySummary(
  handle: number,
  entry: ManifestEntry,
  { columns, mask }: Overlay,
  into: SummaryFold,
): FoldDoubts | undefined {
  const { start, last, count, summary } = entry
  if (summary.length === 0 || touchesMask(mask, start, last + 1)) return undefined
  if (cutColumns(columns, start, last + 1).count > 0) return undefined
  try {
    const blocks = readSummary(summary, placeSeed({ stream: handle, start, last, count }))
    return blocks === undefined ? undefined : foldSummary(blocks, into)
  } catch (error) {
    // The samples themselves are still complete.
    if (error instanceof DamagedBytes) return undefined
    throw error
  }
}

async function foldDecoded(
  { handle, overlay, room }: FoldedStream,
  { leaf, entry, reader }: Undecided & { readonly reader: LeafReader },
  into: SummaryFold,
): Promise<void> {
  const bytes = await reader.chunkBytes(handle, leaf, entry)
  await room.add(decodedTextBytes(bytes))
  const below = applyMask(decodeEntry(handle, entry, bytes), overlay.mask)
  const above = cutColumns(overlay.columns, entry.start, entry.last + 1)
  foldColumns(mergeColumns([above, below]), into)
}
