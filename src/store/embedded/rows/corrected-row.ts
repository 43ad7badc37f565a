/** Rows of samples.db whose columns are wrong although their samples check; docs/format/samples-db.md. */
import { chunkInfo, DamagedBytes } from '../chunk/index.ts'
import { CHUNK_LEVEL, DAMAGED_LEVEL, RUN_LEVEL } from './chunk-row.ts'

/** The columns that the samples of a row repeat inside their checksum. */
interface RowColumns {
  readonly stream: number
  readonly level: number
  readonly start: number
  readonly last: number
  readonly count: number
  readonly data: unknown
}

const NAMES = ['stream', 'level', 'start', 'last', 'count'] as const
const SAFE = Number.MAX_SAFE_INTEGER

/** Selects these columns, NULL for a number that Weir never wrote and JavaScript cannot hold. */
export const CHECKED_COLUMNS = NAMES.map(
  (name) => `CASE WHEN ${name} BETWEEN -${SAFE} AND ${SAFE} THEN ${name} END AS ${name}`,
).join(', ')

/**
 * The row with the columns that its samples have. The row itself if they agree with it, are damaged, or were set
 * aside. Samples of format 1 have neither stream nor level.
 */
export function correctedRow<T extends RowColumns>(row: T): T {
  if (row.level === DAMAGED_LEVEL || !(row.data instanceof Uint8Array)) return row
  try {
    const { owner, firstTime: start, lastTime: last, count } = chunkInfo(row.data)
    const named = owner && {
      stream: owner.stream,
      level: owner.isRun ? RUN_LEVEL : CHUNK_LEVEL,
    }
    const corrected = { ...row, ...named, start, last, count }
    return NAMES.every((name) => corrected[name] === row[name]) ? row : corrected
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error
    return row
  }
}
