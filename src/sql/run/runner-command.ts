/** The command line of Node for a runner, and the compiled code that it loads: 0.2 s of work for a start instead of 0.5. */
import { execFile } from 'node:child_process'
import { chmodSync, readdirSync, realpathSync, symlinkSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installationFolder, isSingleFile } from '../../base/plain.ts'

/** The code of a runner. */
const ENTRY = new URL('./runner-main.ts', import.meta.url)
/** The first word for a single executable that is a runner. */
export const RUNNER_WORD = 'sql-runner'

/** The user and group `nobody` of most systems. It owns no files. */
export const NOBODY = 65_534

/** A machine under full load needs seconds to load a runner's code. */
export const LOAD_MS_MAX = 30_000

/** Only `serve` serves calls; the others load the code of a runner and end. */
type RunnerTask = 'serve' | 'load' | 'compile'

/** Node with the arguments of a runner that has so much memory for its heap. */
export function runnerCommand(memoryMb: number, task: RunnerTask): string[] {
  const flags = [
    '--disallow-code-generation-from-strings',
    `--max-old-space-size=${memoryMb}`,
    '--max-semi-space-size=8',
    '--v8-pool-size=1',
    '--no-warnings',
  ]
  // Its code is in memory, so it needs no right to read files.
  if (isSingleFile) {
    return [
      process.execPath,
      `--node-options=${['--permission', ...flags].join(' ')}`,
      RUNNER_WORD,
      task,
    ]
  }
  const cache = getCompileCacheDir()
  const readable = codeOfRunners()
  const cacheRoot = cache === undefined ? undefined : dirname(cache)
  if (cacheRoot !== undefined) readable.push(cacheRoot)
  // Files can be read until the code is loaded; then the runner gives the right up, for good.
  const start = [
    `import { enableCompileCache, flushCompileCache, getCompileCacheDir } from 'node:module'`,
    cacheRoot === undefined ? '' : `enableCompileCache(${JSON.stringify(cacheRoot)})`,
    `await import(${JSON.stringify(ENTRY.href)})`,
    task === 'compile' ? 'flushCompileCache(); console.log(getCompileCacheDir())' : '',
  ]
  return [
    process.execPath,
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    // Node takes the cache only with both rights; the limit of the shell lets nothing be written.
    ...(cacheRoot === undefined ? [] : [`--allow-fs-write=${cacheRoot}`]),
    ...flags,
    '--input-type=module',
    `--eval=${start.join('\n')}`,
    task,
  ]
}

/** What a runner reads while it loads: the bundles of a release, or the sources and packages of a clone. */
function codeOfRunners(): string[] {
  const file = fileURLToPath(ENTRY)
  const manifest = join(installationFolder, 'package.json')
  if (extname(file) !== '.ts') return [dirname(file), manifest]
  const modules = join(installationFolder, 'node_modules')
  return [join(installationFolder, 'src'), manifest, modules, realpathSync(modules)]
}

let compiled: Promise<string | undefined> | undefined

/** Compiles the code of runners once for all of them, as they may write nothing; the folder, where the service keeps compiled code. */
export function compileAhead(memoryMb: number): Promise<string | undefined> {
  compiled ??= getCompileCacheDir() === undefined ? Promise.resolve(undefined) : compile(memoryMb)
  return compiled
}

async function compile(memoryMb: number): Promise<string | undefined> {
  const [program, ...words] = runnerCommand(memoryMb, 'compile')
  try {
    const options = { cwd: '/', env: {}, timeout: LOAD_MS_MAX, killSignal: 'SIGKILL' } as const
    const { stdout } = await promisify(execFile)(program, words, options)
    const folder = stdout.trim()
    if (process.getuid?.() === 0) shareWithNobody(folder)
    return folder
  } catch {
    // Runners load more slowly without it.
    return undefined
  }
}

/** Node keeps compiled code by user. It holds nothing but the service's own sources, so that others may read it. */
function shareWithNobody(folder: string): void {
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
  chmodSync(folder, 0o755)
  const ofNobody = folder.replace(/-0$/, `-${NOBODY}`)
  if (ofNobody !== folder) linkOnce(folder, ofNobody)
}

function linkOnce(target: string, path: string): void {
  try {
    symlinkSync(target, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
