/** Every list that a request may hold has a limit, takes as many entries, and refuses more by naming it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isNightly, Random, testSeeds } from '../support/random.ts'
import { type Service, startService } from '../support/service.ts'

// biome-ignore lint/suspicious/noExplicitAny: a description is looked into at every depth.
type Json = any

interface Answered {
  readonly status: number
  readonly text: string
}

/** Sends a list with this number of entries. */
type Send = (count: number) => Promise<Answered>

/** A list in a request: its operation, its place, and how many entries it may have. */
interface RequestList {
  readonly name: string
  readonly max: number | undefined
}

let service: Service
let session: string
let component: Json
let lists: readonly RequestList[]
before(async () => {
  const WEIR_SMTP_URL = 'smtp://mail.example.com'
  service = await startService({ settings: { WEIR_SMTP_URL, WEIR_SMTP_FROM: 'a@b.example' } })
  const { ownerEmail: email, ownerPassword: password } = service
  const { text } = await call('POST', '/api/login', { email, password })
  const { sessionUid, userUid } = JSON.parse(text)
  session = `session=${sessionUid}`
  OWN_FIELDS.alert = { runningUser: { uid: userUid }, condition: 'value > 1' }
  OWN_FIELDS.connector = { id: 'inserted', name: 'inserted', runningUser: { uid: userUid } }
  component = await insert('component', { id: 'c', stream: SOURCES })
  OWN_FIELDS.alert = { ...OWN_FIELDS.alert, streams: shownStreams(1) }
  lists = listsOf(JSON.parse((await call('GET', '/openapi.json')).text))
})
after(() => service.close())

const SOURCES = [
  { id: 'a', valueType: 'DOUBLE' },
  { id: 'derived', derivation: { expression: 'a', variables: [{ name: 'a', streamId: 'a' }] } },
]

/** Records that the updates change. */
const UPDATED: Record<string, object> = {
  api_key: { name: 'changed' },
  component: { id: 'changed' },
  component_template: { id: 'changed' },
  cycle: { id: 'changed', name: 'changed' },
  dashboard: { id: 'changed', name: 'changed' },
  organization: { name: 'changed' },
  connector: { id: 'changed', name: 'changed', procs: [{ sql: 'SELECT 1' }] },
  oauth_client: { name: 'changed', redirectUris: ['https://changed.example/cb'] },
}

async function call(method: string, path: string, body?: object | string): Promise<Answered> {
  const headers: Record<string, string> = session === undefined ? {} : { Cookie: session }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const sent = typeof body === 'string' ? body : body && JSON.stringify(body)
  const answer = await fetch(`${service.url}${path}`, { method, headers, body: sent })
  // A live call stays open.
  const isLive = answer.headers.get('content-type') === 'text/event-stream'
  const text = isLive ? '' : await answer.text()
  if (isLive) await answer.body?.cancel()
  return { status: answer.status, text }
}

async function insert(noun: string, record: object): Promise<Json> {
  const { status, text } = await call('PUT', `/api/${noun}`, { [noun]: record })
  assert.equal(status, 200, text)
  return JSON.parse(text)[noun]
}

/** Every array in the parameters and bodies of a description, and every object with free names. */
function listsOf(api: Json): RequestList[] {
  const found: RequestList[] = []
  const lookedUp = (schema: Json) =>
    schema?.$ref === undefined
      ? schema
      : schema.$ref
          .slice(2)
          .split('/')
          .reduce((part: Json, key: string) => part[key], api)
  const walk = (given: Json, name: string): void => {
    const schema = lookedUp(given)
    if (schema === undefined) return
    const { items, properties = {}, additionalProperties, anyOf = [], oneOf = [] } = schema
    if (schema.type === 'array' || items !== undefined) {
      found.push({ name: `${name}[]`, max: schema.maxItems })
      walk(items, `${name}[]`)
    }
    if (typeof additionalProperties === 'object' || schema.patternProperties !== undefined) {
      found.push({ name: `${name}{}`, max: schema.maxProperties })
    }
    for (const branch of [...anyOf, ...oneOf]) walk(branch, name)
    for (const [key, field] of Object.entries(properties)) walk(field, `${name}.${key}`)
  }
  for (const item of Object.values<Json>(api.paths)) {
    for (const { operationId, parameters = [], requestBody } of Object.values<Json>(item)) {
      for (const one of parameters)
        walk(lookedUp(one).schema, `${operationId} ?${lookedUp(one).name}`)
      for (const { schema } of Object.values<Json>(requestBody?.content ?? {})) {
        walk(schema, `${operationId} `)
      }
    }
  }
  return found
}

