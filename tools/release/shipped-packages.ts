/** The libraries in a release: a software bill of materials (CycloneDX), and the text of every license. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { EXPLORER } from './bundle.ts'
import type { ReleaseManifest } from './stage-package.ts'

const ROOT = resolve(import.meta.dirname, '..', '..')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
}

/** What `npm sbom` prints, as far as it is used here. */
interface Sbom {
  readonly metadata: { readonly component: Record<string, unknown> } & Record<string, unknown>
  readonly components: readonly Component[]
  readonly dependencies: ReadonlyArray<{ ref: string; dependsOn: readonly string[] }>
}

/** Describes the packages of the bundles, of the studio, and of the API explorer, and the packages that bring Node. */
export function describePackages(
  bundled: ReadonlySet<string>,
  release: ReleaseManifest,
): { readonly licenses: string; readonly sbom: object } {
  const folders = new Set([...bundled, ...studioPackages(), EXPLORER.from.replace(/\/static$/, '')])
  const shipped = [...folders].map((folder) => ({ folder, manifest: readManifest(folder) }))
  return { licenses: licensesOf(shipped), sbom: sbomOf(shipped.map(refOf), release) }
}

interface Shipped {
  readonly folder: string
  readonly manifest: Manifest
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
}

function refOf({ manifest: { name, version } }: Shipped): string {
  return `${name}@${version}`
}

/** The packages that the studio imports, with those that they need. */
function studioPackages(): ReadonlySet<string> {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const imported = globSync('studio/src/**/*.{ts,tsx}', { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const names = text.matchAll(/(?:\bfrom|\bimport) '((?:@[^/']+\/)?[\w-][^/']*)/g)
    return [...names].map(([, name]) => name).filter((name) => Object.hasOwn(devDependencies, name))
  })
  const found = new Set(imported.map((name) => `node_modules/${name}`))
  for (const folder of found) {
    for (const name of Object.keys(readManifest(folder).dependencies ?? {})) {
      const nested = `${folder}/node_modules/${name}`
      found.add(existsSync(join(ROOT, nested)) ? nested : `node_modules/${name}`)
    }
  }
  return found
}

/** Every license text once, below the packages that have it. */
function licensesOf(shipped: readonly Shipped[]): string {
  const texts = new Map<string, string[]>()
  for (const one of shipped) {
    const text = licenseTextOf(one)
    texts.set(text, [...(texts.get(text) ?? []), refOf(one)])
  }
  const parts = [...texts].map(
    ([text, refs]) => `${[...new Set(refs)].sort().join('\n')}\n\n${text.trim()}\n`,
  )
  const line = `\n${'-'.repeat(80)}\n\n`
  return `The libraries in this release, with their licenses.\n${line}${parts.sort().join(line)}`
}

function licenseTextOf({ folder, manifest }: Shipped): string {
  const isLicense = (name: string) => /^(?:licen[cs]e|notice)(?:[.-].*)?$/i.test(name)
  const names = readdirSync(join(ROOT, folder)).filter(isLicense).sort()
  if (names.length > 0)
    return names.map((name) => readFileSync(join(ROOT, folder, name), 'utf8')).join('\n')
  if (manifest.license === undefined) throw new Error(`${folder} names no license`)
  return `License: ${manifest.license} (the package contains no license text)`
}

/** The bill of `npm sbom`, without the packages that only developers need. */
function sbomOf(refs: readonly string[], { name, version, commit }: ReleaseManifest): object {
  const words = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  // With the NODE_ENV that Vite sets, npm leaves packages out.
  const env = { ...process.env, NODE_ENV: '' }
  const options = { cwd: ROOT, env, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 } as const
  const whole = JSON.parse(
    execFileSync('npm', words, { ...options, stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as Sbom
  const wanted = new Set(refs)
  const own = `${name}@${version}`
  const isShipped = (ref: string) => ref === own || wanted.has(ref) || isNode(ref)
  const components = whole.components.filter((one) => isShipped(`${one.name}@${one.version}`))
  const missing = refs.filter(
    (ref) => !components.some((one) => `${one.name}@${one.version}` === ref),
  )
  if (missing.length > 0) throw new Error(`The bill of materials lacks ${missing.join(', ')}`)
  const kept = new Set([own, ...components.map((one) => one['bom-ref'])])
  return {
    ...whole,
    metadata: {
      ...whole.metadata,
      component: {
        ...whole.metadata.component,
        name,
        properties: [{ name: 'weir:commit', value: commit }],
      },
    },
    components,
    dependencies: whole.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
  }
}

/** The packages that bring Node. */
function isNode(ref: string): boolean {
  return /^node-(?:bin-)?(?:linux|darwin|win)-/.test(ref)
}
