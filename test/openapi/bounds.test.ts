/** The bounds that /openapi.json declares are those that the service enforces, and the other way round. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ownerOfFile, serviceOfFile } from '../support/service-of-file.ts'

// biome-ignore lint/suspicious/noExplicitAny: a description is looked into at every depth.
type Json = any

const service = serviceOfFile()
let description: Json
const owner = ownerOfFile(service)
let userUid: string
before(async () => {
  description = await (await fetch(`${service.url}/openapi.json`)).json()
  userUid = (await owner('GET', '/api/org_user')).body.org_user[0].uid
  await owner('PUT', '/api/feed?compId=c&s=1&time=1000')
})

/** A record of each resource that can be inserted, by the name of its schema. */
const records = (): Record<string, [noun: string, record: object]> => ({
  ComponentInput: ['component', {}],
  ComponentTemplateInput: ['component_template', {}],
  UnitInput: ['unit', {}],
  CycleInput: ['cycle', {}],
  DeleteProfileInput: ['delete_profile', {}],
  DashboardInput: ['dashboard', {}],
  QueryRecordInput: ['query', { sql: 'SELECT 1' }],
  AlertInput: [
    'alert',
    { runningUser: { uid: userUid }, condition: 'value > 1', labels: { a: 'b' } },
  ],
  ConnectionInput: ['connection', { kind: 'MYSQL', host: 'h.example', user: 'u' }],
  ChannelInput: ['channel', { name: 'x', url: 'https://h.example' }],
  ConnectorInput: [
    'connector',
    { id: 'k', runningUser: { uid: userUid }, procs: [{ sql: "SET @a = 'b'" }] },
  ],
})

test('a text of a record may be as long as its maxLength, and no longer', async () => {
  let checked = 0
  for (const [title, [noun, record]] of Object.entries(records())) {
    const { properties } = description.components.schemas[title]
    for (const [field, { maxLength }] of Object.entries<Json>(properties)) {
      if (maxLength === undefined || field === 'folder' || field === 'sql') continue
      // Of DB_IMPORT alone.
      if (field === 'externalSql') continue
      // Expressions have a grammar, and a stream needs its template.
      if (/[cC]ondition$/.test(field) || (noun === 'alert' && field === 'streamId')) continue
      const put = (length: number) =>
        owner('PUT', `/api/${noun}`, { [noun]: { ...record, [field]: 'x'.repeat(length) } })
      const longer = await put(maxLength + 1)
      assert.equal(longer.status, 400, `${noun}.${field} ${longer.text}`)
      assert.equal(longer.body.field, `${noun}.${field}`)
      // A name of a host has more rules, and a URL.
      if (field === 'host' || field === 'url') continue
      const most = await put(maxLength)
      assert.equal(most.status, 200, `${noun}.${field} ${most.text.slice(0, 200)}`)
      await owner('DELETE', `/api/${noun}/${most.body[noun].uid}`)
      checked += 1
    }
  }
  assert.ok(checked >= 20, `${checked} fields were checked`)
})

test('every text of an inserted record that people write has a maxLength', () => {
  // UIDs and IDs of other records must be there; zones, dates, ranges, and formats have a form of their own.
  const formed = /uid$|Uid$|timeZoneId|referenceDate|range|numberFormat|stat$|rollupMethod|cycleId/
  for (const title of Object.keys(records())) {
    const { properties } = description.components.schemas[title]
    for (const [field, schema] of Object.entries<Json>(properties)) {
      if (schema.type !== 'string' || schema.enum !== undefined || formed.test(field)) continue
      assert.equal(typeof schema.maxLength, 'number', `${title}.${field}`)
    }
  }
})

/** Parameters whose bounds are enforced by the readers of queries. */
const CALLS = [
  ['getFeed', 'GET', '/api/comp/c/stream/s/feed'],
  ['getComponentFeed', 'GET', '/api/comp/c/feed'],
  ['getPlot', 'GET', '/api/comp/c/stream/s/plot'],
  ['putFeed', 'PUT', '/api/feed?compId=c&s=1'],
  ['putFile', 'PUT', '/api/comp/c/stream/f/feed/file/a.txt'],
  ['getGqlRows', 'GET', '/api/gql?s=SELECT+1'],
  ['listComponents', 'GET', '/api/component'],
] as const

test('a number below its minimum, or above its maximum, is a 400', async () => {
  let checked = 0
  const operations = Object.values<Json>(description.paths).flatMap((one) =>
    Object.values<Json>(one),
  )
  for (const [id, method, path] of CALLS) {
    const { parameters } = operations.find(({ operationId }) => operationId === id)
    for (const { name, schema } of parameters) {
      const { minimum, maximum } = schema
      const outside = [
        ...(minimum === undefined ? [] : [minimum - 1]),
        ...(maximum === undefined ? [] : [maximum + 1]),
      ]
      for (const value of outside) {
        const to = `${path}${path.includes('?') ? '&' : '?'}${name}=${value}`
        const { status, text } = await owner(method, to)
        assert.equal(status, 400, `${to} ${text}`)
        checked += 1
      }
    }
  }
  assert.ok(checked >= 15, `${checked} bounds were checked`)
})

test('IDs have at most 512 characters and are not blank, in paths, parameters, and bodies', async () => {
  const { schema } = description.paths['/api/comp/{compId}/feed'].get.parameters.find(
    ({ name }: Json) => name === 'compId',
  )
  assert.deepEqual([schema.minLength, schema.pattern], [1, '\\S'])
  const [longest, longer] = [schema.maxLength, schema.maxLength + 1].map((size) => 'x'.repeat(size))
  const { compId } = description.components.schemas.IncomingSample.properties
  assert.equal(compId.maxLength, schema.maxLength)
  const sample = { streamId: 's', data: 1 }
  assert.equal((await owner('PUT', `/api/feed?compId=${longest}&s=1`)).status, 200)
  assert.equal((await owner('PUT', '/api/feed', [{ ...sample, compId: longest }])).status, 200)
  for (const wrong of [longer, '%20']) {
    assert.equal((await owner('PUT', `/api/feed?compId=${wrong}&s=1`)).status, 400)
    assert.equal((await owner('GET', `/api/comp/${wrong}/feed`)).status, 400)
    const body = [{ ...sample, compId: decodeURIComponent(wrong) }]
    assert.equal((await owner('PUT', '/api/feed', body)).status, 400)
  }
})

test('samples have the times that are declared', async () => {
  const { minimum, maximum } = description.components.schemas.IncomingSample.properties.time
  const put = async (time: number) =>
    (await owner('PUT', '/api/feed', [{ compId: 't', streamId: 's', data: 1, time }])).status
  const statuses = []
  for (const time of [minimum - 1, minimum, maximum, maximum + 1]) statuses.push(await put(time))
  assert.deepEqual(statuses, [400, 200, 200, 400])
})
