import { refusal } from '../../../base/index.ts'

const SQLITE_FULL = 13
/** SQLite's codes for a disk that cannot be written: read-only, failing, files not to be opened. */
const UNWRITABLE_CODES: ReadonlySet<number> = new Set([8, 10, 14])
const RETRY_AFTER_SECONDS = 5

/** The fields of a SQLite error that a thread sends, since the error loses its code on the way. */
interface SqliteFailure {
  readonly message: string
  readonly errcode?: number
}

/** The error for callers of a thread that could not write: `read_only` where the disk is to blame. */
export function writeFailure({ message, errcode }: SqliteFailure, what: string): Error {
  const code = (errcode ?? 0) & 0xff
  const cause = Object.assign(new Error(message), { errcode })
  if (code !== SQLITE_FULL && !UNWRITABLE_CODES.has(code)) return new Error(what, { cause })
  const why = code === SQLITE_FULL ? 'is full' : 'cannot be written'
  const failure = {
    what: `Cannot store this: the disk ${why}`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  }
  return Object.assign(refusal('read_only', failure), { cause })
}
