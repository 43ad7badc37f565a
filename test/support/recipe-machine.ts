/**
 * A machine on which a recipe of the documentation is followed: absolute paths lie below a temporary folder, systemd is
 * played by the test, and everything else is run as written. The packages of two versions are in the folder of downloads.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { OFFLINE, packedPackage, packVersion } from './packed-package.ts'
import { isNightly } from './random.ts'

const run = promisify(execFile)

/** Commands that change or read the real machine. */
const NOT_RUN = /^(?:apt-get|journalctl) /
const SYSTEMCTL = /^systemctl (?:daemon-reload && systemctl )?(enable --now|start|stop) weir$/

/** A service that runs, and what it printed so far. */
export interface StartedService {
  readonly url: string
  output(): string
  stop(): Promise<void>
}

/** The commands of the first `sh` fence below a heading, without remarks. */
export function readRecipe(page: string, heading: string): string[] {
  const [, chapter] = readFileSync(page, 'utf8').split(`\n${heading}\n`)
  const [, text] = /```sh\n([\s\S]*?)```/.exec(chapter ?? '') ?? []
  assert.ok(text !== undefined, `${page} has commands below "${heading}"`)
  return text
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '')
}

/** The machine, with a clone of the repository and the packages of two versions. */
export class RecipeMachine {
  readonly home = mkdtempSync(join(tmpdir(), 'weir-machine-'))
  /** The clone of the repository. */
  readonly clone = join(this.home, 'clone')
  /** Where a user has downloaded the packages. */
  readonly downloads = join(this.home, 'downloads')
  service: StartedService | undefined
  #folder = this.downloads
  /** Every service that was started: a test that fails leaves none behind. */
  readonly #started: StartedService[] = []

