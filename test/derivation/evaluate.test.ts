import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EARLIEST_TIME, epochMs, TIME_END } from '../../src/base/index.ts'
import type { ValueType } from '../../src/catalog/shape/index.ts'
import type { DerivationPlan, PlanVariable } from '../../src/derivation/derivation-plan.ts'
import { type DerivedBlock, deriveSpan } from '../../src/derivation/evaluate/derive-span.ts'
import { checkExpression, type ExpressionType } from '../../src/expression/index.ts'
import { BUILT_IN_CYCLES, type Cycle, compileCycle, loadZone } from '../../src/time/index.ts'
import { PlainSampleStore } from '../support/plain-sample-store.ts'
import { batch, stream } from '../support/samples.ts'

const begin = Date.parse('2024-05-01T00:00Z')
const HOUR = 3_600_000

function builtIn(id: string): Cycle {
  const definition = BUILT_IN_CYCLES.get(id)
  assert.ok(definition !== undefined)
  return compileCycle(definition, loadZone('UTC'))
}

interface Given {
  readonly expression: string
  readonly valueType?: ValueType
  readonly every?: string
  readonly trigger?: 'ALL' | 'ANY'
  readonly variables: Readonly<
    Record<
      string,
      {
        readonly handle: number
        readonly type?: ExpressionType
        readonly valueType?: ValueType
        readonly every?: string
        readonly offset?: number
        readonly rollup?: PlanVariable['rollup']
        readonly window?: PlanVariable['window']
      }
    >
  >
}

function planOf({ expression, valueType = 'DOUBLE', every, trigger = 'ALL', variables }: Given) {
  const list = Object.entries(variables).map(([name, given]): PlanVariable => {
    const cycle = given.every === undefined ? undefined : builtIn(given.every)
    const kind = cycle === undefined ? 'random' : 'interval'
    return {
      name,
      handle: stream(given.handle),
      offset: given.offset ?? 0,
      type: given.type ?? 'DOUBLE',
      source: { kind, cycle, valueType: given.valueType ?? 'DOUBLE' },
      rollup: given.rollup,
      window: given.window,
    }
  })
  const plan: DerivationPlan = {
    handle: stream(99),
    uid: 'd',
    componentUid: 'c',
    orgUid: 'o',
    followsCorrections: false,
    result: every === undefined ? { kind: 'random' } : { kind: 'interval', cycle: builtIn(every) },
    expression: checkExpression(expression, { variables: list }),
    valueType,
    trigger,
    variables: list,
    leftAlone: new Map(),
  }
  return plan
}

type Rows = Parameters<typeof batch>[0]

async function derive(rows: Rows, given: Given) {
  const store = new PlainSampleStore()
  await store.append(batch(rows))
  const results: (readonly [number, number | string])[] = []
  const failures: DerivedBlock['failures'][] = []
  let blocks = 0
  for (let from = EARLIEST_TIME; from < TIME_END; blocks += 1) {
    const block = await deriveSpan({ store }, planOf(given), { from, until: TIME_END })
    const { count, times, numbers, texts } = block.samples
    for (let at = 0; at < count; at++) results.push([times[at], texts?.[at] ?? numbers[at]])
    if (block.failures.last !== undefined) failures.push(block.failures)
    from = block.until
  }
  return { results, failures, blocks }
}

test('a formula that fails gives no sample, and its values are reported', async () => {
  const { results, failures } = await derive(
    [
      [1, begin, 4] as const,
      [1, begin + 1, -4] as const,
      [1, begin + 2, 9] as const,
      [2, begin, 1] as const,
      [2, begin + 1, 2] as const,
      [2, begin + 2, 3] as const,
    ],
    { expression: 'sqrt(a) + b', variables: { a: { handle: 1 }, b: { handle: 2 } } },
  )
  assert.deepEqual(results, [
    [begin, 3],
    [begin + 2, 6],
  ])
  assert.equal(failures.length, 1)
  assert.equal(failures[0].count, 1)
  assert.equal(failures[0].last?.time, begin + 1)
  assert.deepEqual(failures[0].last?.values, { a: -4, b: 2 })
})

