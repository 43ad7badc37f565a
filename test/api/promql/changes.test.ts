/** Streams that change while they are queried, and answers after a seal and a restart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import { promClient } from '../../support/promql-client.ts'
import { Random } from '../../support/random.ts'
import { startService } from '../../support/service.ts'

const NOW = 1_700_000_000_000
const SEED = 39
const STALE = 0x7ff0000000000002n

test('streams may be deleted, renamed, and labeled while queries run', async () => {
  const service = await startService({ clock: new ManualClock(NOW) })
  try {
    const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
    const client = promClient(service)
    const made = []
    for (let at = 0; at < 20; at++) {
      const stream = [{ id: 's', valueType: 'DOUBLE' }]
      const { body } = await owner('PUT', '/api/component', { component: { id: `c${at}`, stream } })
      made.push(body.component)
      const put = await owner('PUT', `/api/feed?compId=c${at}&s=${at}&time=${NOW - 1_000}`)
      assert.equal(put.status, 200)
    }
    const range = { start: NOW / 1000 - 3_600, end: NOW / 1000, step: 1 }
    const queries = Array.from({ length: 30 }, async (_, at) => {
      const query = at % 2 === 0 ? 'sum(max_over_time(s[10m]))' : '{component=~"[a-z][0-9]+"}'
      const { status, text } = await client.get('/api/v1/query_range', { ...range, query })
      assert.equal(status, 200, text)
    })
    for (const [at, { uid, stream }] of made.entries()) {
      const path = `/api/component/${uid}`
      const answer =
        at % 4 === 0
          ? await owner('DELETE', path)
          : at % 4 === 1
            ? await owner('POST', path, { component: { id: `renamed${at}` } })
            : at % 4 === 2
              ? await owner('DELETE', `${path}/stream/${stream[0].uid}`)
              : await owner('POST', `${path}/stream/${stream[0].uid}`, {
                  stream: { labels: { site: 'new' } },
                })
      assert.equal(answer.status, 200, answer.text)
    }
    await Promise.all(queries)
    const { result } = await client.data('/api/v1/query', { query: 's' })
    const shown = result.map(
      ({ metric }: { metric: Record<string, string> }) => `${metric.component} ${metric.site}`,
    )
    const expected = [1, 5, 9, 13, 17].map((at) => `renamed${at} undefined`)
    const labeled = [3, 7, 11, 15, 19].map((at) => `c${at} new`)
    assert.deepEqual(shown.sort(), [...expected, ...labeled].sort())
  } finally {
    await service.close()
  }
})

test('answers are the same from memory, after a seal, and after a restart; special values count', async () => {
  const service = await startService({ clock: new ManualClock(NOW) })
  try {
    const random = new Random(SEED)
    const series = Array.from({ length: 10 }, (_, at) => ({
      labels: { __name__: 'm', instance: `i${at}` },
      samples: Array.from({ length: 300 }, (_, sample) => {
        const special = random.integer(0, 20)
        const value = special === 0 ? STALE : special === 1 ? Number.POSITIVE_INFINITY : at + sample
        return [value, NOW - (300 - sample) * 10_000] as const
      }),
    }))
    await promClient(service).write(...series)
    const answers = async () => {
      const client = promClient(service)
      const texts: string[] = []
      for (const query of [
        'm',
        'sum(rate(m[2m])) by (instance)',
        'count_over_time(m[5m])',
        'max_over_time(m[10m:30s])',
        'm[5m]',
      ]) {
        const range = { start: NOW / 1000 - 3_000, end: NOW / 1000, step: 20, query }
        const isRange = query === 'm[5m]'
        const path = isRange ? '/api/v1/query' : '/api/v1/query_range'
        const { status, text } = await client.get(path, isRange ? { query } : range)
        assert.equal(status, 200, text)
        texts.push(text)
      }
      return texts
    }
    const before = await answers()
    const infinite = before[4].split('"+Inf"').length - 1
    const stale = series.flatMap(({ samples }) => samples).filter(([value]) => value === STALE)
    assert.ok(infinite > 0 && stale.length > 0, `seed ${SEED}`)
    await service.restart()
    assert.deepEqual(await answers(), before)
    await service.sealAndRestart()
    assert.deepEqual(await answers(), before)
  } finally {
    await service.close()
  }
})

test('metadata of remote write is listed, and a narrow key sees that of its own metrics', async () => {
  const service = await startService({ clock: new ManualClock(NOW) })
  try {
    const client = promClient(service)
    assert.deepEqual(await client.data('/api/v1/metadata'), {})
    const metric = (name: string, type: string) => ({
      name,
      type,
      help: `Help of ${name}.`,
      unit: '',
    })
    await client.writeMetadata(
      metric('requests', 'counter'),
      metric('latency', 'histogram'),
      metric('secret', 'gauge'),
      metric('requests', 'gauge'),
    )
    const shown = (type: string, name: string) => ({ type, unit: '', help: `Help of ${name}.` })
    const all = {
      latency: [shown('histogram', 'latency')],
      requests: [shown('counter', 'requests'), shown('gauge', 'requests')],
      secret: [shown('gauge', 'secret')],
    }
    assert.deepEqual(await client.data('/api/v1/metadata'), all)
    assert.deepEqual(await client.data('/api/v1/metadata', { metric: 'latency' }), {
      latency: all.latency,
    })
    const limited = await client.data('/api/v1/metadata', { limit: 2, limit_per_metric: 1 })
    assert.deepEqual(limited, { latency: all.latency, requests: all.requests.slice(0, 1) })
    await client.write(
      { labels: { __name__: 'requests_total', instance: 'a' }, samples: [[1, NOW]] },
      { labels: { __name__: 'latency_bucket', instance: 'a', le: '1' }, samples: [[1, NOW]] },
      { labels: { __name__: 'secret', instance: 'b' }, samples: [[1, NOW]] },
    )
    const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
    const { body } = await owner('GET', '/api/component?limit=10')
    const { uid } = body.component.find(({ id }: { id: string }) => id === 'a')
    const capabilities = [{ resource: `component/${uid}/feed`, methods: ['GET'] }]
    const made = await owner('PUT', '/api/api_key', { api_key: { name: 'n', capabilities } })
    const narrow = promClient(service, made.body.api_key.secretKey)
    const { secret: _, ...own } = all
    assert.deepEqual(await narrow.data('/api/v1/metadata'), own)
    const build = await client.data('/prom/api/v1/status/buildinfo')
    assert.deepEqual([build.version, build.application], ['3.14.0', 'Weir'])
    assert.deepEqual(await client.data('/api/v1/rules'), { groups: [] })
    assert.deepEqual(await client.data('/api/v1/alerts'), { alerts: [] })
    assert.deepEqual(await client.data('/api/v1/query_exemplars', { query: 'm' }), [])
  } finally {
    await service.close()
  }
})
