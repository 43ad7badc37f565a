import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { fc } from '../../support/fast-check.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const HOUR = 3_600_000
const DAY = Date.parse('2024-05-01')
const service = serviceOfFile()
const client = new FeedClient(service)

before(async () => {
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const unit = await owner('PUT', '/api/unit', {
    unit: {
      id: 'eur',
      name: 'Euro',
      symbol: '€',
      symbolLocation: 'AFTER',
      numberFormat: '0,000.00',
    },
  })
  const uid = unit.body.unit.uid
  const decimal = { valueType: 'BIG_DECIMAL' }
  const stream = [
    { id: 'r', ...decimal, unit: { uid } },
    { id: 'm', ...decimal, streamType: 'intvl_stream', baseCycle: 'month' },
    { id: 'h', ...decimal, streamType: 'intvl_stream', baseCycle: 'hour' },
    { id: 'p', ...decimal },
  ]
  const answer = await owner('PUT', '/api/component', { component: { id: 'd', name: 'd', stream } })
  assert.equal(answer.status, 200)
})

async function put(streamId: string, samples: readonly (readonly [number, unknown])[]) {
  const body = samples.map(([time, data]) => ({ compId: 'd', streamId, time, data }))
  const { status, text } = await client.putJson(body)
  assert.equal(status, 200, text)
}

async function stat(streamId: string, cycle: string, statistic: string, query = '') {
  const path = `/comp/d/stream/${streamId}/cycle/${cycle}/stat/${statistic}/feed?${query}`
  const { status, text } = await client.call('GET', path)
  assert.equal(status, 200, text)
  return JSON.parse(text) as { data: unknown; fData?: string }[]
}

async function values(streamId: string, cycle: string): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const id of ['min', 'max', 'sum', 'avg', 'minoccurrence', 'maxoccurrence', 'nongapcount']) {
    found[id] = (await stat(streamId, cycle, id)).map(({ data }) => data)
  }
  return found
}

test('BIG_DECIMAL: min, max and sum keep every digit, a mean has 20 more', async () => {
  const huge = '123456789012345678901234567890.000000000000000000000000000001'
  await put('r', [
    [DAY, huge],
    [DAY + HOUR, '-0.1'],
    [DAY + 2 * HOUR, '0.3'],
    [DAY + 3 * HOUR, '-0.1'],
    [DAY + 4 * HOUR, huge],
    [DAY + 24 * HOUR, '1'],
    [DAY + 25 * HOUR, '1'],
    [DAY + 26 * HOUR, '2.0'],
  ])
  const expected = {
    min: ['1', '-0.1'],
    max: ['2', huge],
    sum: ['4', '246913578024691357802469135780.100000000000000000000000000002'],
    avg: [
      '1.33333333333333333333',
      '49382715604938271560493827156.0200000000000000000000000000004',
    ],
    minoccurrence: [DAY + 24 * HOUR, DAY + HOUR],
    maxoccurrence: [DAY + 26 * HOUR, DAY],
    nongapcount: [3, 5],
  }
  assert.deepEqual(await values('r', 'day'), expected)
  await service.restart()
  assert.deepEqual(await values('r', 'day'), expected)
  const [{ fData }] = await stat('r', 'day', 'sum', 'retFData&limit=1')
  assert.equal(fData, '4.00€')
})

test('BIG_DECIMAL: a mean of intervals of different lengths is weighted by time', async () => {
  await put('m', [
    [Date.parse('2023-02-01'), '1'],
    [Date.parse('2023-03-01'), '4'],
  ])
  const found = await values('m', 'year')
  // (31 · 1 + 28 · 4) / 59
  assert.deepEqual(found.avg, ['2.4237288135593220339'])
  assert.deepEqual([found.sum, found.max], [['5'], ['4']])
})

test('BIG_DECIMAL: a period of an interval stream without a value is null', async () => {
  await put('h', [
    [DAY + HOUR, '1.5'],
    [DAY + 49 * HOUR, '2.5'],
  ])
  const found = await values('h', 'day')
  for (const id of ['min', 'max', 'sum', 'avg'])
    assert.deepEqual(found[id], ['2.5', null, '1.5'], id)
})

test('BIG_DECIMAL statistics agree with whole numbers of cents', async () => {
  let hour = DAY
  const cents = fc.array(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(cents, async (list) => {
      hour += HOUR
      const text = (one: bigint) => {
        const digits = String(one < 0n ? -one : one).padStart(3, '0')
        return `${one < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
      }
      await put(
        'p',
        list.map((one, at) => [hour + at, text(one)]),
      )
      const asCents = async (id: string) => {
        const [{ data }] = await stat('p', 'hour', id, `sd=${hour}&ed=${hour + 1}`)
        const [whole, fraction = ''] = String(data).split('.')
        return BigInt(whole + fraction.padEnd(2, '0'))
      }
      const sum = list.reduce((total, one) => total + one, 0n)
      assert.equal(await asCents('sum'), sum)
      assert.equal(await asCents('min'), list.toSorted((a, b) => (a < b ? -1 : 1))[0])
      assert.equal(await asCents('max'), list.toSorted((a, b) => (a < b ? 1 : -1))[0])
    }),
    { numRuns: 25 },
  )
})
