/**
 * What the system can take from a runner before it starts. The programs setpriv and unshare of util-linux do it; Node
 * cannot. Each way is tried once, the strongest first, and the first that can load a runner's code is used.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Log } from '../../base/index.ts'
import { LOAD_MS_MAX, NOBODY, runnerCommand } from './runner-command.ts'

/** Where systems keep util-linux: runners have no PATH. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin']

const SAME_PRIVILEGES =
  'SQL runners keep the privileges of the service because setpriv (util-linux) is missing or does not work'

/** How runners are started. */
interface Isolation {
  /** Comes before the runner's own command line. */
  readonly command: readonly string[]
  /** A sentence for the log. */
  readonly meaning: string
}

interface Tools {
  readonly setpriv: string
  readonly unshare: string | undefined
}

let found: Promise<readonly string[]> | undefined

/** The command that starts a runner with the least privileges that the system can give. Logs them, once a process. */
export function isolatingCommand(memoryMb: number, log: Log): Promise<readonly string[]> {
  found ??= findIsolation(isolationsHere(), memoryMb).then(({ command, meaning }) => {
    log.info(meaning)
    return command
  })
  return found
}

/** The first way that works. The last resort works everywhere, and isolates nothing. */
export async function findIsolation(
  isolations: readonly Isolation[],
  memoryMb: number,
): Promise<Isolation> {
  for (const isolation of isolations) if (await works(isolation, memoryMb)) return isolation
  return { command: [], meaning: SAME_PRIVILEGES }
}

function isolationsHere(): readonly Isolation[] {
  const setpriv = findProgram('setpriv')
  if (setpriv === undefined) return []
  const tools = { setpriv, unshare: findProgram('unshare') }
  return isolationsOf(tools, process.getuid?.() === 0)
}

/** The ways to start a runner with the programs that are there, the strongest first. */
export function isolationsOf(tools: Tools, isRoot: boolean): readonly Isolation[] {
  const { setpriv } = tools
  const plain = { command: [setpriv, '--no-new-privs', '--'], meaning: meaningOf([]) }
  if (!isRoot) return [...withoutNetwork(tools, ['--user', '--map-current-user'], plain), plain]
  const powerless = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--']
  const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  const ways = [
    {
      command: [setpriv, ...asNobody, ...powerless],
      meaning: meaningOf(['no capabilities', `user ${NOBODY}`]),
    },
    // For a service whose code only root can read.
    { command: [setpriv, ...powerless], meaning: meaningOf(['no capabilities']) },
  ]
  return [...ways.flatMap((way) => [...withoutNetwork(tools, [], way), way]), plain]
}

function withoutNetwork(
  { unshare }: Tools,
  options: readonly string[],
  { command, meaning }: Isolation,
): readonly Isolation[] {
  if (unshare === undefined) return []
  return [
    {
      command: [unshare, ...options, '--net', '--', ...command],
      meaning: `${meaning}, no network`,
    },
  ]
}

function meaningOf(more: readonly string[]): string {
  return ['SQL runners are isolated by the operating system: no new privileges', ...more].join(', ')
}

function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

async function works(
  { command: [program = '', ...words] }: Isolation,
  memoryMb: number,
): Promise<boolean> {
  const runner = runnerCommand(memoryMb, 'load')
  try {
    const options = { cwd: '/', env: {}, timeout: LOAD_MS_MAX, killSignal: 'SIGKILL' } as const
    await promisify(execFile)(program, [...words, ...runner], options)
    return true
  } catch {
    return false
  }
}
