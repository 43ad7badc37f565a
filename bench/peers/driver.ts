import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** What a process is to write with the driver alone. */
export interface DriverWork {
  readonly port: number
  readonly keyspace: string
  readonly streams: number
  readonly samplesPerStream: number
  /** Calls under way at once. */
  readonly calls: number
  readonly seconds: number
  /** Whether rows of one node share a frame, as Weir sends them. */
  readonly isGrouped: boolean
  readonly firstHandle: number
  readonly writer: number
}

/** What it showed, warmed up. */
export interface DriverShown {
  readonly calls: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Handles that no stream of a short run gets. */
const FIRST_HANDLE = 1_000_000_000
const HANDLES_EACH = 1_000_000

/** Writes with so many processes at once, each with streams of its own. */
export function runDrivers(
  count: number,
  work: Omit<DriverWork, 'firstHandle' | 'writer'>,
): Promise<DriverShown[]> {
  const processes = Array.from({ length: count }, (_, at) =>
    runDriver({ ...work, firstHandle: FIRST_HANDLE + at * HANDLES_EACH, writer: at + 1 }),
  )
  return Promise.all(processes)
}

async function runDriver(work: DriverWork): Promise<DriverShown> {
  const script = fileURLToPath(new URL('driver-child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify(work)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [told] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (child.exitCode !== 0) throw new Error(`the driver's process ended with ${child.exitCode}`)
  return JSON.parse(told) as DriverShown
}
