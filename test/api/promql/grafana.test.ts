/** Requests as Grafana's data source for Prometheus sends them, with a key that may only read. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { DemoClient, seedGreenhouse } from '../../../src/demo/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

/** Panels of a dashboard that refreshes every 5 s, and how often it does. */
const PANELS = 40
const REFRESHES = 3

const FORM = 'application/x-www-form-urlencoded'
const now = Date.now()

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
type Json = any

const service = serviceOfFile({ settings: { WEIR_RATE_LIMITS: 'default' } })
let key: string

before(async () => {
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const api_key = {
    name: 'Grafana',
    capabilities: [{ resource: 'component/*/feed', methods: ['GET'] }],
  }
  key = (await owner('PUT', '/api/api_key', { api_key })).body.api_key.secretKey
  const { url, ownerEmail: email, ownerPassword: password } = service
  const client = await DemoClient.signIn({ url, email, password })
  await seedGreenhouse(client, { nowMs: now, days: 2 })
})

interface GrafanaAnswer {
  readonly status: number
  readonly body: Json
}

async function send(
  method: string,
  path: string,
  form?: Record<string, string>,
): Promise<GrafanaAnswer> {
  const answer = await fetch(`${service.url}/prom/${path}`, {
    method,
    headers: {
      'X-Api-Key': key,
      'User-Agent': 'Grafana/12.2.0',
      'Accept-Encoding': 'gzip',
      'X-Datasource-Uid': 'weir',
      ...(method === 'POST' ? { 'Content-Type': FORM } : {}),
    },
    body: form === undefined ? undefined : new URLSearchParams(form).toString(),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** As Grafana: a form first, and the same in the URL where that is answered 400 or 405. */
async function ask(path: string, parameters: Record<string, string> = {}): Promise<GrafanaAnswer> {
  const posted = await send('POST', path, parameters)
  if (posted.status !== 400 && posted.status !== 405) return posted
  return await send('GET', `${path}?${new URLSearchParams(parameters)}`)
}

async function data(path: string, parameters: Record<string, string> = {}): Promise<Json> {
  const { status, body } = await ask(path, parameters)
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
  assert.equal(body.status, 'success')
  return body.data
}

const range = (hours: number) => ({
  start: `${(now - hours * 3_600_000) / 1000}`,
  end: `${now / 1000}`,
})

test('"Save & test" succeeds: 1+1 as of 1970, and the build of a Prometheus', async () => {
  const sum = await send('POST', 'api/v1/query', { query: '1+1', time: '4' })
  assert.deepEqual(sum.body.data, { resultType: 'scalar', result: [4, '2'] })
  const build = await data('api/v1/status/buildinfo')
  assert.match(build.version, /^3\./)
  // Those with features count as Mimir.
  assert.equal(build.features, undefined)
})

test('a wrong key is answered 401 in the envelope of Prometheus', async () => {
  const own = key
  try {
    key = '00000000-0000-0000-0000-000000000000'
    const { status, body } = await send('POST', 'api/v1/query', { query: '1+1', time: '4' })
    assert.equal(status, 401)
    assert.equal(body.status, 'error')
    assert.notEqual(body.error, '')
  } finally {
    key = own
  }
})

test('the label browser finds metrics, labels, values, and series', async () => {
  const names = await data('api/v1/label/__name__/values', range(6))
  assert.ok(names.includes('temp') && names.includes('bed-1'), names)
  const matched = { ...range(6), 'match[]': '{component="beds"}', limit: '40000' }
  const beds = ['bed-1', 'bed-2', 'bed-3', 'bed-4']
  assert.deepEqual(await data('api/v1/label/__name__/values', matched), beds)
  assert.deepEqual(await data('api/v1/labels', matched), ['__name__', 'component'])
  const houses = { ...range(6), 'match[]': 'co2' }
  const components = await data('api/v1/label/component/values', houses)
  assert.deepEqual(components, ['north-house', 'south-house'])
  assert.deepEqual(
    await data('api/v1/series', houses),
    components.map((component: string) => ({ __name__: 'co2', component })),
  )
  // Names with other characters are escaped in paths.
  assert.deepEqual(await data('api/v1/label/U__data_2e_center/values', range(6)), [])
})

test('metadata, rules, and exemplars are answered', async () => {
  assert.equal(typeof (await data('api/v1/metadata', { limit_per_metric: '1' })), 'object')
  assert.deepEqual(await data('api/v1/rules'), { groups: [] })
  assert.deepEqual(await data('api/v1/query_exemplars', { query: 'test', ...range(1) }), [])
})

test('a query that is wrong is answered by a message after the second try', async () => {
  const query = { query: 'temp{', ...range(1), step: '15' }
  const { status, body } = await ask('api/v1/query_range', query)
  assert.equal(status, 400)
  assert.equal(body.status, 'error')
  assert.equal(body.errorType, 'bad_data')
  assert.match(body.error, /parse error/)
})

test('variables of dashboards are answered', async () => {
  const { result } = await data('api/v1/query', {
    query: 'count by (component) (temp)',
    time: `${now / 1000}`,
  })
  assert.deepEqual(
    result.map(({ metric }: Json) => metric.component),
    ['north-house', 'south-house', 'weather'],
  )
})

interface Target {
  readonly expr: string
  readonly instant?: boolean
}

test('every query of the dashboard in deploy/grafana has an answer', async () => {
  const text = readFileSync('deploy/grafana/greenhouse.json', 'utf8')
  const { panels } = JSON.parse(text) as { panels: { title: string; targets: Target[] }[] }
  assert.ok(panels.length >= 8)
  for (const { title, targets } of panels) {
    for (const { expr, instant } of targets) {
      const query = expr.replaceAll('$house', '.+-house').replaceAll('$__interval', '5m')
      const { result } = instant
        ? await data('api/v1/query', { query, time: `${now / 1000}` })
        : await data('api/v1/query_range', { query, ...range(24), step: '300' })
      assert.ok(result.length > 0, `${title}: ${expr}`)
    }
  }
})

test('forty panels that refresh again and again are served without a refusal', async () => {
  const queries = [
    'temp',
    'rate(energy[3h])',
    'avg by (component) (temp)',
    'max_over_time(co2[15m])',
    'temp{__cycle__="day",__stat__="max"}',
  ]
  for (let refresh = 0; refresh < REFRESHES; refresh++) {
    const answers = await Promise.all(
      Array.from({ length: PANELS }, (_, panel) =>
        send('POST', 'api/v1/query_range', {
          query: queries[panel % queries.length],
          ...range(6),
          step: `${15 + panel}`,
        }),
      ),
    )
    for (const { status, body } of answers) {
      assert.equal(status, 200, JSON.stringify(body))
      assert.ok(body.data.result.length > 0, JSON.stringify(body))
    }
  }
})