const many = <T>(count: number, entry: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => entry(at))

/** Lists of a record that is inserted and updated. */
function recordCases(
  noun: string,
  operation: string,
  fields: Record<string, (count: number) => object>,
): Record<string, Send> {
  const cases: Record<string, Send> = {}
  for (const [field, record] of Object.entries(fields)) {
    const at = ` .${noun}.${field}`
    cases[`insert${operation}${at}`] = (count) =>
      call('PUT', `/api/${noun}`, { [noun]: { ...OWN_FIELDS[noun], ...record(count) } })
    cases[`update${operation}${at}`] = async (count) => {
      const uid = await updatedUid(noun, field)
      return await call('POST', `/api/${noun}/${uid}`, { [noun]: record(count) })
    }
  }
  return cases
}

const updated = new Map<string, string>()

/** A record of its own for each list: one that holds another long list takes long to change. */
async function updatedUid(noun: string, field: string): Promise<string> {
  const place = `${noun}.${field}`
  const known = updated.get(place)
  if (known !== undefined) return known
  const record = { ...OWN_FIELDS[noun], ...UPDATED[noun] }
  const { uid } = await insert(noun, 'id' in record ? { ...record, id: place } : record)
  updated.set(place, uid)
  return uid
}

/** What an insert needs beside its lists. */
const OWN_FIELDS: Record<string, object> = {
  channel: { name: 'inserted', kind: 'EMAIL', emails: ['ann@example.com'] },
  cycle: { name: 'inserted' },
  dashboard: { name: 'inserted' },
  organization: { name: 'inserted' },
  oauth_client: { name: 'inserted' },
}

const streams = (count: number) => ({ stream: many(count, (at) => ({ id: `s${at}` })) })
const variables = (count: number) =>
  many(count, (at) => ({ name: `v${at}`, componentId: 'c', streamId: 'a' }))
const derived = (count: number, id = 'd') => ({
  id,
  derivation: { expression: 'v0', variables: variables(count) },
})
/** In a template a formula reads streams of the same template only. */
const derivedHere = (count: number) => {
  const own = many(count, (at) => ({ name: `v${at}`, streamId: 'a' }))
  const source = { id: 'a', valueType: 'DOUBLE' }
  return { stream: [source, { id: 'd', derivation: { expression: 'v0', variables: own } }] }
}
const ruleOf = (count: number) => ({
  addressRule: { component: '{host}', uses: many(count, (at) => `label${at}`) },
})
const addresses = (count: number) => ({ addressedAs: many(count, (at) => `address${at}`) })
const hour = (at: number) => new Date(at * 3_600_000).toISOString().slice(0, 19)
const intervals = (count: number) => ({
  sizeType: 'CUSTOM',
  intervals: many(count, (at) => ({ from: hour(at), until: hour(at + 1) })),
})
const repeatedPair = (pair: string, count: number) => many(count, () => pair).join('&')
const channels = (count: number) => ({
  channels: many(count, (at) => ({
    uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  })),
})
const procs = (count: number) => ({ procs: many(count, () => ({ sql: 'SELECT 1' })) })
const panel = (at: number, shown: Json[] = []) => ({
  kind: 'chart',
  x: 0,
  y: at,
  width: 1,
  height: 1,
  streams: shown,
})
const panels = (count: number) => ({ panels: many(count, (at) => panel(at)) })
const shownStreams = (count: number) =>
  many(count, () => ({ componentUid: component.uid, streamUid: component.stream[0].uid }))
