import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Peer, type RunningPeer, stop } from './peers/service.ts'

/** How long and how much; every loop ends by one of these. */
export interface Settings {
  /** Seconds per load that is measured by its rate. */
  readonly seconds: number
  /** Samples put to measure the size on disk and the reads. */
  readonly samples: number
  /** Calls per latency that is measured. */
  readonly calls: number
  /** How often each measurement is taken; the best one counts, as a busy machine only takes away. */
  readonly rounds: number
  readonly peers: readonly Peer[]
  /** The layouts of puts that are measured, by name; all when undefined. */
  readonly layouts: readonly string[] | undefined
}

/** Runs work on a started service with a new data folder, then stops it and removes the folder. */
export async function withPeer<T>(
  peer: Pick<Peer, 'start'>,
  work: (running: RunningPeer, folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const running = await peer.start(join(folder, 'data'))
    try {
      return await work(running, join(folder, 'data'))
    } finally {
      await stop(running.process)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reports on standard error what is going on; standard output is for the table. */
export function printProgress(text: string): void {
  console.error(text)
}
