import { statSync } from 'node:fs'

/** Which file it was that had a name. */
export interface FileIdentity {
  readonly path: string
  readonly device: bigint
  readonly inode: bigint
}

/** The identities of a database and of what SQLite has beside it while it is open. */
export function identitiesOf(file: string): FileIdentity[] {
  return [file, `${file}-wal`, `${file}-shm`].flatMap((path) => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? [] : [{ path, device: found.dev, inode: found.ino }]
  })
}

/** Throws where other files, or none, are in the place of some. */
export function requireSameFiles(all: readonly FileIdentity[]): void {
  for (const { path, device, inode } of all) {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (found?.dev === device && found.ino === inode) continue
    const what = found === undefined ? 'is gone' : 'is another file'
    throw new Error(`${path} ${what} since the start: put back what was there, or start again`)
  }
}
