/** The data folder holds something that cannot be used; nothing was changed. */
export class FolderDamaged extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FolderDamaged'
  }
}

/** SQLite's code for a database that is damaged. */
const CORRUPT = 11

/** An error as SQLite throws it for a damaged file, where Weir finds what is wrong: an index, or the pages of a row. */
export function damagedIndex(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: CORRUPT })
}

/** SQLite's codes for a file that is damaged, and for one that is no database at all. */
const DAMAGED_CODES: ReadonlySet<unknown> = new Set([CORRUPT, 26])

/** The bits above encode what kind of damage it is. */
const KIND_BITS = 0xff

/** Whether an error says that a database is damaged, or holds a number that Weir never wrote. */
export function isDamagedFile(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  // 1: a sum left the integers, which only numbers that Weir never wrote can do.
  if (typeof errcode === 'number') return DAMAGED_CODES.has(errcode & KIND_BITS) || errcode === 1
  return code === 'ERR_OUT_OF_RANGE'
}

/** An error as a thread threw it; on its way to this one it lost its class. */
export function asFolderDamage(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof FolderDamaged) return error
  if (error.name !== 'FolderDamaged') return damageOf(error, 'samples.db') ?? error
  return new FolderDamaged(error.message, { cause: error })
}

/** The error to show when SQLite says that a file is damaged; undefined for all others. */
export function damageOf(error: unknown, what: string): FolderDamaged | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { errcode } = cause as { errcode?: unknown }
    if (typeof errcode !== 'number' || !DAMAGED_CODES.has(errcode & KIND_BITS)) continue
    return new FolderDamaged(
      `${what} cannot be read (${cause.message}): restore the data folder from a backup`,
      { cause: error },
    )
  }
  return undefined
}
