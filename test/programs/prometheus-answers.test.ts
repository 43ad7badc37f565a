/**
 * The same series in Prometheus and in Weir, by remote write, and the same random queries to both: labels, times, and
 * values must agree. `WEIR_TEST_QUERIES=20000` asks more, and `WEIR_TEST_SEED` repeats a run.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promClient } from '../support/promql-client.ts'
import { promqlOddSeries, promqlTestSeries } from '../support/promql-random-series.ts'
import { isStaleAt, type TestSeries } from '../support/promql-series.ts'
import { Random } from '../support/random.ts'
import { RandomPromql, type RandomQuery } from '../support/random-promql.ts'
import {
  packSnappy,
  REMOTE_WRITE_TYPES,
  type WrittenSeries,
  writeRequest1,
} from '../support/remote-write.ts'
import { startService } from '../support/service.ts'
import { obtainPrometheus3 } from './metric-programs.ts'
import { startPrometheus } from './prometheus-process.ts'

const QUERIES = Number(process.env.WEIR_TEST_QUERIES ?? 3_000)
const ASKED_AT_ONCE = 4

/** Most relative difference: the order of additions changes the last digits. */
const TOLERANCE = 1e-12

const STALE_BITS = 0x7ff0000000000002n

type Point = readonly [time: number, value: string]

interface Element {
  readonly metric: Readonly<Record<string, string>>
  readonly value?: Point
  readonly values?: readonly Point[]
}

interface QueryAnswer {
  readonly status: number
  readonly body: {
    readonly status: string
    readonly error?: string
    readonly data?: {
      readonly resultType: string
      readonly result: readonly Element[] | Point
    }
    readonly warnings?: readonly string[]
    readonly infos?: readonly string[]
  }
}

/** Samples of any time are accepted. */
const CONFIG = 'storage:\n  tsdb:\n    out_of_order_time_window: 10000d\n'
const FLAGS = [
  '--web.enable-remote-write-receiver',
  '--storage.tsdb.retention.time=100y',
  '--enable-feature=promql-experimental-functions',
]

const { path, skip } = await obtainPrometheus3()
test('Weir answers random queries as Prometheus does', { skip }, async (t) => {
  const random = new Random(Number(process.env.WEIR_TEST_SEED ?? Date.now() % 2 ** 31))
  const prometheus = await startPrometheus(t, path, CONFIG, FLAGS)
  const service = await startService()
  t.after(() => service.close())
  const client = promClient(service)
  const written = [...promqlTestSeries(random), ...promqlOddSeries(random)].map(writtenSeries)
  for (const one of written) {
    await writeTo(prometheus.url, one)
    await client.write(one)
  }
  const queries = new RandomPromql(random)
  const counts = { failed: 0, empty: 0 }
  const ask = async (query: RandomQuery) => {
    const [mine, theirs] = await Promise.all([
      askQuery(`${service.url}/prom`, query, { Authorization: `Bearer ${service.feedKey}` }),
      askQuery(prometheus.url, query),
    ])
    const about = `seed ${random.seed}: ${JSON.stringify(query)}`
    compare(mine, theirs, about)
    if (theirs.status !== 200) counts.failed += 1
    else if (elementsOf(theirs).length === 0) counts.empty += 1
  }
  for (let asked = 0; asked < QUERIES; asked += ASKED_AT_ONCE) {
    await Promise.all(Array.from({ length: ASKED_AT_ONCE }, () => ask(queries.next())))
  }
  t.diagnostic(`seed ${random.seed}: ${QUERIES} queries, ${JSON.stringify(counts)}`)
  assert.ok(counts.failed + counts.empty < QUERIES / 2, 'most queries have an answer')
})

function writtenSeries({ labels, times, values }: TestSeries): WrittenSeries {
  const samples = times.map((time, at): [number | bigint, number] => [
    isStaleAt(values, at) ? STALE_BITS : values[at],
    time,
  ])
  return { labels: Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)), samples }
}

