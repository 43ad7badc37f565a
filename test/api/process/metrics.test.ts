import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { FeedClient } from '../../support/feed-client.ts'
import { putFile } from '../../support/file-client.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

/** What Prometheus gives by itself. */
const OF_PROMETHEUS = ['up']

const service = serviceOfFile()
const feed = new FeedClient(service)
async function scrape(): Promise<string> {
  return await (await fetch(`${service.url}/metrics`)).text()
}

async function figureOf(name: string): Promise<number> {
  const line = (await scrape()).split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1))
}

test('/metrics shows samples, puts, streams, sizes and the version', async () => {
  const names = ['weir_samples_stored_total', 'weir_puts_stored_total', 'weir_streams']
  const [samples, puts, streams] = await Promise.all(names.map(figureOf))
  const sample = (at: number) => ({
    compId: 'm',
    streamId: at % 2 === 0 ? 'a' : 'b',
    time: 1_700_000_000_000 + at,
    data: at,
  })
  const put = await feed.putJson(Array.from({ length: 6 }, (_, at) => sample(at)))
  assert.equal(put.status, 200, put.text)
  assert.equal(await figureOf('weir_samples_stored_total'), samples + 6)
  assert.equal(await figureOf('weir_puts_stored_total'), puts + 1)
  assert.equal(await figureOf('weir_streams'), streams + 2)
  assert.equal(await figureOf('weir_components'), 1)
  assert.equal(await figureOf('weir_journal_waiting_bytes'), 0)
  assert.ok((await figureOf('weir_journal_written_bytes_total')) > 0)
  assert.ok((await figureOf('weir_journal_sync_seconds_count')) > 0)
  assert.ok((await figureOf('weir_disk_free_bytes')) > 0)
  assert.ok((await figureOf('weir_storage_bytes{part="journal"}')) > 0)
  for (const name of ['weir_seal_lag_seconds', 'weir_seal_backlog_segments', 'weir_read_only']) {
    assert.equal(await figureOf(name), 0, name)
  }
  for (const name of [
    'weir_quarantined_segments',
    'weir_quarantined_items',
    'weir_backups_running',
  ]) {
    assert.equal(await figureOf(name), 0, name)
  }
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  assert.equal(
    await figureOf(`weir_build_info{version="${version}",node="${process.versions.node}"}`),
    1,
  )
})

test('/metrics counts refusals by call and reason, and calls that are throttled', async () => {
  await feed.call('PUT', '/feed?compId=m&api_key=00000000-0000-4000-8000-000000000000')
  await feed.put('compId=&a=1')
  await feed.call('GET', '/comp/nobody/feed')
  assert.equal(await figureOf('weir_refusals_total{call="feed_put",code="unauthorized"}'), 1)
  assert.equal(await figureOf('weir_refusals_total{call="feed_put",code="bad_input"}'), 1)
  assert.equal(await figureOf('weir_refusals_total{call="feed_get",code="component_not_found"}'), 1)
  assert.equal(await figureOf('weir_throttled_calls_total'), 0)
  await service.restart({ WEIR_RATE_LIMITS: 'feed=2/1h' })
  for (let call = 0; call < 5; call += 1) await feed.put('compId=m&a=1')
  assert.equal(await figureOf('weir_throttled_calls_total'), 3)
  assert.equal(await figureOf('weir_refusals_total{call="feed_put",code="rate_limited"}'), 3)
  await service.restart()
})

test('/metrics stays short whatever is called', async () => {
  await putFile(service, '/comp/m/stream/f/feed/file/n', 'body')
  await feed.call('GET', '/comp/m/stream/f/feed/file/n')
  const described = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  const routes = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  )
  for (let at = 0; at < 1_000; at += 1) {
    const [method, path] = routes[at % routes.length]
    const target = at % 3 === 0 ? `/none/${at}` : path.replaceAll(/\{[^}]+\}/g, `x${at}`)
    const headers = { 'X-Api-Key': at % 2 === 0 ? service.feedKey : 'wrong' }
    await (await fetch(`${service.url}${target}`, { method, headers, redirect: 'manual' })).text()
  }
  const text = await scrape()
  assert.ok(text.length < 36_000, `${text.length} bytes`)
  assert.ok(/weir_http_requests_total\{call="unmatched",status="404"\} \d{3}/.test(text), text)
})

test('every metric that the dashboard and the alerts name exists', async () => {
  const exported = new Set(
    [...(await scrape()).matchAll(/^([a-zA-Z_:][\w:]*)[{ ]/gm)].map(([, name]) => name),
  )
  const rules = readFileSync('deploy/prometheus-rules.yml', 'utf8')
  const dashboard = readFileSync('deploy/grafana-dashboard.json', 'utf8')
  const named = [rules, dashboard].flatMap((text) => [
    ...text.matchAll(/\b(?:weir|process|nodejs)_[a-z_0-9]+\b|\bup(?=\{)/g),
  ])
  assert.ok(named.length > 40)
  for (const [name] of named) {
    assert.ok(exported.has(name) || OF_PROMETHEUS.includes(name), `${name} is not in /metrics`)
  }
  for (const { targets } of (JSON.parse(dashboard) as { panels: Array<{ targets: unknown[] }> })
    .panels) {
    assert.ok(targets.length > 0)
  }
  const docs = readFileSync('docs/api.md', 'utf8')
  const ours = [...exported].filter((name) => name.startsWith('weir_'))
  const undocumented = ours.filter(
    (name) => !docs.includes(name.replace(/_(?:bucket|sum|count)$/, '')),
  )
  assert.deepEqual(undocumented, [])
})