const levelled = (count: number) => ({
  ...panel(0),
  options: { thresholds: many(count, (value) => ({ value, color: 'red' })) },
})
const updateByBody = async (place: string, fields: object) => {
  const uid = await updatedUid('component', `${place} by body`)
  return await call('POST', '/api/component', { component: { uid, ...fields } })
}
const imported = (board: object, map: object[] = []) =>
  call('PUT', '/api/dashboard/import', {
    dashboard: { format: 'weir-dashboard', version: 1, name: 'imported', panels: [], ...board },
    map,
  })
const mapped = () => ({
  componentId: 'c',
  streamId: 'a',
  componentUid: component.uid,
  streamUid: component.stream[0].uid,
})

const repeated = (text: string, count: number) => `${text},`.repeat(count).slice(0, -1)
const numbers = (count: number) => many(count, (at) => at).join(',')
const batch = (components: string) =>
  call('PUT', '/api/feed', `{"feed":{"component":[${components}]}}`)
/** A batch that says the times of a stream's values for the component, or for the stream. */
function timed(count: number, isOfStream: boolean): Promise<Answered> {
  const time = `"time":[${numbers(count)}]`
  const stream = `"streamId":"a","data":[${repeated('1', count)}]${isOfStream ? `,${time}` : ''}`
  return batch(`{"componentId":"fed",${isOfStream ? '' : `${time},`}"stream":[{${stream}}]}`)
}
/** Its times and its values are two lists of one call, which takes seconds. */
const timedStreams = new Map<number, Promise<Answered>>()
const timedStream = (count: number) => {
  return timedStreams.getOrInsertComputed(count, () => timed(count, true))
}
const samples = (count: number) =>
  repeated('{"compId":"fed","streamId":"a","time":1,"data":1}', count)

/** The lists of a put in its URL, for both methods that take one. */
function queryCases(operation: string, put: (query: string) => Promise<Answered>) {
  const inQuery = (start: string, pair: (at: number) => string) => (count: number) =>
    put(`${start}&${many(count, pair).join('&')}`)
  return {
    [`${operation} ?data[]`]: inQuery('compId=placed', () => 'data=1'),
    [`${operation} ?rsid[]`]: inQuery('compId=c&a=1', (at) => `rsid=r${at}`),
    [`${operation} ?streams{}`]: inQuery('compId=named', (at) => `n${at}=1`),
  }
}

