/**
 * Bundles the service: one file per thread and child process, and the program in files that it loads as it needs them.
 *
 * Threads and child processes are found in the sources: whatever names its module as `new URL('./x.ts', import.meta.url)`
 * gets a bundle `x.js`. All bundles lie in one folder, so that these names lead to them.
 */
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type OutputChunk, type Plugin, type RolldownOutput, rolldown } from 'rolldown'

const ROOT = resolve(import.meta.dirname, '..', '..')
const SOURCES = join(ROOT, 'src') + sep

/** How the program is started, and what it may start of itself. */
const PROGRAM = { weir: 'src/weir.ts', main: 'src/main.ts' }
const SINGLE_FILE = { 'single-file': 'src/single-file.ts' }

/** Optional native code of libraries, which the service does not use. */
const LEFT_OUT = ['pg-native', 'kerberos', 'snappy', 'bufferutil', 'utf-8-validate']

/** Where the API explorer lies in a clone, and in a release. */
export const EXPLORER = {
  from: 'node_modules/@fastify/swagger-ui/static',
  to: 'api-explorer',
} as const

/** A finished set of bundles. */
export interface Bundles {
  /** The bundles of threads and child processes, such as `journal-thread.js`. */
  readonly threads: readonly string[]
  /** The npm packages in the bundles, as folders of node_modules. */
  readonly packages: ReadonlySet<string>
}

/** Bundles all of it into a folder. A single file has the whole program in one bundle, and its threads as assets. */
export async function bundleService(
  folder: string,
  { isSingleFile }: { readonly isSingleFile: boolean },
): Promise<Bundles> {
  await mkdir(folder, { recursive: true })
  const threads = new Map<string, string>()
  const packages = new Set<string>()
  const build = async (input: Record<string, string>, isWhole: boolean) => {
    const output = await bundle(input, { isWhole, isSingleFile, threads })
    await writeAll(folder, output, packages)
  }
  await build(isSingleFile ? SINGLE_FILE : PROGRAM, isSingleFile)
  // A thread may name another, which is added while this runs.
  for (const [name, file] of threads) await build({ [name]: file }, true)
  return { threads: [...threads.keys()].map((name) => `${name}.js`), packages }
}

interface BundleOptions {
  /** Whether everything goes into one file. */
  readonly isWhole: boolean
  readonly isSingleFile: boolean
  /** Threads by the names of their bundles; gets those that are found. */
  readonly threads: Map<string, string>
}

async function bundle(
  input: Record<string, string>,
  options: BundleOptions,
): Promise<RolldownOutput> {
  const build = await rolldown({
    cwd: ROOT,
    input,
    platform: 'node',
    external: [/^node:/, ...LEFT_OUT],
    plugins: [releasePlugin(options)],
    onLog: (level, log) => {
      // Libraries warn about themselves, and nobody here can change them.
      if (level !== 'warn' || log.id?.includes('node_modules') || log.code === 'EVAL') return
      throw new Error(`Cannot bundle ${Object.values(input)}: ${log.message}`)
    },
  })
  try {
    return await build.generate({
      format: 'esm',
      sourcemap: true,
      codeSplitting: options.isWhole ? false : undefined,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    })
  } finally {
    await build.close()
  }
}

/** Writes bundles, and their source maps without the sources, which are those of the commit. */
async function writeAll(
  folder: string,
  { output }: RolldownOutput,
  packages: Set<string>,
): Promise<void> {
  for (const file of output) {
    if (file.type === 'asset') {
      const map = JSON.parse(String(file.source)) as { sourcesContent?: unknown; sources: string[] }
      delete map.sourcesContent
      map.sources = map.sources.map((source) => source.replace(/^(?:\.\.\/)*/, '../'))
      await writeFile(join(folder, file.fileName), JSON.stringify(map))
      continue
    }
    await writeFile(join(folder, file.fileName), file.code)
    for (const name of packagesOf(file)) packages.add(name)
  }
}

function packagesOf({ modules }: OutputChunk): string[] {
  return Object.keys(modules).flatMap((id) => {
    const [found] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []
    return found === undefined ? [] : [relative(ROOT, found.replace(/^\0/, ''))]
  })
}

const THREAD_MODULE = 'weir:threads'

/** What a single file has in place of a folder: threads start from a URL that contains their code. */
const THREADS_INSIDE = `
import { getRawAsset } from 'node:sea'
export function threadUrl(name) {
  const code = Buffer.from(getRawAsset('dist/' + name)).toString('base64')
  return new URL('data:text/javascript;base64,' + code)
}`

/** Changes what the sources say about files beside them, because bundles lie elsewhere. */
function releasePlugin(options: BundleOptions): Plugin {
  return {
    name: 'weir-release',
    resolveId: (id) => (id === THREAD_MODULE ? THREAD_MODULE : undefined),
    load: (id) => (id === THREAD_MODULE ? THREADS_INSIDE : undefined),
    transform(code, id) {
      if (!id.startsWith(SOURCES)) return undefined
      const changed = fitToRelease(code, id, options)
      return changed === code ? undefined : { code: changed, map: null }
    },
  }
}

/** A source file as a bundle needs it. Throws where a file depends on its place in a way that is not known here. */
export function fitToRelease(
  code: string,
  file: string,
  { isSingleFile, threads }: Omit<BundleOptions, 'isWhole'>,
): string {
  let text = code
    .replaceAll(
      /readFileSync\(new URL\('([^']+)', import\.meta\.url\), 'utf8'\)/g,
      (_, name: string) => JSON.stringify(readFileSync(join(dirname(file), name), 'utf8')),
    )
    // What is loaded when it is first needed stays so: rolldown runs it at the first call.
    .replaceAll(/createRequire\(import\.meta\.url\)\(('[^']+')\)/g, 'require($1)')
  if (text.includes('const load = createRequire(import.meta.url)')) {
    text = text
      .replace(/\n *const load = createRequire\(import\.meta\.url\)/, '')
      .replaceAll(/\bload\(('[^']+')\)/g, 'require($1)')
  }
  text = text.replaceAll(/new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g, (_, name: string) => {
    const source = join(dirname(file), `${name}.ts`)
    if (!Object.values(PROGRAM).includes(relative(ROOT, source))) keep(threads, name, source)
    return isSingleFile ? `threadUrl('${name}.js')` : `new URL('./${name}.js', import.meta.url)`
  })
  if (text.includes('threadUrl(')) text = `import { threadUrl } from '${THREAD_MODULE}'\n${text}`
  text = text.replace(EXPLORER.from, EXPLORER.to)
  const unknown = text
    .replaceAll(/new URL\('\.\/[\w-]+\.js', import\.meta\.url\)/g, '')
    .replaceAll('findPackageJSON(import.meta.url)', '')
    .match(/import\.meta\.\w+/)
  if (unknown !== null && /^ *(?!\/\/|\*).*import\.meta/m.test(text)) {
    throw new Error(
      `Cannot bundle ${relative(ROOT, file)}: ${unknown[0]} is another place in a release. ` +
        "Use installedFiles() of base, or new URL('./name.ts', import.meta.url) for a thread",
    )
  }
  return text
}

function keep(threads: Map<string, string>, name: string, file: string): void {
  const known = threads.get(name)
  if (known !== undefined && known !== file) {
    throw new Error(`Two threads are named ${basename(file)}: ${known} and ${file}. Rename one`)
  }
  threads.set(name, file)
}
