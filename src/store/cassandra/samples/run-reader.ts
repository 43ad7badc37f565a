import { nextTurn } from '../../../base/index.ts'
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
import type { SampleColumns } from '../../sample-port.ts'
import type { Cluster, CqlRow } from '../connection/cluster.ts'
import { hidesWanted } from './hidden-spans.ts'
import { bytesOf, mustBeWhole } from './row-values.ts'
import { unpackRemovals } from './run-row.ts'
import type { OpenPart, StreamView } from './stream-view.ts'
import type { TextRoom } from './text-room.ts'

/** Rows of runs that are read at once. */
const ROWS_PER_PAGE = 500

/** Rows decoded before others get a turn: some milliseconds at most. */
const ROWS_PER_SLICE = 64

const selectRuns = `SELECT stamp, piece, removed, body FROM sample_run
  WHERE stream = ? AND part = ? AND writer = ? AND stamp > ?`

/** A row of a run, not decoded. */
export interface RunRow {
  readonly stamp: number
  readonly writer: number
  readonly removed: Mask
  readonly body: Uint8Array | undefined
}

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

/** The rows of runs that are not in the leaves of a view and touch a span, newest first. */
export async function readRuns(
  cql: Cluster,
  handle: number,
  view: StreamView,
  span: WantedSpan,
): Promise<RunRow[]> {
  const found = await Promise.all(
    view.parts.map((part) => readPart(cql, { handle, part, after: view.sealed }, span)),
  )
  return found.flat().sort((a, b) => b.stamp - a.stamp || b.writer - a.writer)
}

async function readPart(
  cql: Cluster,
  { handle, part, after }: { handle: number; part: OpenPart; after: number },
  span: WantedSpan,
): Promise<RunRow[]> {
  const params = [handle, BigInt(part.part), part.writer, BigInt(after)]
  const rows: RunRow[] = []
  for await (const page of cql.pages(selectRuns, params, ROWS_PER_PAGE)) {
    for (const row of page) {
      const run = runRowOf(row, part.writer)
      if (touches(run, handle, span)) rows.push(run)
    }
  }
  return rows
}

/** A row of a run as the table has it. */
export function runRowOf(row: CqlRow, writer: number): RunRow {
  const removed = bytesOf(row.removed)
  return {
    ...{ stamp: mustBeWhole(row.stamp), writer, body: bytesOf(row.body) },
    removed: removed === undefined ? EMPTY_MASK : unpackRemovals(removed),
  }
}

function touches({ removed, body }: RunRow, handle: number, span: WantedSpan): boolean {
  if (removed.starts.length > 0) return true
  if (body === undefined) return false
  const { owner, firstTime, lastTime } = chunkInfo(body)
  if (owner?.stream !== handle) throw new DamagedBytes('Cannot read run: it belongs elsewhere')
  return lastTime >= span.from && firstTime < span.until
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
    if (at !== undefined && (at.stamp !== row.stamp || at.writer !== row.writer)) {
      mask = uniteMasks(mask, own)
      own = EMPTY_MASK
      // A point stream removes all time with each sample: nothing older shows.
      if (hidesWanted(mask, span)) break
    }
    at = row
    own = uniteMasks(own, row.removed)
    if (row.body === undefined) continue
    await room.add(span.isTimesOnly === true ? 0 : decodedTextBytes(row.body))
    if (parts.length % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) await nextTurn()
    const columns = decodeChunk(row.body, undefined, { isTimesOnly: span.isTimesOnly })
    parts.push(applyMask(cutColumns(columns, span.from, span.until), mask))
  }
  return { columns: mergeColumns(parts), mask: uniteMasks(mask, own) }
}
