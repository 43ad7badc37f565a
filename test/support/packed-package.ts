/** The package, packed once for the tests of a process, and installed as a user without a clone, git, and network does. */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from './temporary-folder.ts'

const run = promisify(execFile)

/** A fresh login of a user who has Node, npm, and a shell only. */
export interface UserLogin {
  readonly PATH: string
  readonly HOME: string
  readonly npm_config_update_notifier: 'false'
}

/** Makes a login whose home is a folder. */
export function loginOf(home: string): UserLogin {
  const programs = join(home, 'programs')
  mkdirSync(programs, { recursive: true })
  symlinkSync(process.execPath, join(programs, 'node'))
  for (const name of ['npm', 'sh']) symlinkSync(placeOf(name), join(programs, name))
  return { PATH: programs, HOME: home, npm_config_update_notifier: 'false' }
}

function placeOf(program: string): string {
  const { stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' })
  return realpathSync(stdout.trim())
}

let packed: Promise<string> | undefined

/** The folder with the package weir-0.1.0.tgz, and its files below `package`. */
export function packedPackage(): Promise<string> {
  packed ??= packOnce()
  return packed
}

async function packOnce(): Promise<string> {
  const folder = temporaryFolder()
  // In a process of its own, because Vite changes the environment of the one that it runs in.
  await run(process.execPath, ['tools/release/pack.ts', folder])
  return folder
}

/** Packs the same package with another version, into a folder. */
export async function packVersion(version: string, folder: string): Promise<void> {
  const next = temporaryFolder()
  cpSync(join(await packedPackage(), 'package'), next, { recursive: true })
  for (const name of ['package.json', 'studio/dist/stamp.txt']) {
    const text = readFileSync(join(next, name), 'utf8')
    writeFileSync(join(next, name), text.replace(/\b0\.1\.0\b/, version))
  }
  await run('npm', ['pack', next, '--pack-destination', folder, '--ignore-scripts'])
}

/** Words for `npm install` that leave out Node, which is that of the tests, and do not ask the registry. */
export const OFFLINE = ['--offline', '--omit=optional', '--no-audit', '--no-fund'] as const

/** Installs a package below a folder. */
export async function installPackage(path: string, folder: string, env: UserLogin): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await run('npm', ['install', '--prefix', folder, path, ...OFFLINE], {
    cwd: folder,
    env: { ...env },
  })
}
