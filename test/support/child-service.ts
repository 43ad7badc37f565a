import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { childEnv } from './child-env.ts'
import { SERVICE_FILE } from './program.ts'
import { startServiceOn } from './service-on.ts'

/** A service in a process of its own, for tests that kill it. */
export interface ChildService {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Resolves when the process is gone, with the signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>
  /** Ends the process at once, as a power cut would; resolves when it is gone. */
  kill(): Promise<void>
  /** Asks the process to stop; resolves with its exit code. */
  stop(): Promise<number | null>
}

/** A service of a test that kills it again and again. */
export type KilledService = Pick<ChildService, 'url' | 'kill'>

/** The service behind the last kill: no test kills it, so it runs in this process. `kill` closes it. */
export async function startLastService(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Promise<KilledService> {
  const { url, close } = await startServiceOn(dataDir, settings)
  return { url, kill: close }
}

/** Of what a service says on standard error. */
const OUTPUT_MAX = 65_536

/** Starts `npm start`, or another main file, on a data folder and a free port; resolves when it listens. */
export async function startChildService(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
  main = pathToFileURL(SERVICE_FILE),
  openFilesMax?: number,
): Promise<ChildService> {
  const env = { ...childEnv, WEIR_DATA_DIR: dataDir, WEIR_PORT: '0', ...settings }
  const limit = openFilesMax === undefined ? '' : `ulimit -n ${openFilesMax}; `
  const child = spawn('sh', ['-c', `${limit}exec "$0" "$1"`, process.execPath, main.pathname], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // The text of a first start is of no use here; that of a failed one is.
  let output = ''
  child.stderr?.on('data', (part: Buffer) => {
    output = `${output}${part}`.slice(-OUTPUT_MAX)
  })
  child.once('close', (code) => {
    if (code !== 0 && code !== null) process.stderr.write(output)
  })
  const url = await addressOf(child)
  const ended = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null)
  // A parent that does not read fills the pipe and blocks the child.
  child.stdout?.resume()
  const stop = async (): Promise<number | null> => {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    return (await gone)[0]
  }
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  return { url, port: Number(new URL(url).port), pid: child.pid ?? 0, ended, kill, stop }
}

/** Starts services at once, on a folder each; when one does not start none is left. */
export async function startChildServices(
  dataDirs: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<ChildService[]> {
  const starts = await Promise.allSettled(dataDirs.map((one) => startChildService(one, settings)))
  const started = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = starts.find((one) => one.status === 'rejected')
  if (failed === undefined) return started
  await Promise.all(started.map((service) => service.kill()))
  throw failed.reason
}

async function addressOf(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let printed = ''
  const onData = (chunk: Buffer): void => {
    printed += chunk.toString()
    const url = /"address":"(http:[^"]+)"/.exec(printed)?.[1]
    if (url !== undefined) resolve(url)
  }
  child.stdout?.on('data', onData)
  child.once('exit', (code) => reject(new Error(`The service ended with ${code}: ${printed}`)))
  try {
    return await promise
  } finally {
    child.stdout?.off('data', onData)
    child.removeAllListeners('exit')
  }
}
