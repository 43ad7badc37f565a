import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import type { DriverPlace } from './driver-place.ts'

/** A driver that could not be installed; the message says what to do. */
export class DriverMistake extends Error {}

/** A slow line takes minutes for 60 MB. */
const NPM_MS_MAX = 900_000
/** Of what npm prints, for the message. */
const OUTPUT_BYTES_MAX = 10_000_000

/**
 * Installs a driver with every package that it needs, in the pinned versions. npm refuses a package whose hash is not
 * the one of the lock file. False when the driver is there already. Throws a DriverMistake.
 */
export async function installDriver(place: DriverPlace): Promise<boolean> {
  const { folder, packageName, manifest, lock } = place
  if (existsSync(folder)) return false
  const parent = dirname(folder)
  const started = `.${basename(folder)}.${process.pid}`
  const work = join(parent, started)
  try {
    mkdirSync(parent, { recursive: true })
    removeLeft(parent)
    mkdirSync(work)
    writeFileSync(join(work, 'package.json'), manifest)
    writeFileSync(join(work, 'package-lock.json'), lock)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const what = `Cannot write to ${parent} (${code})`
    throw new DriverMistake(`${what}. Set WEIR_DRIVERS_DIR to a folder that this user can write to`)
  }
  try {
    await runNpm(work)
    createRequire(join(work, 'package.json')).resolve(packageName)
    // A driver that is interrupted half-way stays in the folder that nothing looks into.
    renameSync(work, folder)
    return true
  } catch (error) {
    rmSync(work, { recursive: true, force: true })
    if (existsSync(folder)) return false
    throw error
  }
}

async function runNpm(folder: string): Promise<void> {
  const args = ['ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--no-progress']
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const options = { cwd: folder, timeout: NPM_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX, env: npmEnv() }
  execFile('npm', args, options, (error, stdout, stderr) => {
    if (error === null) resolve()
    else reject(npmMistake(error, `${stderr}\n${stdout}`))
  })
  await promise
}

/** Without the variables by which an npm that runs this command would change what the inner one does. */
function npmEnv(): NodeJS.ProcessEnv {
  const isOuter = (name: string) =>
    /^npm_(?:package|lifecycle|command|config_(?:global|omit|include|prefix|local_prefix)$)/i.test(
      name,
    )
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOuter(name)))
}

const UNREACHABLE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/

function npmMistake(error: Error & { code?: unknown }, output: string): DriverMistake {
  if (error.code === 'ENOENT') {
    const what = 'npm is not found'
    return new DriverMistake(
      `${what}. Install npm, or copy WEIR_DRIVERS_DIR from a machine with npm`,
    )
  }
  if (/\bEINTEGRITY\b/.test(output)) {
    const what = 'A package does not have the hash that this release of Weir expects'
    return new DriverMistake(`${what}. Nothing was installed. Check the registry that npm uses`)
  }
  const code = UNREACHABLE.exec(output)?.[0]
  if (code !== undefined) {
    return new DriverMistake(`Cannot reach the package registry (${code}). Check the network`)
  }
  const lines = output.split('\n').filter((line) => /^npm (?:error|ERR!)/.test(line))
  return new DriverMistake(`npm could not install the driver:\n${lines.slice(0, 10).join('\n')}`)
}

/** Removes what installations have left whose process is gone. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^\..+\.(\d+)$/.exec(name)?.[1]
    if (pid === undefined || isRunning(Number(pid))) continue
    rmSync(join(parent, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
