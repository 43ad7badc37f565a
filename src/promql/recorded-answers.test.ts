// test/fixtures/promql-answers.jsonl has answers of the engine of Prometheus 3.14.0 to random queries.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { contextOf } from '../../test/support/promql-query.ts'
import { promqlOddSeries, promqlTestSeries } from '../../test/support/promql-random-series.ts'
import { TestSource } from '../../test/support/promql-series.ts'
import { Random } from '../../test/support/random.ts'
import { PromqlError, type QueryResult, queryInstant, queryRange } from './index.ts'

interface RecordedAnswer {
  readonly query: string
  readonly start: number
  readonly end: number
  readonly stepMs: number
  readonly fails?: boolean
  readonly scalar?: string
  /** Labels joined by bars, and points as `milliseconds after start:value`. */
  readonly series?: ReadonlyArray<readonly [string, string]>
}

/** The seed of the series when the answers were recorded. */
const SERIES_SEED = 39
const TOLERANCE = 1e-12

const answers = readFileSync('test/fixtures/promql-answers.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedAnswer)

function numberOf(text: string): number {
  return Number(text.replace('Inf', 'Infinity'))
}

function requireClose(found: number, wanted: number, about: string): void {
  const distance = Math.abs(found - wanted)
  const isClose = distance <= TOLERANCE * Math.max(Math.abs(found), Math.abs(wanted))
  assert.ok(isClose || Object.is(found, wanted), `${about}: ${found} instead of ${wanted}`)
}

function compare({ value }: QueryResult, answer: RecordedAnswer): void {
  const { query, start, series = [] } = answer
  if (value.type === 'scalar') {
    requireClose(value.value, numberOf(answer.scalar ?? ''), query)
    return
  }
  assert.ok(value.type === 'vector' || value.type === 'matrix', query)
  const rows =
    value.type === 'matrix'
      ? value.series
      : value.samples.map((one) => ({ ...one, times: [value.time], values: [one.value] }))
  const found = new Map(rows.map((row) => [row.labels.join('|'), row]))
  assert.equal(found.size, series.length, `${query}: ${[...found.keys()]}`)
  for (const [labels, points] of series) {
    const row = found.get(labels)
    assert.ok(row !== undefined, `${query}: ${labels}`)
    const wanted = points.split(' ').map((point) => point.split(':'))
    assert.deepEqual(
      [...row.times],
      wanted.map(([after]) => start + Number(after)),
      query,
    )
    for (const [at, [, number]] of wanted.entries()) {
      requireClose(row.values[at], numberOf(number), `${query} ${labels}`)
    }
  }
}

test('queryInstant() and queryRange() answer as Prometheus did', async () => {
  const random = new Random(SERIES_SEED)
  const series = [...promqlTestSeries(random), ...promqlOddSeries(random)]
  const context = contextOf(new TestSource(series))
  for (const answer of answers) {
    const { query: text, start, end, stepMs } = answer
    const asked =
      stepMs === 0
        ? queryInstant({ text, time: start }, context)
        : queryRange({ text, start, end, stepMs }, context)
    if (answer.fails === true) await assert.rejects(asked, PromqlError, text)
    else compare(await asked, answer)
  }
})
