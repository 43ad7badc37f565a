/** Builds the studio into studio/dist, compressed beforehand, when its sources have changed. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import {
  builtStamp,
  STAMP_NAME,
  sourceStamp,
  studioFolder,
} from '../../src/http/pages/studio/studio-build.ts'

const studio = join(import.meta.dirname, '..', '..', 'studio')
const lockFile = join(studio, '.building')
const LOCK_LOOK_MS = 100

/** What is worth compressing: texts, longer than a packet's worth. */
const COMPRESSED = /\.(?:js|css|html|svg|json)$/
const COMPRESSED_BYTES_MIN = 1_000

/** Builds unless the build that is there is of the same sources; waits for another that builds. */
export async function buildStudio(): Promise<void> {
  while (sourceStamp() !== builtStamp()) {
    if (!takeLock()) {
      await pause(LOCK_LOOK_MS)
      continue
    }
    try {
      if (sourceStamp() !== builtStamp()) await build()
    } finally {
      rmSync(lockFile, { force: true })
    }
  }
}

/**
 * Builds as above before a start. A failure does not prevent the start: the service compares the build with its sources
 * and logs the command to run.
 */
export async function tryBuildStudio(): Promise<void> {
  if (!existsSync(join(studio, '..', 'node_modules', 'vite'))) return
  try {
    console.error('Building the studio, once …')
    await buildStudio()
  } catch (error) {
    console.error(`The studio cannot be built: ${(error as Error).message}`)
  }
}

/** Whether this process may build: one at a time, and a builder that died does not count. */
function takeLock(): boolean {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  if (!isAlive(readHolder())) rmSync(lockFile, { force: true })
  return false
}

function readHolder(): number {
  try {
    return Number(readFileSync(lockFile, 'utf8'))
  } catch {
    return 0
  }
}

function isAlive(pid: number): boolean {
  // The process that has just created the file has not written to it yet.
  if (pid === 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Makes the build beside the one that is there, then takes its place. */
async function build(): Promise<void> {
  const stamp = sourceStamp()
  if (stamp === undefined) throw new Error('there are no sources')
  const made = join(studio, 'dist.made')
  const before = join(studio, 'dist.before')
  for (const folder of [made, before]) rmSync(folder, { recursive: true, force: true })
  const vite = await import('vite')
  await vite.build({
    root: studio,
    configFile: join(studio, 'vite.config.ts'),
    configLoader: 'native',
    logLevel: 'warn',
    build: { outDir: made, emptyOutDir: true },
  })
  await compressAll(made)
  writeFileSync(join(made, STAMP_NAME), stamp)
  if (existsSync(studioFolder)) renameSync(studioFolder, before)
  mkdirSync(studio, { recursive: true })
  renameSync(made, studioFolder)
  rmSync(before, { recursive: true, force: true })
}

async function compressAll(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  await Promise.all(
    names.filter((name) => COMPRESSED.test(name)).map((name) => compress(join(folder, name))),
  )
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path)
  if (bytes.length < COMPRESSED_BYTES_MIN) return
  const brotli = await promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })
  await writeFile(`${path}.br`, brotli)
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
}

if (import.meta.main) await buildStudio()