/** How each list is sent; a new list needs an entry here. */
const CASES: Record<string, Send> = {
  ...recordCases('api_key', 'ApiKey', {
    'capabilities[]': (count) => ({
      capabilities: many(count, () => ({ resource: 'component', methods: ['GET'] })),
    }),
    'capabilities[].methods[]': (count) => ({
      capabilities: [{ resource: 'component', methods: many(count, () => 'GET') }],
    }),
    'addressRule.uses[]': ruleOf,
    'ipAddresses[]': (count) => ({ ipAddresses: many(count, (at) => `192.0.2.${at % 250}`) }),
  }),
  ...recordCases('organization', 'Organization', { 'addressRule.uses[]': ruleOf }),
  ...recordCases('component', 'Component', {
    'stream[]': streams,
    'addressedAs[]': addresses,
    'stream[].derivation.variables[]': (count) => ({ stream: [derived(count, `d${count}`)] }),
  }),
  ...recordCases('component_template', 'ComponentTemplate', {
    'stream[]': streams,
    'stream[].derivation.variables[]': derivedHere,
  }),
  ...recordCases('cycle', 'Cycle', { 'intervals[]': intervals }),
  ...recordCases('dashboard', 'Dashboard', {
    'panels[]': panels,
    'panels[].streams[]': (count) => ({ panels: [panel(0, shownStreams(count))] }),
    'panels[].options.thresholds[]': (count) => ({ panels: [levelled(count)] }),
  }),
  ...recordCases('alert', 'Alert', {
    'streams[]': (count) => ({ streams: shownStreams(count) }),
    'channels[]': channels,
  }),
  'getAlertPreview .alert.streams[]': (count) =>
    call('POST', '/api/alert/preview', {
      alert: { ...OWN_FIELDS.alert, streams: shownStreams(count) },
    }),
  'getAlertPreview .alert.channels[]': (count) =>
    call('POST', '/api/alert/preview', { alert: { ...OWN_FIELDS.alert, ...channels(count) } }),
  ...recordCases('connector', 'Connector', { 'procs[]': procs }),
  ...recordCases('channel', 'Channel', {
    'emails[]': (count) => ({ emails: many(count, (at) => `${at}@example.com`) }),
  }),
  ...recordCases('oauth_client', 'OAuthClient', {
    'redirectUris[]': (count) => ({
      redirectUris: many(count, (at) => `https://${at}.example/cb`),
    }),
  }),
  'updateComponentByBody .component.addressedAs[]': (count) =>
    updateByBody('addresses', addresses(count)),
  'updateComponentByBody .component.stream[]': (count) => updateByBody('stream', streams(count)),
  'updateComponentByBody .component.stream[].derivation.variables[]': (count) =>
    updateByBody('variables', { stream: [derived(count, `b${count}`)] }),
  'getConnectorTrial .connector.procs[]': (count) =>
    call('POST', '/api/connector/dry_run', {
      connector: { ...OWN_FIELDS.connector, ...procs(count) },
      body: '1',
    }),
  'getCyclePeriods .cycle.intervals[]': (count) =>
    call('POST', '/api/cycle/preview', { cycle: intervals(count) }),
  'getExpressionCheck .variables[]': (count) =>
    call('POST', '/api/expression/check', {
      expression: 'v0',
      variables: many(count, (at) => ({ name: `v${at}` })),
    }),
  'insertExportedDashboard .dashboard.panels[]': (count) => imported(panels(count)),
  'insertExportedDashboard .dashboard.panels[].streams[]': (count) =>
    imported({ panels: [panel(0, shownStreams(count))] }),
  'insertExportedDashboard .dashboard.panels[].options.thresholds[]': (count) =>
    imported({ panels: [levelled(count)] }),
  'getPlots .plot[]': (count) => {
    const { uid: componentUid, stream } = component
    const one = { componentUid, streamUid: stream[0].uid, points: 1 }
    return call('POST', '/api/plot', { plot: many(count, () => one) })
  },
  'getBoardAlerts .event[]': (count) => {
    const one = { streamUid: component.stream[0].uid, from: 0, until: 1 }
    return call('POST', '/api/alert/board', { event: many(count, () => one) })
  },
  'getBoardAlerts .list[]': (count) =>
    call('POST', '/api/alert/board', { list: many(count, () => ({ limit: 0 })) }),
  'insertExportedDashboard .map[]': (count) => imported({}, many(count, mapped)),
  'getDerivationPreview .stream.derivation.variables[]': (count) =>
    call('POST', `/api/component/${component.uid}/stream/preview`, { stream: derived(count) }),
  'insertStream .stream.derivation.variables[]': (count) =>
    call('PUT', `/api/component/${component.uid}/stream`, { stream: derived(count) }),
  'updateStream .stream.derivation.variables[]': (count) =>
    call('POST', `/api/component/${component.uid}/stream/${component.stream[1].uid}`, {
      stream: derived(count, 'updated'),
    }),
  'setProperties []': (count) =>
    call(
      'POST',
      '/api/comp/c/property',
      many(count, () => ({ component: { name: 'c' } })),
    ),
  'getAddressPreview .door.keyRule.uses[]': (count) =>
    call('POST', '/api/door/preview', { door: { keyRule: ruleOf(count).addressRule } }),
  'getAddressPreview .door.organizationRule.uses[]': (count) =>
    call('POST', '/api/door/preview', { door: { organizationRule: ruleOf(count).addressRule } }),
  ...queryCases('putFeed', (query) => call('PUT', `/api/feed?${query}`)),
  ...queryCases('putFeedByGet', (query) => call('GET', `/api/feed?asPut&${query}`)),
  'putFeed []': (count) => call('PUT', '/api/feed', `[${samples(count)}]`),
  'putFeed .feed.component[]': (count) => batch(repeated('{"componentId":"c","stream":[]}', count)),
  'putFeed .feed.component[].stream[]': (count) =>
    batch(`{"componentId":"c","stream":[${repeated('{"streamId":"a","data":[]}', count)}]}`),
  'putFeed .feed.component[].time[]': (count) => timed(count, false),
  'putFeed .feed.component[].stream[].time[]': timedStream,
  'putFeed .feed.component[].stream[].data[]': timedStream,
  'getLive ?comp[]': (count) => call('GET', `/api/live?${repeatedPair('comp=c', count)}`),
  'getLive ?stream[]': (count) =>
    call('GET', `/api/live?comp=c&${repeatedPair('stream=a', count)}`),
  'getLive ?compUid[]': (count) =>
    call('GET', `/api/live?${repeatedPair(`compUid=${component.uid}`, count)}`),
  'getLive ?streamUid[]': (count) => {
    const stream = `streamUid=${component.stream[0].uid}`
    return call('GET', `/api/live?comp=c&${repeatedPair(stream, count)}`)
  },
  ...selectorCases(),
}

