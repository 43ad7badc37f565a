/** Queries of PromQL over HTTP, and the forms of their answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { promClient } from '../../support/promql-client.ts'
import { startService } from '../../support/service.ts'

const NOW = 1_700_000_000_000

async function withService(
  check: (parts: {
    readonly service: Awaited<ReturnType<typeof startService>>
    readonly client: ReturnType<typeof promClient>
  }) => Promise<void>,
): Promise<void> {
  const service = await startService({ clock: new ManualClock(NOW) })
  try {
    await check({ service, client: promClient(service) })
  } finally {
    await service.close()
  }
}

test('query answers scalars, strings, vectors, and matrices as Prometheus writes them', () =>
  withService(async ({ client }) => {
    await client.write(
      {
        labels: { __name__: 'up', job: 'a' },
        samples: [
          [1, NOW - 60_500],
          [0.5, NOW - 500],
        ],
      },
      { labels: { __name__: 'up', job: 'b' }, samples: [[Number.NaN, NOW - 1_000]] },
      {
        labels: { __name__: 'big' },
        samples: [
          [1e21, NOW - 1],
          [-1e-7, NOW],
        ],
      },
    )
    const text = async (query: string, more = {}) =>
      (await client.get('/api/v1/query', { query, ...more })).text
    assert.equal(
      await text('1+1'),
      '{"status":"success","data":{"resultType":"scalar","result":[1700000000,"2"]}}',
    )
    assert.equal(
      await text('"a\\"b"', { time: '1700000000.5' }),
      '{"status":"success","data":{"resultType":"string","result":[1700000000.500,"a\\"b"]}}',
    )
    assert.equal(
      await text('up'),
      '{"status":"success","data":{"resultType":"vector","result":[' +
        '{"metric":{"__name__":"up","job":"a"},"value":[1700000000,"0.5"]},' +
        '{"metric":{"__name__":"up","job":"b"},"value":[1700000000,"NaN"]}]}}',
    )
    assert.equal(
      await text('big[1m]'),
      '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"big"},' +
        '"values":[[1699999999.999,"1e+21"],[1700000000,"-1e-07"]]}]}}',
    )
    assert.equal(
      await text('1e-7 / 1'),
      '{"status":"success","data":{"resultType":"scalar","result":[1700000000,"1e-07"]}}',
    )
  }))

test('a body that is no form is refused with the type that is taken', () =>
  withService(async ({ service }) => {
    const answer = await fetch(`${service.url}/api/v1/query`, {
      method: 'POST',
      headers: { 'X-Api-Key': service.feedKey, 'Content-Type': 'application/json' },
      body: '{"query":"up"}',
    })
    assert.equal(answer.status, 415)
    const error = 'Send the body as application/x-www-form-urlencoded'
    assert.deepEqual(await answer.json(), { status: 'error', errorType: 'bad_data', error })
  }))

test('query_range answers the steps of a range', () =>
  withService(async ({ client }) => {
    const samples = [0, 1, 2, 3].map((at) => [at, NOW + at * 60_000] as const)
    await client.write({ labels: { __name__: 'm', job: 'a' }, samples })
    const range = { start: NOW / 1000, end: NOW / 1000 + 180, step: '1m' }
    const data = await client.data('/api/v1/query_range', { query: 'm', ...range })
    assert.deepEqual(data.result, [
      {
        metric: { __name__: 'm', job: 'a' },
        values: samples.map(([value, time]) => [time / 1000, String(value)]),
      },
    ])
    const summed = await client.data('/prom/api/v1/query_range', { query: 'sum(m)', ...range })
    assert.equal(summed.result[0].values.length, 4)
    const posted = await client.post('/api/v1/query_range', { query: 'm', ...range })
    assert.deepEqual(posted.body.data, data)
  }))

test('query_range shows the latest sample at each step of a series with tens of thousands', () =>
  withService(async ({ client }) => {
    const count = 20_000
    const first = NOW - count * 1_000
    const stale = { at: 9_000, bits: 0x7ff0000000000002n }
    const samples = Array.from({ length: count }, (_, at) => {
      return [at === stale.at ? stale.bits : at, first + at * 1_000] as const
    })
    await client.write({ labels: { __name__: 'm' }, samples })
    for (const step of [2.5, 60, 450]) {
      const start = first / 1000 + 900
      const range = { start, end: NOW / 1000 - 1, step, query: 'm' }
      const { result } = await client.data('/api/v1/query_range', range)
      const length = Math.floor((range.end - start) / step) + 1
      const steps = Array.from({ length }, (_, at) => start + at * step)
      const wanted = steps.flatMap((time) => {
        const at = Math.floor(time - first / 1000)
        return at === stale.at ? [] : [[time, `${at}`]]
      })
      assert.deepEqual(result[0].values, wanted, `step ${step}`)
    }
  }))

test('start of the label browser leaves out series without a sample since that time', () =>
  withService(async ({ client }) => {
    const hour = 3_600_000
    await client.write(
      { labels: { __name__: 'up', job: 'old', pod: 'a' }, samples: [[1, NOW - 2 * hour]] },
      { labels: { __name__: 'up', job: 'live', pod: 'b' }, samples: [[1, NOW - hour]] },
      {
        labels: { __name__: 'ratio', job: 'live', node: 'c' },
        samples: [
          [0.5, NOW - 3 * hour],
          [Number.NaN, NOW - hour],
        ],
      },
    )
    const since = { start: (NOW - hour) / 1000, end: NOW / 1000 }
    const after = { ...since, start: since.start + 0.001 }
    const data = (path: string, more = {}) => client.data(`/api/v1/${path}`, more)
    assert.deepEqual(await data('label/job/values'), ['live', 'old'])
    assert.deepEqual(await data('label/job/values', since), ['live'])
    assert.deepEqual(await data('label/job/values', after), [])
    assert.deepEqual(await data('labels', { ...since, 'match[]': 'up' }), [
      '__name__',
      'job',
      'pod',
    ])
    assert.deepEqual(await data('labels', { ...since, 'match[]': '{job="old"}' }), [])
    const all = { 'match[]': ['up', 'ratio'] }
    assert.equal((await data('series', all)).length, 3)
    assert.deepEqual(await data('series', { ...all, ...since }), [
      { __name__: 'ratio', job: 'live', node: 'c' },
      { __name__: 'up', job: 'live', pod: 'b' },
    ])
    // A start before all times, as Grafana's Prometheus client can send it.
    assert.equal((await data('series', { ...all, start: '-292273086-05-16T16:47:06Z' })).length, 3)
  }))
