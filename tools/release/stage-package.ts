/** Puts the files of a release together in a folder: what the package, the single executable, and the image contain. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { buildStudio } from '../studio/build-studio.ts'
import { bundleService, EXPLORER } from './bundle.ts'
import { describePackages } from './shipped-packages.ts'

const ROOT = resolve(import.meta.dirname, '..', '..')

/** Copied as they are. */
const COPIED = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'deploy',
  'docs',
  'drivers',
  'studio/dist',
]

/** Fields of package.json that a package has, too. */
const KEPT = ['name', 'version', 'description', 'license', 'type', 'optionalDependencies'] as const

/** Builds everything into a folder, which is emptied first. Returns the names of the threads. */
export async function stagePackage(folder: string): Promise<readonly string[]> {
  await buildStudio()
  rmSync(folder, { recursive: true, force: true })
  const { threads, packages } = await bundleService(join(folder, 'dist'), { isSingleFile: false })
  for (const name of COPIED) copy(name, join(folder, name))
  copy(EXPLORER.from, join(folder, EXPLORER.to))
  const scripts = {
    'tools/release/launcher.mjs': 'bin/weir.mjs',
    'tools/trim-node.mjs': 'bin/trim-node.mjs',
  }
  for (const [from, to] of Object.entries(scripts)) copy(from, join(folder, to))
  chmodSync(join(folder, 'bin/weir.mjs'), 0o755)
  const manifest = packageManifest()
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const { licenses, sbom } = describePackages(packages, manifest)
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licenses)
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 1)}\n`)
  return threads
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(join(ROOT, from), to, { recursive: true })
}

/** The package.json of the package. */
export interface ReleaseManifest {
  readonly name: string
  readonly version: string
  readonly commit: string
}

function packageManifest(): ReleaseManifest & Record<string, unknown> {
  const source = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const kept = Object.fromEntries(KEPT.map((name) => [name, source[name]]))
  return {
    ...(kept as { name: string; version: string }),
    commit: commitOfSources(),
    bin: { weir: 'bin/weir.mjs' },
    scripts: { postinstall: 'node bin/trim-node.mjs' },
  }
}

/** The commit of the sources; one with local changes says so, and sources without git have none. */
function commitOfSources(): string {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const isChanged = git('status', '--porcelain', '--untracked-files=no').trim() !== ''
    return `${git('rev-parse', 'HEAD').trim()}${isChanged ? '-changed' : ''}`
  } catch {
    return process.env.WEIR_COMMIT ?? 'unknown'
  }
}
