/** Users with write access to the data folder can replace our files. */
import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A folder or file that more users could reach than the service's own. */
interface OpenToOthers {
  readonly path: string
  /** The permissions it had, such as 777. */
  readonly mode: string
  /** False when it belongs to another user or its file system keeps no permissions. */
  readonly isTightened: boolean
}

const GROUP_AND_OTHERS = 0o077
/** Reading by a group, for its backups, is a choice that is left alone. */
const NOT_FOR_OTHERS = 0o027

/**
 * Takes a data folder, and what lies in it, away from others when they could write to it or look
 * into it, as far as it belongs to `uid`; answers what was found open. A folder that is closed is
 * not looked into, but for the key file, which is for the service alone.
 */
export function tightenFolder(folder: string, uid = process.geteuid?.()): OpenToOthers[] {
  // Windows has no such permissions.
  if (uid === undefined) return []
  // The folder first: once it is closed, nobody puts a link in the place of what follows.
  const whole = tighten(folder, NOT_FOR_OTHERS, uid)
  const names = whole.length > 0 ? readdirSync(folder) : []
  const key = 'secret.key'
  return [
    ...whole,
    ...names
      .filter((name) => name !== key)
      .flatMap((name) => tighten(join(folder, name), NOT_FOR_OTHERS, uid)),
    ...tighten(join(folder, key), GROUP_AND_OTHERS, uid),
  ]
}

function tighten(path: string, forbidden: number, uid: number): OpenToOthers[] {
  const before = lstatSync(path, { throwIfNoEntry: false })
  // A link has no permissions of its own, and where it leads may be nothing of ours.
  if (before === undefined || before.isSymbolicLink() || (before.mode & forbidden) === 0) return []
  const mode = (before.mode & 0o777).toString(8)
  return [{ path, mode, isTightened: before.uid === uid && closeToOthers(path, before.mode) }]
}

function closeToOthers(path: string, mode: number): boolean {
  try {
    chmodSync(path, mode & 0o700)
  } catch {
    return false
  }
  // Some file systems say yes and keep what they had.
  return (lstatSync(path).mode & GROUP_AND_OTHERS) === 0
}