test('a result that the type cannot hold fails, division by zero gives nothing', async () => {
  const { results, failures } = await derive(
    [3, 4, 0].map((value, at) => [1, begin + at, value] as const),
    { expression: '6 / a', valueType: 'LONG', variables: { a: { handle: 1 } } },
  )
  assert.deepEqual(results, [[begin, 2]])
  assert.deepEqual([failures[0].count, failures[0].last?.values], [1, { a: 4 }])
  assert.match(failures[0].last?.message ?? '', /must be an integer from/)
})

test('texts, conditions and decimals go in and out', async () => {
  const f = async (
    expression: string,
    [value, valueType, type]: [number | string, ValueType, ExpressionType],
    [kept, keptType]: [number | string, ValueType],
  ) => {
    const variables = { a: { handle: 1, type, valueType } }
    const given = { expression, valueType: keptType, variables }
    const { results } = await derive([[1, begin, value]], given)
    assert.deepEqual(results, [[begin, kept]], expression)
  }
  await f("upper(a) + '!'", ['on', 'STRING', 'STRING'], ['ON!', 'STRING'])
  await f("a = 'on'", ['on', 'STRING', 'STRING'], [1, 'BOOLEAN'])
  await f('if(a, 10, 20)', [1, 'BOOLEAN', 'BOOLEAN'], [10, 'DOUBLE'])
  await f(
    'a',
    ['0.12345678901234567890123', 'BIG_DECIMAL', 'BIGDECIMAL'],
    [...(['0.12345678901234567890123', 'BIG_DECIMAL'] as const)],
  )
  await f('len(a)', ['héllo', 'STRING', 'STRING'], [5, 'LONG'])
  await f('a + 1', [41, '', 'UNKNOWN'], [42, ''])
})

test('a gap of an interval stream is a sample without a value', async () => {
  const rows = [1, 3].map((hour) => [1, begin + hour * HOUR, hour] as const)
  const variables = { a: { handle: 1, every: 'hour' } }
  const expected = [1, 2, 3].map((hour) => [begin + hour * HOUR, hour === 2 ? -1 : hour])
  const expression = 'ifNull(a, -1)'
  assert.deepEqual((await derive(rows, { expression, variables })).results, expected)
  assert.deepEqual((await derive(rows, { expression, variables, every: 'hour' })).results, expected)
  const plain = await derive(rows, { expression: 'a', variables, every: 'hour' })
  assert.deepEqual(plain.results, [expected[0], expected[2]])
})

test('years without a sample of a one-second grid are jumped over', async () => {
  const year = 365 * 24 * HOUR
  const rows = [0, 1, 2, 3].map((at) => [1, begin + at * year, at] as const)
  const variables = { a: { handle: 1, rollup: 'avg' as const } }
  const { results, blocks } = await derive(rows, { expression: 'a', variables, every: 'second' })
  assert.deepEqual(
    results,
    [0, 1, 2].map((at) => [begin + at * year + 1_000, at]),
  )
  assert.ok(blocks < 10, `${blocks}`)
})

test('years of gaps of one-second intervals are jumped over where a formula gives nothing of them', async () => {
  const year = 365 * 24 * HOUR
  const rows = [0, 1, 2].flatMap((at) => {
    const time = begin + at * year
    return [[1, time, at] as const, [2, time + 1_000, at * 10] as const]
  })
  const a = { handle: 1, every: 'second' }
  const b = { handle: 2, every: 'second' }
  const check = async (given: Given, expected: readonly (readonly [number, number])[]) => {
    const { results, blocks } = await derive(rows, given)
    const context = `${given.expression} ${given.trigger} ${given.every}`
    assert.deepEqual(
      results.map(([time, value]) => [time - begin, value]),
      expected,
      context,
    )
    assert.ok(blocks < 20, `${context}: ${blocks} blocks`)
  }
  const ofA = [0, 1, 2].map((at) => [at * year, at] as const)
  const either = [0, 1, 2].flatMap((at) => [
    [at * year, at] as const,
    [at * year + 1_000, at * 10] as const,
  ])
  const late = ofA.slice(0, 2).map(([time, value]) => [time + 1_000, value] as const)
  for (const every of [undefined, 'second']) {
    for (const trigger of ['ALL', 'ANY'] as const) {
      await check({ expression: 'a', trigger, every, variables: { a } }, ofA)
      await check({ expression: 'a', trigger, every, variables: { a: { ...a, offset: -1 } } }, late)
    }
    // The first of b is later than the first of a, the last of a earlier than the last of b.
    const variables = { a, b }
    await check({ expression: 'ifNull(a, b)', every, variables }, either.slice(1, -1))
    await check({ expression: 'ifNull(a, b)', trigger: 'ANY', every, variables }, [
      ...either.slice(1, -1),
      [2 * year + 1_000, 2],
    ])
  }
  const rolled = { a: { ...a, rollup: 'sum' as const } }
  const { results } = await derive(rows, { expression: 'a', every: 'minute', variables: rolled })
  assert.deepEqual(
    results,
    [0, 1, 2].map((at) => [begin + at * year, at]),
  )
})

