import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EARLIEST_TIME, epochMs, TIME_END } from '../../src/base/index.ts'
import type { DerivationPlan, PlanVariable } from '../../src/derivation/derivation-plan.ts'
import { deriveSpan } from '../../src/derivation/evaluate/derive-span.ts'
import { checkExpression } from '../../src/expression/index.ts'
import { STATISTIC_IDS } from '../../src/feed/statistic/index.ts'
import { type Cycle, type CycleDefinition, compileCycle, loadZone } from '../../src/time/index.ts'
import { type ModelStream, modelResults } from '../support/derivation-model.ts'
import { PlainSampleStore } from '../support/plain-sample-store.ts'
import { Random, roundsOf, testSeeds } from '../support/random.ts'
import { batch, stream } from '../support/samples.ts'

const HOUR = 3_600_000
const zone = 'Europe/Berlin'

function definitionOf(sizeType: CycleDefinition['sizeType'], count: number): CycleDefinition {
  return { sizeType, count, referenceDate: '2024-01-01', timeZone: '' }
}

/** From the shortest: each is nested in those that follow. */
const definitions = [
  definitionOf('MINUTE', 30),
  definitionOf('HOUR', 1),
  definitionOf('DAY', 1),
  definitionOf('MONTH', 1),
]
const cycles = definitions.map((definition) => compileCycle(definition, loadZone(zone)))

/** Around clocks that change, and a month that ends. */
const begins = ['2024-03-30T20:00Z', '2024-10-26T18:00Z', '2024-05-31T16:00Z'].map(Date.parse)

interface World {
  readonly streams: Map<number, ModelStream>
  readonly plan: DerivationPlan
}

function randomStream(random: Random, begin: number, baseMax: number): [ModelStream, Cycle?] {
  const at = random.next() < 0.5 ? -1 : random.integer(0, baseMax + 1)
  const cycle = at < 0 ? undefined : cycles[at]
  const samples = new Map<number, number | string>()
  const isDense = random.next() < 0.5
  for (let step = 0; step < 30; step++) {
    const time = begin + (isDense ? step : random.integer(0, 90)) * (HOUR / 2)
    if (random.next() < 0.2) continue
    const place = cycle?.periodOf(time - 1)?.until ?? time
    samples.set(place, random.pick([0, 1, -2.5, 0.1, 1e15, 7, random.next() * 100]))
  }
  const base = at < 0 ? undefined : { definition: definitions[at], zone }
  return [{ samples, base }, cycle]
}

const formulas = [
  'a',
  'a + b',
  'ifNull(a, -1) * 2 + ifNull(b, 0.5)',
  'if(isNull(a), 1, b)',
  'sqrt(a) + b',

  'ifNull(a, b)',
  'a / b',
  "'x' + a + b",
  'a > b',
  'ifNull(a, 0) - ifNull(b, 0) + ifNull(c, 0)',
]

function randomWorld(random: Random): World {
  const begin = random.pick(begins)
  const resultAt = random.integer(-1, 3)
  const result: DerivationPlan['result'] =
    resultAt < 0 ? { kind: 'random' } : { kind: 'interval', cycle: cycles[resultAt] }
  const streams = new Map<number, ModelStream>()
  const sources = [1, 2, 3].map((handle) => {
    const [made, cycle] = randomStream(random, begin, resultAt < 0 ? 2 : resultAt)
    streams.set(handle, made)
    return { handle, cycle }
  })
  const variables = ['a', 'b', 'c'].map((name): PlanVariable => {
    const { handle, cycle } = random.pick(sources)
    const isWindow = random.next() < 0.3
    const isSame = result.kind === 'interval' && cycle === result.cycle
    return {
      name,
      handle: stream(handle),
      type: 'DOUBLE',
      offset: random.pick([0, 0, 0, -1, -2, -5]),
      source: { kind: cycle === undefined ? 'random' : 'interval', valueType: 'DOUBLE', cycle },
      rollup: isSame ? undefined : random.pick(['avg', 'sum', 'last', 'min', 'nongapcount']),
      window: isWindow
        ? { cycle: random.pick(cycles.slice(2)), stat: random.pick(STATISTIC_IDS) }
        : undefined,
    }
  })
  const expression = checkExpression(random.pick(formulas), {
    variables: variables.map(({ name }) => ({ name, type: 'DOUBLE' })),
  })
  const plan: DerivationPlan = {
    handle: stream(9),
    uid: 'd',
    componentUid: 'c',
    orgUid: 'o',
    result,
    expression,
    valueType:
      expression.type === 'STRING'
        ? 'STRING'
        : expression.type === 'BOOLEAN'
          ? 'BOOLEAN'
          : 'DOUBLE',
    variables,
    trigger: random.pick(['ALL', 'ANY']),
    followsCorrections: false,
    leftAlone: new Map(),
  }
  return { streams, plan }
}

async function storeOf(streams: World['streams']): Promise<PlainSampleStore> {
  const store = new PlainSampleStore()
  const rows = [...streams].flatMap(([handle, { samples }]) =>
    [...samples].map(([time, value]) => [handle, time, value] as const),
  )
  await store.append(batch(rows))
  return store
}

async function derive(
  deps: Parameters<typeof deriveSpan>[0],
  plan: DerivationPlan,
  span: { from: number; until: number },
) {
  const results: [number, number | string][] = []
  let failed = 0
  for (let from = epochMs(span.from); from < span.until; ) {
    const block = await deriveSpan(deps, plan, { from, until: epochMs(span.until) })
    const { count, times, numbers, texts } = block.samples
    for (let at = 0; at < count; at++) results.push([times[at], texts?.[at] ?? numbers[at]])
    failed += block.failures.count
    assert.equal(block.failures.last === undefined, block.failures.count === 0)
    assert.ok(block.until > from, 'a block goes on')
    from = block.until
  }
  return { results, failed }
}

test('deriveSpan() gives what the model gives, in any blocks and spans', async () => {
  for (const seed of testSeeds(roundsOf(150))) {
    const random = new Random(seed)
    const { plan, streams } = randomWorld(random)
    const context = `WEIR_TEST_SEED=${seed} ${plan.expression.text}`
    const model = modelResults(plan, streams)
    const store = await storeOf(streams)
    const whole = { from: EARLIEST_TIME, until: TIME_END }
    const results = [...model.results]
    assert.deepEqual(
      await derive({ store }, plan, whole),
      { results, failed: model.failed.length },
      context,
    )
    const blockRows = random.integer(1, 8)
    assert.deepEqual(
      await derive({ store, blockRows }, plan, whole),
      { results, failed: model.failed.length },
      context,
    )
    const from = random.pick(begins) + random.integer(0, 90) * (HOUR / 2)
    const span = { from, until: from + random.integer(1, 60) * (HOUR / 2) }
    const isIn = (time: number) => time >= span.from && time < span.until
    assert.deepEqual(
      await derive({ store, blockRows }, plan, span),
      {
        results: results.filter(([time]) => isIn(time)),
        failed: model.failed.filter(isIn).length,
      },
      context,
    )
  }
})