/** Selectors of Prometheus' calls, which answer each call as a GET, and most of them as a form. */
function selectorCases(): Record<string, (count: number) => Promise<Answered>> {
  const send = (path: string) => (count: number) =>
    call('GET', `/api/v1/${path}?${repeatedPair('match[]=up', count)}`)
  return {
    'getPrometheusLabels ?match[][]': send('labels'),
    'getPrometheusLabelValues ?match[][]': send('label/job/values'),
    'getPrometheusSeries ?match[][]': send('series'),
    'answerPrometheusLabels .match[][]': send('labels'),
    'answerPrometheusSeries .match[][]': send('series'),
  }
}

test('every list in a request has a limit and is tested', () => {
  assert.deepEqual(
    lists.filter(({ max }) => max === undefined),
    [],
    'give these a maxItems, and refuse more',
  )
  assert.deepEqual(
    lists.map(({ name }) => name).filter((name) => !(name in CASES)),
    [],
    'add a case for these lists',
  )
  const known = new Set(lists.map(({ name }) => name))
  assert.deepEqual(
    Object.keys(CASES).filter((name) => !known.has(name)),
    [],
    'these lists are no longer described',
  )
})

/** A list of a million entries takes seconds; every run sends one of them in full. */
const LONG = 100_000
const LONG_IN_EVERY_RUN = 'putFeed .feed.component[].time[]'

/**
 * Lists that are sent in full. Several operations take the same list, such as the streams of a component: every run
 * chooses one of them by its seed, and nightly runs send all.
 */
function fullLists(random: Random): Set<string> {
  const names = lists.map(({ name }) => name)
  if (isNightly) return new Set(names)
  const short = lists.filter(({ max = 0 }) => max <= LONG).map(({ name }) => name)
  const alike = Map.groupBy(short, (name) => name.slice(name.indexOf(' ')))
  return new Set([LONG_IN_EVERY_RUN, ...[...alike.values()].map((same) => random.pick(same))])
}

test('every list takes as many entries as its limit, and refuses one more by naming it', async (t) => {
  const [seed] = testSeeds(1)
  t.diagnostic(`seed ${seed}`)
  const sentInFull = fullLists(new Random(seed))
  for (const { name, max = 0 } of lists) {
    await t.test(`${name} of ${max}`, async () => {
      const send = CASES[name]
      if (sentInFull.has(name)) {
        const full = await send(max)
        assert.ok(
          full.status === 200 || isLimitNamed(full),
          `${full.status} ${full.text.slice(0, 300)}`,
        )
      }
      const more = await send(max + 1)
      assert.ok(isLimitNamed(more, max), `${more.status} ${more.text.slice(0, 300)}`)
    })
  }
})

/** Whether a call was refused for its length, with the limit in its message. */
function isLimitNamed({ status, text }: Answered, max?: number): boolean {
  if (status < 400 || status >= 500) return false
  const { message, error } = JSON.parse(text)
  const shown: string = message ?? error
  return max === undefined ? /\d{2,}/.test(shown) : shown.includes(String(max))
}