  static async open(): Promise<RecipeMachine> {
    const machine = new RecipeMachine()
    const folders = ['etc/systemd/system', 'var/lib', 'var/cache', 'var/tmp', 'mnt/safe', 'opt']
    for (const folder of [...folders, 'usr/local/bin', 'downloads'])
      mkdirSync(join(machine.home, folder), { recursive: true })
    await Promise.all([machine.#cloneRepository(), machine.#download()])
    return machine
  }

  /** A path of the documentation on this machine. */
  place(text: string): string {
    return text.replaceAll(/(?<![\w.])\/(?=(?:opt|var|etc|mnt|usr\/local)\b)/g, `${this.home}/`)
  }

  /** Follows commands in their order; a failure of one ends all. */
  async follow(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const [, verb] = SYSTEMCTL.exec(line) ?? []
      if (verb === 'stop') await this.service?.stop()
      else if (verb !== undefined) this.service = await this.startUnit()
      else if (!NOT_RUN.test(line)) await this.runLine(line)
    }
  }

  /** Runs one line in the folder that the line before has left. */
  async runLine(line: string): Promise<void> {
    const leftIn = join(this.home, 'left-in')
    const script = `cd '${this.#folder}'\n${this.place(line)}\npwd > '${leftIn}'`
    await run('bash', ['-e', '-c', script], { env: this.env(), maxBuffer: 64 * 2 ** 20 })
    this.#folder = readFileSync(leftIn, 'utf8').trim()
  }

  /** Starts a line that runs until it is stopped, such as `npm start`. */
  async startLine(
    line: string,
    settings: Readonly<Record<string, string>>,
  ): Promise<StartedService> {
    const cwd = this.clone
    const env = { ...this.env(), ...settings }
    return await this.#watch(spawn('bash', ['-c', this.place(line)], { cwd, env, detached: true }))
  }

  /**
   * A line of the documentation with the packages of this checkout in place of those that `npm ci` would install: they
   * come from the same lock file. npm still compares that with package.json. `npm run test:nightly` installs as written.
   */
  withPackages(line: string): string {
    if (isNightly || !line.includes('npm ci && ')) return line
    const install = [
      'npm ci --dry-run --offline --ignore-scripts',
      'rm -rf node_modules && mkdir node_modules',
      `cp -a ${MODULES}/.bin ${MODULES}/.package-lock.json node_modules`,
      // Links, where both are on one disk.
      `(cp -al ${MODULES}/* node_modules || cp -a ${MODULES}/* node_modules)`,
      'node tools/trim-node.mjs && ',
    ]
    return line.replace('npm ci && ', install.join(' && '))
  }

  /**
   * A line of the documentation that installs the package, with the Node of the tests in place of that which the registry
   * has. `npm run test:nightly` installs as written.
   */
  withNode(line: string): string {
    if (isNightly || !line.startsWith('npm install ')) return line
    const bundle = resolve(realpathSync(process.execPath), '..', '..')
    const modules = '/opt/weir/node_modules'
    const links = [
      `ln -sfn '${bundle}' ${modules}/${basename(bundle)}`,
      `ln -sf '${process.execPath}' ${modules}/.bin/node`,
    ]
    return [`${line} ${OFFLINE.join(' ')}`, ...links].join(' && ')
  }

  async close(): Promise<void> {
    for (const service of this.#started) await service.stop()
    rmSync(this.home, { recursive: true, force: true })
  }

  /** The unit that lies in /etc/systemd/system, with the folders that systemd makes for it. */
  async startUnit(): Promise<StartedService> {
    const unit = this.readUnit('weir.service')
    const [state, link] = [this.place('/var/lib/private/weir'), this.place('/var/lib/weir')]
    mkdirSync(state, { recursive: true, mode: 0o700 })
    if (!existsSync(link)) symlinkSync(state, link)
    // As systemd does with DynamicUser=.
    assert.ok(lstatSync(link).isSymbolicLink(), 'systemd refuses a folder in both places')
    mkdirSync(this.place('/var/cache/weir'), { recursive: true })
    const settings = unit('Environment').flatMap((line) => line.split(' '))
    const [file = ''] = unit('EnvironmentFile').map((path) => path.replace(/^-/, ''))
    if (existsSync(file)) settings.push(...readFileSync(file, 'utf8').trim().split('\n'))
    const [command = ''] = unit('ExecStart')
    const [program, ...words] = command.split(' ')
    const [cwd] = unit('WorkingDirectory')
    const env = { PATH: SYSTEM_PATH, ...Object.fromEntries(settings.map((one) => one.split('='))) }
    return await this.#watch(spawn(program, words, { cwd, env, detached: true }))
  }

  /** Reads the values of a key of a unit. */
  readUnit(name: string): (key: string) => string[] {
    const text = readFileSync(join(this.home, 'etc/systemd/system', name), 'utf8')
    return (key) =>
      [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => this.place(value))
  }

  async #watch(child: ChildProcess): Promise<StartedService> {
    const service = await watch(child)
    this.#started.push(service)
    return service
  }

  /** What a fresh login has: nothing of the npm that runs the tests. */
  env(): NodeJS.ProcessEnv {
    const own = join(this.home, 'usr/local/bin')
    // Any Node runs the command, and continues on Node 26.
    return { PATH: `${own}:${SYSTEM_PATH}`, HOME: process.env.HOME }
  }

  /** The files of this checkout as the one commit of a repository, cloned. */
  async #cloneRepository(): Promise<void> {
    const root = resolve('.')
    const origin = join(this.home, 'origin')
    const isLeftOut = /^(?:node_modules|\.git|data|tmp|build|studio\/(?:dist.*|\.building))$/
    const filter = (path: string) => !isLeftOut.test(relative(root, path))
    cpSync(root, origin, { recursive: true, filter })
    // A small studio, which builds faster; the tests of the step before `npm start` build all of it.
    writeFileSync(join(origin, 'studio/src/main.tsx'), 'document.title = "small"\n')
    await run('git', ['-C', origin, 'init', '-q'])
    await run('git', ['-C', origin, 'add', '.'])
    await run('git', ['-C', origin, ...AUTHOR, 'commit', '-qm', 'first'])
    await run('git', ['clone', '-q', origin, this.clone])
  }

  /** The package of this checkout, and the same as the version that the documentation upgrades to. */
  async #download(): Promise<void> {
    const name = 'weir-0.1.0.tgz'
    cpSync(join(await packedPackage(), name), join(this.downloads, name))
    await packVersion(NEXT_VERSION, this.downloads)
  }
}

/** The version that docs/operations.md upgrades to. */
export const NEXT_VERSION = '0.2.0'

/** The packages of this checkout. */
const MODULES = resolve('node_modules')

const AUTHOR = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']

/** The programs of the system, without those of this checkout's packages. */
const SYSTEM_PATH = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':')

/** Resolves when a service listens; its process leads a group, so that npm and shells end with it. */
async function watch(child: ChildProcess): Promise<StartedService> {
  let output = ''
  const { promise, resolve: listens, reject } = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part: Buffer) => {
      output += part
      const [, url] = /"address":"(http:[^"]+)".*"listening"/.exec(output) ?? []
      if (url !== undefined) listens(url)
    })
  }
  const ended = once(child, 'close')
  ended.then(() => reject(new Error(`The service ended: ${output}`)))
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    process.kill(-(child.pid ?? 0), 'SIGTERM')
    await ended
  }
  try {
    return { url: await promise, output: () => output, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
