/**
 * The build of the studio: where it is, and whether it belongs to this service. Builders load this file too, so it needs
 * nothing but Node.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installationFolder, installedFiles, isSingleFile } from '../../../base/plain.ts'

const root = installationFolder

/** The folder with the build. */
export const studioFolder = join(root, 'studio', 'dist')

/** The file in the build that holds its stamp. */
export const STAMP_NAME = 'stamp.txt'

/** The commands that build the studio and leave out the packages that only developers need. */
export const BUILD_COMMAND = 'npm ci && npm run build && npm prune --omit=dev'

/** Sources of the studio besides those in studio/src. */
const SINGLE = ['studio/index.html', 'studio/vite.config.ts']

/** Files that are generated from the service's description hold types only. */
const GENERATED = /(?:^|[\\/])generated(?:[\\/]|$)/

/**
 * The version of the service and a hash of the studio's sources, which a build is stamped with; undefined in an
 * installation without sources. It reads contents, because copies change times.
 */
export function sourceStamp(): string | undefined {
  if (isSingleFile) return undefined
  try {
    const names = readdirSync(join(root, 'studio', 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .filter((name) => !GENERATED.test(name))
      .sort()
    const hash = createHash('sha256').update(lockedPackages())
    for (const name of [...SINGLE, ...names]) {
      const bytes = readFileSync(join(root, name))
      hash.update(`${name} ${bytes.length}\n`).update(bytes)
    }
    return `${serviceVersion()} ${hash.digest('hex')}`
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The packages that a build may contain. Not the text of the lock file: npm rewrites it when it removes packages. */
function lockedPackages(): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly integrity?: string }>>
  }
  return Object.entries(packages)
    .map(([place, { integrity = '' }]) => `${place} ${integrity}\n`)
    .join('')
}

/** The stamp of the build; undefined where nothing is built. */
export function builtStamp(): string | undefined {
  try {
    return installedFiles('studio/dist').read(STAMP_NAME).toString()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Why people would not see the studio of this service, and what to do. */
interface StudioProblem {
  readonly isMissing: boolean
  readonly message: string
}

/** Compares the build with this service; undefined when they match. */
export function findStudioProblem(): StudioProblem | undefined {
  const built = builtStamp()
  const wanted = sourceStamp()
  // Without sources, as in a container image, only the version can be compared.
  const isMatch =
    wanted === undefined ? built?.split(' ')[0] === serviceVersion() : built === wanted
  if (isMatch) return undefined
  const isMissing = built === undefined
  const what = isMissing ? 'is not built' : 'was built from other sources than this service'
  const remedy = `stop the service, run "${BUILD_COMMAND}" in ${root}, and start it again`
  return { isMissing, message: `The studio ${what}: ${remedy}` }
}

function serviceVersion(): string {
  return JSON.parse(installedFiles().read('package.json').toString()).version
}
