import type { Cluster } from '../../connection/cluster.ts'
import { bytesOf, mustBeWhole } from '../row-values.ts'
import { type RunRow, runRowOf } from '../run-reader.ts'
import type { OpenPart, StreamView } from '../stream-view.ts'

/** Bytes of runs that one pass takes from each part: what it decodes is some times as much. */
const TAKEN_BYTES_MAX = 2 * 1024 * 1024

/** What a row of a run costs beside its bytes. */
const ROW_BYTES = 64

const ROWS_PER_PAGE = 200

const selectRuns = `SELECT stamp, piece, removed, body FROM sample_run
  WHERE stream = ? AND part = ? AND writer = ? AND stamp > ? AND stamp <= ?`

/** The oldest runs of a stream: all of them up to a stamp. */
interface TakenRuns {
  /** Newest first. */
  readonly rows: readonly RunRow[]
  readonly upTo: number
  /** Whether there are more that are old enough. */
  readonly isCut: boolean
}

/** Takes the oldest runs that are not in the leaves yet, up to a stamp and as many as one pass may hold. */
export async function takeRuns(
  cql: Cluster,
  handle: number,
  view: StreamView,
  upTo: number,
): Promise<TakenRuns> {
  const taken = await Promise.all(
    view.parts.map((part) => takePart(cql, { handle, part, after: view.sealed, upTo })),
  )
  const end = taken.reduce((least, { readUpTo }) => Math.min(least, readUpTo), upTo)
  const rows = taken.flatMap((one) => one.rows).filter(({ stamp }) => stamp <= end)
  rows.sort((a, b) => b.stamp - a.stamp || b.writer - a.writer)
  return { rows, upTo: end, isCut: end < upTo }
}

/** The oldest runs of a part; what has one stamp is taken together. */
async function takePart(
  cql: Cluster,
  span: { handle: number; part: OpenPart; after: number; upTo: number },
): Promise<{ rows: RunRow[]; readUpTo: number }> {
  const { handle, part, after, upTo } = span
  const rows: RunRow[] = []
  let bytes = 0
  const params = [handle, BigInt(part.part), part.writer, BigInt(after), BigInt(upTo)]
  for await (const page of cql.pages(selectRuns, params, ROWS_PER_PAGE)) {
    for (const row of page) {
      const before = rows.at(-1)?.stamp
      const isNext = before !== undefined && mustBeWhole(row.stamp) !== before
      if (isNext && bytes > TAKEN_BYTES_MAX) return { rows, readUpTo: before }
      rows.push(runRowOf(row, part.writer))
      bytes += ROW_BYTES + (bytesOf(row.body)?.length ?? 0) + (bytesOf(row.removed)?.length ?? 0)
    }
  }
  return { rows, readUpTo: upTo }
}
