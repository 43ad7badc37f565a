/** Servers of other makers that tests start: as a user that they run under, in a folder of their own. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Of what a server says, for the message when it does not start. */
const OUTPUT_MAX = 20_000

/** Who a server runs as: it refuses to be root. */
interface Runner {
  readonly uid?: number
  readonly gid?: number
}

/** A temporary folder and the user it belongs to. */
export interface ServerHome {
  readonly folder: string
  /** Writes a file that only the server can read; answers its path. */
  write(name: string, content: string | Buffer): string
  /** Runs a program of the server to its end. */
  run(program: string, args: readonly string[]): Promise<void>
  /** Starts the server; what it says last is in the error of who waits for it. */
  start(program: string, args: readonly string[]): ServerProcess
  remove(): void
}

/** A server that runs. */
export interface ServerProcess {
  /** Why it does not run, or undefined while it does. */
  readonly ending: string | undefined
  /** Ends it, and waits until it is gone. */
  stop(): Promise<void>
}

/** Makes the folder of a server; `account` is who it runs as where tests are run by root. */
export function makeServerHome(name: string, account: string): ServerHome {
  const runner = runnerOf(account)
  const folder = mkdtempSync(join(tmpdir(), `weir-${name}-`))
  if (runner.uid !== undefined) chownSync(folder, runner.uid, runner.gid ?? runner.uid)
  const options = { ...runner, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } }
  return {
    folder,
    write: (name, content) => {
      const path = join(folder, name)
      writeFileSync(path, content, { mode: 0o600 })
      if (runner.uid !== undefined) chownSync(path, runner.uid, runner.gid ?? runner.uid)
      return path
    },
    run: async (program, args) => {
      await run(program, [...args], options)
    },
    start: (program, args) => startProcess(spawn(program, [...args], options)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function startProcess(child: ChildProcess): ServerProcess {
  let output = ''
  const note = (part: Buffer) => {
    output = `${output}${part}`.slice(-OUTPUT_MAX)
  }
  child.stdout?.on('data', note)
  child.stderr?.on('data', note)
  child.on('error', (error) => note(Buffer.from(String(error))))
  return {
    get ending() {
      const isOver = child.exitCode !== null || child.signalCode !== null || child.pid === undefined
      return isOver ? `the server ended: ${output}` : undefined
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

function runnerOf(account: string): Runner {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => spawnSync('id', [flag, account], { encoding: 'utf8' })
  const [uid, gid] = [idOf('-u'), idOf('-g')]
  if (uid.status !== 0) throw new Error(`no user ${account}: install the server's package`)
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

/** A certificate for localhost that nobody vouches for, and its key, as files of a server. */
export function writeCertificate(home: ServerHome): {
  readonly cert: string
  readonly key: string
} {
  const read = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url))
  return {
    cert: home.write('cert.pem', read('localhost-cert.pem')),
    key: home.write('key.pem', read('localhost-key.pem')),
  }
}
