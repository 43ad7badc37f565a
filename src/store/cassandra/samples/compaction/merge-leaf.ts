import {
  CHUNK_SAMPLES_MAX,
  cutColumns,
  encodeChunk,
  mergeColumns,
} from '../../../embedded/chunk/index.ts'
import { applyMask } from '../../../embedded/head/apply-mask.ts'
import { touchesMask } from '../../../embedded/head/tombstones.ts'
import { placeSeed } from '../../../embedded/rows/chunk-row.ts'
import { summarizeChunk } from '../../../embedded/summary/index.ts'
import type { SampleColumns } from '../../../ports/sample-port.ts'
import { hidesAll } from '../hidden-spans.ts'
import type { ManifestEntry } from '../leaf-index.ts'
import type { Overlay } from '../run-reader.ts'
import { splitForRows } from '../run-row.ts'

/** Chunks below this are joined with samples that come beside them. */
const SMALL_SAMPLES = 2_048

/** A chunk that stays where it is, or one that is to be written. */
export interface PlannedChunk extends Omit<ManifestEntry, 'gen' | 'place'> {
  /** The row that has it already. */
  readonly kept?: ManifestEntry
  /** Of a chunk that is to be written. */
  readonly body?: Uint8Array
}

/** A stretch between chunks that stay: chunks that are rewritten, with what comes to them. */
interface Stretch {
  readonly from: number
  until: number
  readonly entries: ManifestEntry[]
}

/** What merging one leaf needs. */
interface LeafMerge {
  readonly handle: number
  readonly entries: readonly ManifestEntry[]
  /** What comes to this leaf, and what it hides of the chunks. */
  readonly overlay: Overlay
  /** The samples of a chunk. */
  readonly decode: (entry: ManifestEntry) => Promise<SampleColumns>
}

/** The chunks of a leaf once the runs are merged into it: those that nothing touches stay as they are. */
export async function mergeLeaf({
  handle,
  entries,
  overlay,
  decode,
}: LeafMerge): Promise<PlannedChunk[]> {
  const isTouched = findTouched(entries, overlay)
  const planned: PlannedChunk[] = []
  let stretch: Stretch = { from: Number.NEGATIVE_INFINITY, until: 0, entries: [] }
  const flush = async (until: number): Promise<void> => {
    const below: SampleColumns[] = []
    for (const entry of stretch.entries) {
      if (hidesAll(overlay.mask, entry)) continue
      below.push(applyMask(await decode(entry), overlay.mask))
    }
    const above = cutColumns(overlay.columns, stretch.from, until)
    for (const piece of splitForRows(mergeColumns([above, ...below]))) {
      planned.push(packChunk(handle, piece))
    }
  }
  for (const [at, entry] of entries.entries()) {
    if (isTouched[at] === 1) {
      stretch.entries.push(entry)
      continue
    }
    await flush(entry.start)
    planned.push({ ...entry, kept: entry })
    stretch = { from: entry.last + 1, until: 0, entries: [] }
  }
  await flush(Number.POSITIVE_INFINITY)
  return planned
}

/** Which chunks are rewritten: those that samples or removals fall into, and small ones beside samples. */
function findTouched(entries: readonly ManifestEntry[], { columns, mask }: Overlay): Uint8Array {
  const isTouched = new Uint8Array(entries.length)
  const countIn = (from: number, until: number) => cutColumns(columns, from, until).count
  let end = Number.NEGATIVE_INFINITY
  for (let at = 0; at <= entries.length; at += 1) {
    const entry: ManifestEntry | undefined = entries[at]
    const between = countIn(end, entry?.start ?? Number.POSITIVE_INFINITY)
    if (between > 0) {
      if (at > 0 && hasRoom(entries[at - 1], between)) isTouched[at - 1] = 1
      else if (entry !== undefined && hasRoom(entry, between)) isTouched[at] = 1
    }
    if (entry === undefined) break
    const { start, last } = entry
    if (touchesMask(mask, start, last + 1) || countIn(start, last + 1) > 0) isTouched[at] = 1
    end = last + 1
  }
  return isTouched
}

function hasRoom({ count, bytes }: ManifestEntry, more: number): boolean {
  // Texts may fill a chunk with few samples.
  if (bytes > CHUNK_SAMPLES_MAX * 16) return false
  return count < SMALL_SAMPLES || count + more <= CHUNK_SAMPLES_MAX
}

function packChunk(handle: number, columns: SampleColumns): PlannedChunk {
  const { count, times } = columns
  const place = { start: times[0], last: times[count - 1], count }
  const body = encodeChunk(columns, { stream: handle, isRun: false })
  const summary = summarizeChunk(columns, body.length, placeSeed({ stream: handle, ...place }))
  return { ...place, bytes: body.length, summary, body }
}
