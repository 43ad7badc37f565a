// Plain JavaScript without a hash, because every start asks it: what the studio is built from, as a list of names, sizes and times.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

/** Where the built studio lies, and the file in it that says what it was built from. */
export const distFolder = join(root, 'studio', 'dist')
export const STAMP_NAME = 'stamp.txt'

/** What stands beside the folder of sources. */
const SINGLE = ['package-lock.json', 'studio/index.html', 'studio/vite.config.ts']

/** Generated files are no sources. */
const OTHER = /(?:^|[\\/])generated/

/** A text that changes when a source of the studio does; undefined where there are none. */
export function studioStamp() {
  try {
    // One call for all names costs a start a third of what a walk from folder to folder does.
    const names = readdirSync(join(root, 'studio', 'src'), { recursive: true })
    const sources = names.filter((name) => !OTHER.test(name)).map((name) => `studio/src/${name}`)
    const lines = [...SINGLE, ...sources.sort()].flatMap((name) => {
      const stats = statSync(`${root}/${name}`)
      // A folder is as old as what was made in it, generated files too.
      return stats.isDirectory() ? [] : [`${name} ${stats.size} ${stats.mtimeMs}`]
    })
    return lines.join('\n')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
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
