/** Calendar statistics in PromQL, compared with the statistics of the API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import { promClient } from '../../support/promql-client.ts'
import { Random } from '../../support/random.ts'
import { startService } from '../../support/service.ts'

/** Four days around a change to daylight saving time. */
const FIRST = Date.UTC(2025, 2, 28, 5)
const SEED = 39
const NOW = FIRST + 4 * 86_400_000

test('__cycle__ and __stat__ read the statistic of the period that contains each step', async () => {
  const service = await startService({ clock: new ManualClock(NOW) })
  try {
    const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
    const client = promClient(service)
    const stream = [
      { id: 'r', valueType: 'DOUBLE' },
      { id: 'd', valueType: 'BIG_DECIMAL' },
      { id: 'h', valueType: 'DOUBLE', streamType: 'intvl_stream', baseCycle: { id: 'hour' } },
    ]
    const component = { id: 'a', timeZoneId: 'Europe/Berlin', stream }
    const made = await owner('PUT', '/api/component', { component })
    assert.equal(made.status, 200, made.text)
    const random = new Random(SEED)
    const samples: object[] = []
    for (let time = FIRST; time < NOW; time += 3_600_000) {
      if (random.integer(0, 4) === 0) continue
      for (const streamId of ['r', 'd', 'h']) {
        samples.push({ compId: 'a', streamId, data: random.integer(0, 1000) / 8, time })
      }
    }
    assert.equal((await owner('PUT', '/api/feed', samples)).status, 200)
    const check = async () => {
      for (const [cycle, stat] of [
        ['day', 'max'],
        ['day', 'avg'],
        ['day', 'nongapcount'],
        ['day', 'gapcount'],
        ['hour', 'sum'],
        ['month', 'first'],
      ]) {
        for (const { id } of stream) {
          const path = `/api/comp/a/stream/${id}/cycle/${cycle}/stat/${stat}`
          const { body } = await owner('GET', `${path}/feed?retIntvlSd&limit=1000`)
          const query = `${id}{__cycle__="${cycle}",__stat__="${stat}"}`
          const range = { start: FIRST / 1000 - 90_000, end: NOW / 1000 + 90_000, step: 1800 }
          const { result } = await client.data('/api/v1/query_range', { query, ...range })
          const found = new Map<number, number>(
            (result[0]?.values ?? []).map(([time, value]: [number, string]) => [
              time * 1000,
              Number(value),
            ]),
          )
          assert.deepEqual(Object.keys(result[0]?.metric ?? {}), ['__name__', 'component'])
          const expected = new Map<number, number>()
          for (const { sdTime, time, data } of body.feed ?? body) {
            for (let step = range.start * 1000; step <= range.end * 1000; step += 1_800_000) {
              if (step >= sdTime && step < time && data !== null) expected.set(step, Number(data))
            }
          }
          assert.ok(expected.size > 20, `${query}: ${JSON.stringify(body).slice(0, 300)}`)
          assert.deepEqual(
            [...found].sort(([a], [b]) => a - b),
            [...expected].sort(([a], [b]) => a - b),
            query,
          )
        }
      }
    }
    await check()
    await service.sealAndRestart()
    await check()
    for (const [query, text] of [
      ['r{__cycle__="noon",__stat__="max"}', /unknown cycle "noon".*day/],
      ['r{__cycle__="day",__stat__="median"}', /unknown statistic "median".*avg/],
      ['r{__cycle__="day"}', /both labels/],
    ] as const) {
      const { status, body } = await promClient(service).get('/api/v1/query', { query })
      assert.deepEqual([status, body.errorType], [400, 'bad_data'])
      assert.match(body.error, text)
    }
  } finally {
    await service.close()
  }
})