test('a formula that makes a value of gaps has it for each of them, in blocks', async () => {
  const rows = [0, 100_000].map((at) => [1, begin + at * 1_000, 7] as const)
  const variables = { a: { handle: 1, every: 'second' } }
  for (const every of [undefined, 'second']) {
    const { results, blocks } = await derive(rows, {
      expression: 'ifNull(a, 0)',
      every,
      variables,
    })
    assert.equal(results.length, 100_001)
    assert.deepEqual([results[0][1], results[1][1], results[100_000][1]], [7, 0, 7])
    assert.ok(blocks >= 5 && blocks < 20, `${blocks}`)
  }
})

test('long texts are read in smaller blocks', async () => {
  const rows = Array.from({ length: 60 }, (_, at) => {
    return [1, begin + at, String(at).padEnd(1_000_000, 'x')] as const
  })
  const variables = { a: { handle: 1, type: 'STRING', valueType: 'STRING' } } as const
  const { results, blocks } = await derive(rows, {
    expression: 'left(a, 2)',
    valueType: 'STRING',
    variables,
  })
  assert.equal(results.length, 60)
  assert.deepEqual(results[59], [begin + 59, '59'])
  assert.ok(blocks > 1)
})

test('a span that begins before and ends after the time of samples is fine', async () => {
  const store = new PlainSampleStore()
  await store.append(batch([[1, begin, 1]]))
  for (const every of [undefined, 'hour', 'month']) {
    const plan = planOf({ expression: 'a', every, variables: { a: { handle: 1 } } })
    const span = { from: EARLIEST_TIME, until: TIME_END }
    const block = await deriveSpan({ store }, plan, span)
    assert.deepEqual([block.until, block.samples.count], [TIME_END, every === undefined ? 1 : 0])
    const none = await deriveSpan({ store }, plan, { from: epochMs(begin + 1), until: TIME_END })
    assert.deepEqual([none.until, none.samples.count], [TIME_END, 0])
  }
})

test('statistics of decimals are exact, so far too', async () => {
  const rows = Array.from({ length: 40 }, (_, at) => [1, begin + at * HOUR, '0.1'] as const)
  const window = { cycle: builtIn('day'), stat: 'sum' } as const
  const decimal = { handle: 1, type: 'BIGDECIMAL', valueType: 'BIG_DECIMAL' } as const
  const { results } = await derive(rows, {
    expression: 'a',
    valueType: 'BIG_DECIMAL',
    variables: { a: { ...decimal, window } },
  })
  assert.deepEqual(
    results.map(([, value]) => value),
    rows.map((_, at) => String(((at % 24) + 1) / 10)),
  )
})

test('a time that no period of a list holds has no result', async () => {
  const shifts = compileCycle(
    {
      sizeType: 'CUSTOM',
      count: 1,
      referenceDate: '',
      timeZone: '',
      intervals: [
        { from: '2024-05-01T02:00', until: '2024-05-01T04:00' },
        { from: '2024-05-01T06:00', until: '2024-05-01T08:00' },
      ],
    },
    loadZone('UTC'),
  )
  const rows = Array.from({ length: 10 }, (_, at) => [1, begin + at * HOUR, at] as const)
  const hours = async (offset: number) => {
    const variables = { a: { handle: 1, offset, window: { cycle: shifts, stat: 'sum' } as const } }
    const { results } = await derive(rows, { expression: 'a', variables })
    return results.map(([time, value]) => [(time - begin) / HOUR, value])
  }
  assert.deepEqual(await hours(0), [
    [2, 2],
    [3, 5],

    [6, 6],
    [7, 13],
  ])
  assert.deepEqual(await hours(-1), [
    [6, 5],
    [7, 5],
  ])
})