async function writeTo(url: string, series: WrittenSeries): Promise<void> {
  const answer = await fetch(`${url}/api/v1/write`, {
    method: 'POST',
    headers: { 'Content-Type': REMOTE_WRITE_TYPES[1], 'Content-Encoding': 'snappy' },
    body: packSnappy(writeRequest1([series])),
  })
  assert.ok(answer.ok, `${answer.status} ${await answer.text()}`)
}

async function askQuery(
  url: string,
  { text, start, end, stepMs }: RandomQuery,
  headers: Readonly<Record<string, string>> = {},
): Promise<QueryAnswer> {
  const isOne = stepMs === 0
  const times: Record<string, string> = isOne
    ? { time: `${start / 1_000}` }
    : { start: `${start / 1_000}`, end: `${end / 1_000}`, step: `${stepMs / 1_000}` }
  const path = isOne ? 'query' : 'query_range'
  const body = new URLSearchParams({ query: text, ...times })
  const answer = await fetch(`${url}/api/v1/${path}`, { method: 'POST', headers, body })
  return { status: answer.status, body: (await answer.json()) as QueryAnswer['body'] }
}

function elementsOf({ body }: QueryAnswer): readonly Element[] {
  const { resultType, result } = body.data ?? assert.fail(JSON.stringify(body))
  if (resultType === 'scalar' || resultType === 'string') {
    return [{ metric: {}, value: result as Point }]
  }
  return result as readonly Element[]
}

function compare(mine: QueryAnswer, theirs: QueryAnswer, about: string): void {
  assert.equal(mine.status, theirs.status, `${about}: ${mine.body.error}, ${theirs.body.error}`)
  if (theirs.status !== 200) return
  assert.equal(mine.body.data?.resultType, theirs.body.data?.resultType, about)
  const found = new Map(elementsOf(mine).map((one) => [keyOf(one), one]))
  const wanted = elementsOf(theirs)
  const [keys, wantedKeys] = [[...found.keys()], wanted.map(keyOf)]
  // Only the series of a range have an order.
  if (theirs.body.data?.resultType === 'matrix') assert.deepEqual(keys, wantedKeys, about)
  else assert.deepEqual(keys.sort(), wantedKeys.sort(), about)
  assert.deepEqual(annotationsOf(mine), annotationsOf(theirs), about)
  for (const one of wanted) {
    const key = keyOf(one)
    comparePoints(pointsOf(found.get(key)), pointsOf(one), `${about} ${key}`)
  }
}

/**
 * Annotations, without what Prometheus counts wrongly, places, rounded numbers, and those of ranges of one step. Of
 * more than ten, Prometheus shows any ten.
 */
function annotationsOf({ body: { warnings = [], infos = [] } }: QueryAnswer): string[] {
  return [warnings, infos]
    .filter((texts) => texts.length <= 10)
    .flat()
    .map((text) => text.replace(/, with a max diff of .*|, got .*| \(\d+:\d+\)$/, ''))
    .filter((text) => !text.includes('sort is ineffective'))
    .sort()
}

function keyOf({ metric }: Element): string {
  return JSON.stringify(Object.entries(metric).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function pointsOf(element: Element | undefined): readonly Point[] {
  return element?.values ?? (element?.value === undefined ? [] : [element.value])
}

function comparePoints(found: readonly Point[], wanted: readonly Point[], about: string): void {
  assert.deepEqual(
    found.map(([time]) => time),
    wanted.map(([time]) => time),
    about,
  )
  for (const [at, [time, text]] of wanted.entries()) {
    if (found[at][1] === text) continue
    const [mine, theirs] = [numberOf(found[at][1]), numberOf(text)]
    const isClose =
      Math.abs(mine - theirs) <= TOLERANCE * Math.max(Math.abs(mine), Math.abs(theirs))
    assert.ok(isClose || Object.is(mine, theirs), `${about} at ${time}: ${mine}, not ${theirs}`)
  }
}

function numberOf(text: string): number {
  return Number(text.replace('Inf', 'Infinity'))
}
