import { sendOnce } from '../load/connection.ts'
import { drive, time } from '../load/drive.ts'
import { putLayouts } from '../load/put-layouts.ts'
import { PutTemplate, Walk } from '../load/put-template.ts'
import { startSideThread } from '../load/side-thread.ts'
import type { RunningPeer } from '../peers/service.ts'
import { statistic } from '../peers/weir.ts'
import { better, type Cell, type Row } from '../report.ts'
import { tell } from '../settings.ts'
import type { ClusterBench } from './cluster-put-suite.ts'

const MINUTE_MS = 60_000
const MINUTES = 365 * 24 * 60
const SAMPLES_PER_CALL = 1_000
const READ_SECONDS_MAX = 10
/** Runs are merged into chunks after half a minute; what is read is a stream at rest. */
const MERGED_AFTER_MS = 60_000
const meter = { compId: 'meter', streamId: 'power' }

/** Puts a year of minutes into one stream of both stores, which is read later; tells when it was done. */
export async function fillYear({ weirs, embedded }: ClusterBench): Promise<number> {
  for (const running of [weirs[0], embedded]) {
    tell('a year of minutes')
    const template = new PutTemplate(running.putForm, new Array(SAMPLES_PER_CALL).fill(meter))
    const walk = new Walk(1)
    const start = Math.floor(Date.now() / MINUTE_MS - MINUTES) * MINUTE_MS
    let call = 0
    await drive(running, {
      connections: 1,
      secondsMax: 300,
      callsMax: Math.floor(MINUTES / SAMPLES_PER_CALL),
      next: () => {
        const first = start + call++ * SAMPLES_PER_CALL * MINUTE_MS
        return template.fill(
          (sample) => first + sample * MINUTE_MS,
          () => walk.next(),
        )
      },
    })
  }
  return performance.now()
}

/** A call that is measured. */
interface Read {
  readonly work: string
  readonly bytesMin: number
  requests(running: RunningPeer): Buffer[]
}

const fresh = putLayouts[0].streams
const reads: readonly Read[] = [
  {
    work: 'last value of a stream that is put to',
    bytesMin: 20,
    requests: (running) => fresh.map((stream) => running.lastValue(stream, 0)),
  },
  {
    work: 'latest 1,000 samples of a stream that is put to',
    bytesMin: 1_000,
    requests: (running) => fresh.map((stream) => running.latest(stream, 1_000, 0)),
  },
  {
    work: 'latest 1,000 samples of a stream at rest',
    bytesMin: 15_000,
    requests: (running) => [running.latest(meter, 1_000, 0)],
  },
  {
    work: 'maximum of each day of a year of minutes',
    bytesMin: 10_000,
    requests: () => [statistic(meter, 'day', 'max')],
  },
]

/** Reads through one process, idle and while puts go through it. */
export async function clusterReadSuite(bench: ClusterBench, filledAt: number): Promise<Row[]> {
  const waitMs = filledAt + MERGED_AFTER_MS - performance.now()
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  const idle = reads.map(() => ({}) as Record<string, Cell>)
  const beside = reads.map(() => ({}) as Record<string, Cell>)
  const peers = { Weir: bench.weirs[0], embedded: bench.embedded }
  for (let round = 0; round < bench.rounds; round++) {
    for (const [name, running] of Object.entries(peers)) {
      tell(`reads: ${name}`)
      await measureAll(bench, { running, name, cells: idle })
      tell(`reads beside puts: ${name}`)
      const module = new URL('../load/bulk-thread.ts', import.meta.url).href
      const puts = await startSideThread(module, { port: running.port })
      try {
        await measureAll(bench, { running, name, cells: beside })
      } finally {
        tell(`  ${Math.round(await puts.stop())} samples/s meanwhile`)
      }
    }
  }
  return reads.flatMap(({ work }, at) => [
    { work, unit: 'ms', aim: '', cells: idle[at] },
    { work: `${work}, beside puts`, unit: 'ms', aim: '', cells: beside[at] },
  ])
}

interface Measuring {
  readonly running: RunningPeer
  readonly name: string
  readonly cells: Array<Record<string, Cell>>
}

async function measureAll(
  { calls }: ClusterBench,
  { running, name, cells }: Measuring,
): Promise<void> {
  for (const [at, read] of reads.entries()) {
    const requests = read.requests(running)
    const { body } = await sendOnce(running, requests[0])
    if (body.length < read.bytesMin) throw new Error(`${name}, ${read.work}: only ${body}`)
    const { p50Ms, p99Ms } = await time(running, requests, { calls, secondsMax: READ_SECONDS_MAX })
    cells[at][name] = better('ms', cells[at][name], { value: p50Ms, p50Ms, p99Ms })
  }
}
