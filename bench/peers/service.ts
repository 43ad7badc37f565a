import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Address, sendOnce } from '../load/connection.ts'
import type { StreamName, WireForm } from '../load/put-template.ts'

/** A service under test: how it is started, fed and asked. */
export interface Peer {
  readonly name: string
  /** Whether an acknowledged put survives a power cut with these settings. */
  readonly isDurable: boolean
  /** Why it cannot run here, or undefined. */
  missing(): string | undefined
  start(folder: string): Promise<RunningPeer>
}

/** A started service. */
export interface RunningPeer extends Address {
  readonly process: ChildProcess
  readonly putForm: WireForm
  /** The last sample of a stream, which lies at a known time. */
  lastValue(stream: StreamName, lastTime: number): Buffer
  /** The latest samples, every 10 s up to a known time. */
  latest(stream: StreamName, count: number, lastTime: number): Buffer
  /** The maximum of each hour of from ≤ time < until, of one or more streams of one component. */
  hourlyMax(streams: readonly StreamName[], from: number, until: number): Buffer
  /** A call of the query API of Prometheus, such as `query?query=up`. Repeated queries are evaluated again. */
  promql?(call: string): Buffer
  /** Resolves when what was put is in the files that hold it for good, within a bound. */
  settle(): Promise<void>
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

/** Starts a process whose output is only shown when it fails to start. */
export function launch(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcess {
  return spawn(command, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
}

/** A busy machine that has to make the tables of a cluster first needs this long. */
const READY_AFTER_MS_MAX = 300_000

/** Resolves when a request is answered with 2xx; gives up when the process ends or takes too long. */
export async function untilReady(
  child: ChildProcess,
  address: Address,
  request: Uint8Array,
): Promise<void> {
  const end = performance.now() + READY_AFTER_MS_MAX
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended: ${child.exitCode}`)
    const answer = await sendOnce(address, request).catch(() => undefined)
    if (answer !== undefined && answer.status >= 200 && answer.status < 300) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`${child.spawnfile} is not ready after ${READY_AFTER_MS_MAX} ms`)
}

/** Ends a process and resolves when it is gone; one that does not stop in time is killed. */
export function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    child.kill(signal)
  })
}

/** The most memory a process has held, in MB; undefined where the system does not report it. */
export function memoryPeakMb(child: ChildProcess): number | undefined {
  return statusMb(child, 'VmHWM')
}

/** The memory a process holds, in MB; undefined where the system does not report it. */
export function memoryMb(child: ChildProcess): number | undefined {
  return statusMb(child, 'VmRSS')
}

function statusMb(child: ChildProcess, field: string): number | undefined {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    const kb = new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]
    return kb === undefined ? undefined : Number(kb) / 1_024
  } catch {
    return undefined
  }
}

/** Processor time a process has used so far, in seconds; undefined where the system does not report it. */
export function cpuSeconds(child: ChildProcess): number | undefined {
  return child.pid === undefined ? undefined : cpuSecondsOf(child.pid)
}

/** The same of a process that is known by its number. */
export function cpuSecondsOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return undefined
  }
}

/** What the files of a folder take on disk, in bytes. */
export function bytesOnDisk(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    // Files may go while the service tidies up.
    const stat = statSync(path, { throwIfNoEntry: false })
    bytes += entry.isDirectory() ? bytesOnDisk(path) : (stat?.blocks ?? 0) * 512
  }
  return bytes
}

/** Resolves when a folder's size has not changed for a while, within a bound. */
export async function untilQuiet(
  folder: string,
  options: { readonly quietMs: number; readonly secondsMax: number },
): Promise<void> {
  const end = performance.now() + options.secondsMax * 1_000
  let before = -1
  let since = performance.now()
  while (performance.now() < end) {
    const bytes = bytesOnDisk(folder)
    if (bytes !== before) since = performance.now()
    before = bytes
    if (performance.now() - since >= options.quietMs) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
