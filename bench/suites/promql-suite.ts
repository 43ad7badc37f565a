import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRequest } from '../load/connection.ts'
import { startHealthPoll } from '../load/health-poll.ts'
import { type PromqlAnswer, readPromql, requireEqual } from '../load/promql-answer.ts'
import { firstTimeOf, loadPromql, type PromqlData, walksOf } from '../load/promql-data.ts'
import { missingPrometheus, startPrometheus, writeRemote } from '../peers/prometheus.ts'
import { type RunningPeer, stop } from '../peers/service.ts'
import { victoria } from '../peers/victoria.ts'
import { weir, weirLines } from '../peers/weir.ts'
import type { Cell, Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'
import { timeBest } from './read-suite.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const DAYS = 365
const SERIES = 100
const LATEST_SERIES = 10_000
const REGEX_VALUES = 10_000

/** Series of the label queries; `BENCH_SERIES=1000000` is the long run. */
const MANY_SERIES = Number(process.env.BENCH_SERIES ?? 100_000)

/** Between two requests of a row, so that no service answers what it has just answered. */
const SHIFT_MS = 7 * MINUTE_MS
const SHIFTS = 50

/** Queries lie off the times of samples, where versions differ on which edge of a range counts. */
const OFF_MS = 3 * SECOND_MS

/** VictoriaMetrics shows no samples of the last 30 s. */
const AGE_MS = 10 * MINUTE_MS

const HEAVY_AT_ONCE = 2
const HEAVY_ROUNDS = 3

/** One row: the calls that are timed, of which the first is compared with the answers of the others. */
interface Work {
  readonly work: string
  readonly aim: string
  readonly calls: readonly string[]
  /** Functions whose results VictoriaMetrics defines differently are compared with Prometheus alone. */
  readonly isVictoriaEqual: boolean
  /** Whether Prometheus has the data. */
  readonly isInPrometheus: boolean
}

interface Plan {
  readonly day: PromqlData
  readonly year: PromqlData
  readonly latest: PromqlData
  readonly many: PromqlData
  readonly works: readonly Work[]
}

/** Queries of Prometheus next to VictoriaMetrics, whose answers are compared. */
export async function promqlSuite(settings: Settings): Promise<Row[]> {
  const peers = settings.peers.flatMap((peer) =>
    peer === weir ? [weirLines] : peer === victoria ? [victoria] : [],
  )
  const plan = planOf(settings)
  const answers = new Map<string, PromqlAnswer[]>()
  const cells = plan.works.map((): Record<string, Cell> => ({}))
  const waits: Record<string, Cell> = {}
  for (const peer of peers) {
    await withPeer(peer, async (running) => {
      printProgress(`${peer.name}: loads ${SERIES} series of a year, and ${MANY_SERIES} series`)
      for (const data of [plan.day, plan.year, plan.latest, plan.many]) {
        await loadPromql(running, data)
      }
      await running.settle()
      printProgress(`${peer.name}: queries`)
      const found: PromqlAnswer[] = []
      for (const [at, { work, calls }] of plan.works.entries()) {
        const requests = calls.map((call) => requestOf(running, call))
        found.push(await readPromql(running.port, requests[0]))
        const cell = await timeBest(running, requests, settings)
        cells[at][peer.name] = cell
        printProgress(`  ${work}: ${cell.value.toFixed(1)} ms`)
      }
      answers.set(peer.name, found)
      if (peer === weirLines) waits[peer.name] = { value: await longestWait(running, plan) }
    })
  }
  await verify(plan, answers)
  const rows = plan.works.map(
    ({ work, aim }, at): Row => ({ work, unit: 'ms', aim, cells: cells[at] }),
  )
  const heavy = `longest wait of /healthz during ${HEAVY_AT_ONCE} heavy queries`
  return [...rows, { work: heavy, unit: 'ms', aim: '≤ 50', cells: waits }]
}

function requestOf(running: RunningPeer, call: string): Buffer {
  if (running.promql === undefined) throw new Error('the service has no PromQL')
  return running.promql(call)
}

function planOf(settings: Settings): Plan {
  const lastTime = Math.floor((Date.now() - AGE_MS) / MINUTE_MS) * MINUTE_MS
  const tenByTen = Array.from(
    { length: SERIES },
    (_, at) => `host=h${Math.floor(at / 10)},s=s${at % 10}`,
  )
  const minutes = DAYS * 24 * 60
  const yearSeries = Math.min(SERIES, Math.ceil((settings.samples * 6) / minutes))
  const of = (measurement: string, tags: readonly string[]) => ({ measurement, tags, lastTime })
  const numbered = (length: number, tag: (at: number) => string) =>
    Array.from({ length }, (_, at) => tag(at))
  const day = { ...of('d', tenByTen), stepMs: 10 * SECOND_MS, samplesPerSeries: 8_640 }
  const year = {
    ...of('y', tenByTen.slice(0, yearSeries)),
    stepMs: MINUTE_MS,
    samplesPerSeries: minutes,
  }
  const one = { stepMs: MINUTE_MS, samplesPerSeries: 1 }
  const latest = {
    ...of(
      'l',
      numbered(LATEST_SERIES, (at) => `host=h${at}`),
    ),
    ...one,
  }
  const many = {
    ...of(
      'c',
      numbered(MANY_SERIES, (at) => `id=n${at},s=sensor${at % REGEX_VALUES}`),
    ),
    ...one,
  }
  return { day, year, latest, many, works: worksOf({ day, year }) }
}

function worksOf({ day, year }: Pick<Plan, 'day' | 'year'>): Work[] {
  const now = day.lastTime + OFF_MS
  const overDay = (query: string) =>
    shifted((shift) =>
      rangeCall(query, { from: now - DAY_MS - shift, until: now - shift, stepMs: MINUTE_MS }),
    )
  const overYear = (query: string, until: number) =>
    shifted((shift) => {
      const end = until - shift * (DAY_MS / SHIFT_MS)
      return rangeCall(query, { from: end - (DAYS - 1) * DAY_MS, until: end, stepMs: DAY_MS })
    })
  // Grafana begins at multiples of the step.
  const midnight = Math.floor(now / DAY_MS) * DAY_MS
  const onYear = `${year.tags.length} series, a year of minutes`
  const atOnce = (query: string) => shifted((shift) => instantCall(query, now + shift / SHIFTS))
  const par = '≥ 1x VictoriaMetrics'
  const onDay = `${SERIES} series, 10 s, a day, 60 s steps`
  const both = { isVictoriaEqual: true, isInPrometheus: false }
  return [
    {
      work: `rate(x[5m]), ${onDay}`,
      aim: par,
      calls: overDay('rate(d_v[5m])'),
      isVictoriaEqual: false,
      isInPrometheus: true,
    },
    {
      work: `avg by (host), ${onDay}`,
      aim: par,
      calls: overDay('avg by (host) (d_v)'),
      isVictoriaEqual: true,
      isInPrometheus: true,
    },
    {
      ...both,
      work: `max_over_time(x[1d]), ${onYear}`,
      aim: '≥ 5x VictoriaMetrics',
      calls: overYear('max_over_time(y_v[1d])', midnight),
      // Whether the edges of windows belong to them differs.
      isVictoriaEqual: false,
    },
    {
      ...both,
      work: `max_over_time(x[1d]), days that begin at any minute, ${onYear}`,
      aim: par,
      calls: overYear('max_over_time(y_v[1d])', now),
    },
    { ...both, work: `latest value of ${LATEST_SERIES} series`, aim: par, calls: atOnce('l_v') },
    {
      ...both,
      work: `exact label, ${MANY_SERIES} series`,
      aim: '≤ 5',
      calls: atOnce('c_v{id="n4242"}'),
    },
    {
      ...both,
      work: `regular expression, ${REGEX_VALUES} values, ${MANY_SERIES} series`,
      aim: '≤ 50',
      calls: atOnce('c_v{s=~".*or7777"}'),
    },
  ]
}

function shifted(call: (shift: number) => string): string[] {
  return Array.from({ length: SHIFTS }, (_, at) => call(at * SHIFT_MS))
}

interface StepRange {
  readonly from: number
  readonly until: number
  readonly stepMs: number
}

function rangeCall(query: string, { from, until, stepMs }: StepRange): string {
  const range = `start=${from / 1_000}&end=${until / 1_000}&step=${stepMs / 1_000}`
  return `query_range?query=${encodeURIComponent(query)}&${range}`
}

function instantCall(query: string, time: number): string {
  return `query?query=${encodeURIComponent(query)}&time=${time / 1_000}`
}

/** Every query reads all samples of the year. */
async function longestWait(running: RunningPeer, { year }: Plan): Promise<number> {
  const until = year.lastTime + OFF_MS
  const range = { from: until - (DAYS - 1) * DAY_MS, until, stepMs: 3_600 * SECOND_MS }
  const request = requestOf(running, rangeCall('sum(stddev_over_time(y_v[1h]))', range))
  const poll = await startHealthPoll(running.port)
  for (let round = 0; round < HEAVY_ROUNDS; round++) {
    const all = Array.from({ length: HEAVY_AT_ONCE }, () => readPromql(running.port, request))
    for (const answer of await Promise.all(all)) {
      if (answer.size !== 1) throw new Error(`a heavy query answered ${answer.size} series`)
    }
  }
  return await poll.stop()
}

/** Compares the answers of all services. */
async function verify(
  plan: Plan,
  answers: ReadonlyMap<string, readonly PromqlAnswer[]>,
): Promise<void> {
  const mine = answers.get(weirLines.name)
  if (mine === undefined) return
  const theirs = answers.get(victoria.name)
  for (const [at, { work, isVictoriaEqual }] of plan.works.entries()) {
    if (mine[at].size === 0) throw new Error(`${work}: no series`)
    if (theirs !== undefined && isVictoriaEqual) requireEqual(mine[at], theirs[at], work)
  }
  const missing = missingPrometheus()
  if (missing !== undefined) {
    printProgress(`answers are not compared with Prometheus: ${missing}`)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const running = await startPrometheus(folder)
    try {
      printProgress('Prometheus: answers are compared')
      await loadPrometheus(running.port, plan.day)
      for (const [at, { work, calls, isInPrometheus }] of plan.works.entries()) {
        if (!isInPrometheus) continue
        const answer = await readPromql(running.port, getRequest(`/api/v1/${calls[0]}`))
        requireEqual(mine[at], answer, `${work}, compared with Prometheus`)
      }
    } finally {
      await stop(running.process)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const SAMPLES_PER_WRITE = 60

async function loadPrometheus(port: number, data: PromqlData): Promise<void> {
  const { measurement, tags, stepMs, samplesPerSeries } = data
  const walks = walksOf(data)
  const first = firstTimeOf(data)
  for (let done = 0; done < samplesPerSeries; done += SAMPLES_PER_WRITE) {
    const count = Math.min(SAMPLES_PER_WRITE, samplesPerSeries - done)
    const series = tags.map((tag, at) => ({
      labels: { __name__: `${measurement}_v`, ...labelsOf(tag) },
      samples: Array.from({ length: count }, (_, sample): [number, number] => [
        walks[at].next() / 100,
        first + (done + sample) * stepMs,
      ]),
    }))
    await writeRemote(port, series)
  }
}

function labelsOf(tags: string): Record<string, string> {
  return Object.fromEntries(tags.split(',').map((tag) => tag.split('=')))
}
