import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** What a process does with plain prepared statements. */
export type DriverWork =
  | {
      /** Calls that each write this number of streams, one row per stream. */
      readonly kind: 'put'
      readonly streams: number
      readonly samplesPerStream: number
    }
  | {
      /** Reads the runs of stored streams: all of them in turn, or the one that was created first. */
      readonly kind: 'read'
      readonly isFirstOnly: boolean
    }

/** Where and how long. */
export interface DriverRun {
  readonly port: number
  readonly keyspace: string
  /** Calls in progress at once. */
  readonly connections: number
  readonly seconds: number
}

/** What it showed, warmed up. */
export interface DriverShown {
  readonly calls: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Handles from here on are the driver's: no stream of a short run gets one. */
export const FIRST_HANDLE = 1_000_000_000
const HANDLES_EACH = 1_000_000

/** Runs `count` processes at once, each with its own streams. */
export function runDrivers(count: number, work: DriverWork & DriverRun): Promise<DriverShown[]> {
  const handles = Array.from({ length: count }, (_, at) => FIRST_HANDLE + at * HANDLES_EACH)
  return Promise.all(handles.map((firstHandle) => runDriver({ ...work, firstHandle })))
}

async function runDriver(work: DriverWork & DriverRun & { firstHandle: number }) {
  const script = fileURLToPath(new URL('driver-child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify(work)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (child.exitCode !== 0) throw new Error(`the driver's process ended with ${child.exitCode}`)
  return JSON.parse(printed) as DriverShown
}
