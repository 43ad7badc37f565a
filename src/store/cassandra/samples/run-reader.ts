import { nextIteration } from '../../../base/index.ts'
import { chunkInfo } from '../../embedded/chunk/chunk.ts'
import {
  cutColumns,
  DamagedBytes,
  decodeChunk,
  decodedTextBytes,
  mergeColumns,
} from '../../embedded/chunk/index.ts'
import { applyMask } from '../../embedded/head/apply-mask.ts'
import { EMPTY_MASK, type Mask, uniteMasks } from '../../embedded/head/tombstones.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'
import { hidesWanted } from './hidden-spans.ts'
import type { RunRow } from './run-row.ts'
import type { TextRoom } from './text-room.ts'

/** Rows decoded before others get a turn: some milliseconds at most. */
const ROWS_PER_SLICE = 64

const NO_BYTES = new Uint8Array(0)

/** What of a stream is wanted. */
export interface WantedSpan {
  readonly from: number
  readonly until: number
  readonly isTimesOnly?: boolean
}

/** What lies above the chunks of a stream: the runs in one, and what they hide below. */
export interface Overlay {
  readonly columns: SampleColumns
  readonly mask: Mask
}

/** The runs of a head that touch a span, newest first. */
export function runsIn(runs: readonly RunRow[], handle: number, span: WantedSpan): RunRow[] {
  return runs.filter((run) => touches(run, handle, span))
}

function touches({ removed, body }: RunRow, handle: number, span: WantedSpan): boolean {
  if (removed.starts.length > 0) return true
  if (body === undefined) return false
  const { owner, firstTime, lastTime } = chunkInfo(body)
  if (owner?.stream !== handle) throw new DamagedBytes('Cannot read run: it belongs elsewhere')
  return lastTime >= span.from && firstTime < span.until
}

/** The runs that decide which sample is the latest: without removals only the run that ends last, of equal ones the newest. */
export function endingRuns(rows: readonly RunRow[]): readonly RunRow[] {
  if (hasRemovals(rows)) return rows
  let latest: RunRow | undefined
  let end = Number.NEGATIVE_INFINITY
  for (const row of rows) {
    const { lastTime } = chunkInfo(row.body ?? NO_BYTES)
    if (lastTime <= end) continue
    latest = row
    end = lastTime
  }
  return latest === undefined ? [] : [latest]
}

/** The times of the first and the last sample of runs; undefined where a removal may hide them. */
export function endsOfRuns(rows: readonly RunRow[]): number[] | undefined {
  if (hasRemovals(rows)) return undefined
  return rows.flatMap(({ body = NO_BYTES }) => {
    const { firstTime, lastTime } = chunkInfo(body)
    return [firstTime, lastTime]
  })
}

function hasRemovals(rows: readonly RunRow[]): boolean {
  return rows.some(({ removed }) => removed.starts.length > 0)
}

/** Lays runs over each other, newest first: a removal hides what is older, not the samples of its own call. */
export async function layRuns(
  rows: readonly RunRow[],
  span: WantedSpan,
  room: TextRoom,
): Promise<Overlay> {
  const parts: SampleColumns[] = []
  let mask = EMPTY_MASK
  let own = EMPTY_MASK
  let at: RunRow | undefined
  for (const row of rows) {
    // The rows of one call lie beside each other: what they remove hides the calls before.
    if (at !== undefined && at.stamp !== row.stamp) {
      mask = uniteMasks(mask, own)
      own = EMPTY_MASK
      // A point stream removes all time with each sample: nothing older shows.
      if (hidesWanted(mask, span)) break
    }
    at = row
    own = uniteMasks(own, row.removed)
    if (row.body === undefined) continue
    await room.add(span.isTimesOnly === true ? 0 : decodedTextBytes(row.body))
    if (parts.length % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) await nextIteration()
    const columns = decodeChunk(row.body, undefined, { isTimesOnly: span.isTimesOnly })
    parts.push(applyMask(cutColumns(columns, span.from, span.until), mask))
  }
  return { columns: mergeColumns(parts), mask: uniteMasks(mask, own) }
}
