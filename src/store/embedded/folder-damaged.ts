/** The data folder holds something that cannot be used; nothing was changed. */
export class FolderDamaged extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FolderDamaged'
  }
}

/** SQLite's codes for a file that is damaged, and for one that is no database at all. */
const DAMAGED_CODES: ReadonlySet<unknown> = new Set([11, 26])

/** The error to tell people when SQLite says that a file is damaged; undefined for all others. */
export function damageOf(error: unknown, what: string): FolderDamaged | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!DAMAGED_CODES.has((cause as { errcode?: unknown }).errcode)) continue
    return new FolderDamaged(
      `${what} cannot be read (${cause.message}): restore the data folder from a backup`,
      { cause: error },
    )
  }
  return undefined
}
