// Plain JavaScript, because every start asks it: what the studio is built from, as a cheap hash of names, sizes and times.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

/** Where the built studio lies, and the file in it that says what it was built from. */
export const distFolder = join(root, 'studio', 'dist')
export const STAMP_NAME = 'stamp.txt'

/** Built, generated and hidden files are no sources. */
const OTHER = /^(dist|generated|node_modules|\..*)/

function* sourcesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (OTHER.test(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* sourcesBelow(path)
    else yield path
  }
}

/** A text that changes when a source of the studio does; undefined where there are none. */
export function studioStamp() {
  const hash = createHash('sha256')
  try {
    for (const path of [...sourcesBelow(join(root, 'studio')), join(root, 'package-lock.json')]) {
      const { size, mtimeMs } = statSync(path)
      hash.update(`${path}\n${size}\n${mtimeMs}\n`)
    }
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
  return hash.digest('hex')
}

/** What the studio that is there was built from; undefined when none is. */
export function builtStamp() {
  try {
    return readFileSync(join(distFolder, STAMP_NAME), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}
