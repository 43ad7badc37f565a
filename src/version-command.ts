/** `weir version` and `weir licenses`: what this release is made of. */
import { execFileSync } from 'node:child_process'
import {
  installationFolder,
  installedFiles,
  Refusal,
  releaseCommit,
  version,
} from './base/index.ts'
import type { ParsedLine } from './cli/index.ts'

/** Prints the version, and the commit where it is known. */
export function printVersion({ isJson }: ParsedLine): void {
  const commit = releaseCommit ?? commitOfClone()
  if (isJson) console.log(JSON.stringify({ success: true, result: { version, commit } }))
  else console.log(`weir ${version}${commit === undefined ? '' : ` (${shortCommit(commit)})`}`)
}

/** The first digits of a commit, with the mark of sources that differ from it: `3afc370b1234-changed`. */
function shortCommit(commit: string): string {
  return commit.replace(/^([0-9a-f]{12})[0-9a-f]+/, '$1')
}

/** Prints the licenses of the libraries that this release contains. */
export function printLicenses({ isJson }: ParsedLine): void {
  const files = installedFiles()
  const [name] = files.list('THIRD-PARTY-LICENSES.txt')
  if (name === undefined) {
    throw new Refusal(
      'not_found',
      'A clone has its libraries, with their licenses, in node_modules',
    )
  }
  const text = files.read(name).toString()
  console.log(isJson ? JSON.stringify({ success: true, result: text }) : text)
}

/** The commit of the sources; undefined without git. */
function commitOfClone(): string | undefined {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: installationFolder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}
