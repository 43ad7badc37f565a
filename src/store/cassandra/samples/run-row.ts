import { epochMs, nextIteration } from '../../../base/index.ts'
import { CHUNK_SAMPLES_MAX, encodeChunk, sliceColumns } from '../../embedded/chunk/index.ts'
import { EMPTY_MASK, type Mask, uniteMasks } from '../../embedded/head/tombstones.ts'
import type { Removal, SampleColumns, StreamHandle } from '../../ports/sample-port.ts'
import type { CqlRow } from '../connection/cluster.ts'
import type { StreamRun } from './group-runs.ts'
import { bytesOf, mustBeWhole } from './row-values.ts'

/** The texts of one row, in UTF-16 units: a row stays far below what a node takes in one write. */
const TEXT_UNITS_PER_ROW = 512 * 1024

/** Rows packed before others get a turn: some milliseconds. */
const PIECES_PER_SLICE = 8

/** One row of a run: the first has the removals. */
export interface RunPiece {
  readonly removed: Uint8Array | null
  readonly body: Uint8Array | null
}

/** Parts samples into columns that each fit one row. */
export function splitForRows(columns: SampleColumns): SampleColumns[] {
  const { count, texts } = columns
  const pieces: SampleColumns[] = []
  let start = 0
  let units = 0
  for (let at = 0; at < count; at += 1) {
    const more = texts?.[at]?.length ?? 0
    const isFull = at - start === CHUNK_SAMPLES_MAX || units + more > TEXT_UNITS_PER_ROW
    if (isFull && at > start) {
      pieces.push(sliceColumns(columns, start, at))
      start = at
      units = 0
    }
    units += more
  }
  if (count > start) pieces.push(sliceColumns(columns, start, count))
  return pieces
}

/** Packs what a call does to a stream into rows, one unless it is long. */
export async function packRun({ handle, removals, columns }: StreamRun): Promise<RunPiece[]> {
  const bodies: Uint8Array[] = []
  for (const piece of splitForRows(columns)) {
    if (bodies.length % PIECES_PER_SLICE === PIECES_PER_SLICE - 1) await nextIteration()
    bodies.push(encodeChunk(piece, { stream: handle, isRun: true }))
  }
  const removed = removals.length === 0 ? null : packRemovals(removals)
  if (bodies.length === 0) return [{ removed, body: null }]
  return bodies.map((body, at) => ({ removed: at === 0 ? removed : null, body }))
}

/** As packRun(), for a run that is known to fit one row. */
export function packSmallRun({ handle, removals, columns }: StreamRun): RunPiece {
  const body = columns.count === 0 ? null : encodeChunk(columns, { stream: handle, isRun: true })
  return { removed: removals.length === 0 ? null : packRemovals(removals), body }
}

function packRemovals(removals: readonly Removal[]): Uint8Array {
  const bytes = new Uint8Array(removals.length * 16)
  const view = new DataView(bytes.buffer)
  for (const [at, { from, until }] of removals.entries()) {
    view.setFloat64(at * 16, from, true)
    view.setFloat64(at * 16 + 8, until, true)
  }
  return bytes
}

/** What the removals of a row take out, as spans that are apart. */
export function unpackRemovals(bytes: Uint8Array): Mask {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let masks: Mask[] = []
  for (let at = 0; at + 16 <= bytes.length; at += 16) {
    const [from, until] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)]
    if (from < until) masks.push({ starts: [from], ends: [until] })
  }
  // Halving keeps the work small whatever the number of spans.
  while (masks.length > 1) {
    const united: Mask[] = []
    for (let at = 0; at < masks.length; at += 2) {
      united.push(at + 1 < masks.length ? uniteMasks(masks[at], masks[at + 1]) : masks[at])
    }
    masks = united
  }
  return masks[0] ?? { starts: [], ends: [] }
}

/** Where a run touches its stream; undefined where it does nothing. */
export function spanOfRun({ handle, removals, columns }: StreamRun) {
  let from = columns.count > 0 ? columns.times[0] : Number.POSITIVE_INFINITY
  let until = columns.count > 0 ? columns.times[columns.count - 1] + 1 : Number.NEGATIVE_INFINITY
  for (const removal of removals) {
    from = Math.min(from, removal.from)
    until = Math.max(until, removal.until)
  }
  if (from >= until) return undefined
  return { handle: handle as StreamHandle, from: epochMs(from), until: epochMs(until) }
}

/** A row of a run, not decoded. */
export interface RunRow {
  readonly stamp: number
  readonly writer: number
  readonly removed: Mask
  readonly body: Uint8Array | undefined
}

/** A row of a run as the table has it. */
export function runRowOf(row: CqlRow): RunRow {
  const removed = bytesOf(row.removed)
  return {
    stamp: mustBeWhole(row.key),
    writer: mustBeWhole(row.writer),
    removed: removed === undefined ? EMPTY_MASK : unpackRemovals(removed),
    body: bytesOf(row.body),
  }
}
