import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { serviceOfFile } from '../support/service-of-file.ts'

// biome-ignore lint/suspicious/noExplicitAny: a description is looked into at every depth.
type Json = any

const service = serviceOfFile()
let description: Json
let operations: readonly Json[]
before(async () => {
  description = await (await fetch(`${service.url}/openapi.json`)).json()
  operations = Object.values<Json>(description.paths).flatMap((item) => Object.values<Json>(item))
})

const operation = (id: string) => operations.find(({ operationId }) => operationId === id)
const parameter = (id: string, name: string) =>
  operation(id).parameters.find((one: Json) => one.name === name)

test('every operation has a name that reads well, of its own, and a tag that is declared', () => {
  const ids = operations.map(({ operationId }) => operationId)
  assert.equal(new Set(ids).size, ids.length)
  const verbs =
    'get|list|new|insert|update|delete|put|set|begin|confirm|end|answer|start|renew|mute|acknowledge'
  const reading = new RegExp(
    `^(?:(?:${verbs}|file|revoke|introspect)[A-Z][A-Za-z]+|login|logout|oauthLogin)$`,
  )
  for (const id of ids) assert.match(id, reading)
  for (const id of ['putFeed', 'getFeed', 'getStatistic', 'getLastValue']) assert.ok(operation(id))
  const declared = description.tags.map(({ name }: Json) => name)
  for (const { operationId, tags } of operations) {
    assert.equal(tags.length, 1, operationId)
    assert.ok(declared.includes(tags[0]), `${operationId}: ${tags[0]}`)
  }
  const used = new Set(operations.flatMap(({ tags }) => tags))
  assert.deepEqual(
    declared.filter((name: string) => !used.has(name)),
    [],
  )
})

test('every operation documents its success with an example, and its errors', () => {
  for (const { operationId, responses } of operations) {
    const [success] = Object.keys(responses).filter((status) => status.startsWith('2'))
    // The 200 of a put is empty without rsid, and a 204 always.
    const media = Object.values<Json>(responses[success].content ?? {})
    const isEmpty = success === '204' || operationId.startsWith('putFeed')
    assert.ok(media.length > 0 || isEmpty, operationId)
    for (const { schema, example } of media) {
      assert.ok(schema !== undefined && example !== undefined, operationId)
    }
    for (const status of Object.keys(responses).filter((one) => one >= '400')) {
      const name = responses[status].$ref.split('/').at(-1)
      const { content } = description.components.responses[name]
      if (name === 'TextRefused') continue
      const { schema } = content['application/json']
      assert.match(
        schema.$ref,
        /\/(?:Error|OAuthError|InfluxError|RpcStatus|PrometheusError)$/,
        operationId,
      )
    }
    assert.ok('500' in responses && '503' in responses && '431' in responses, operationId)
  }
})

test('what changes something may be in conflict, also where it is a GET', () => {
  for (const id of ['getApiKeySecret', 'putFeedByGet', 'insertUnit', 'deleteCycle']) {
    assert.ok('409' in operation(id).responses, id)
  }
  assert.ok('404' in operation('updateComponentByBody').responses)
  assert.ok(!('409' in operation('getFeed').responses))
})

test('a body has an example; that of a put may be left out', () => {
  for (const { operationId, requestBody } of operations) {
    if (requestBody === undefined || operationId.startsWith('putFile')) continue
    const isOptional = operationId === 'putFeed' || operationId.startsWith('putConnectorSink')
    assert.equal(requestBody.required, !isOptional, operationId)
    const media = Object.values<Json>(requestBody.content)
    for (const { example } of media) assert.ok(example !== undefined, operationId)
  }
})

test('numbers are numbers, flags booleans, and files binary', () => {
  for (const name of ['sd', 'ed', 'limit']) {
    assert.equal(parameter('getFeed', name).schema.type, 'integer')
  }
  for (const name of ['start', 'limit']) {
    assert.equal(parameter('listComponents', name).schema.type, 'integer')
  }
  assert.equal(parameter('getFeed', 'retUnit').schema.type, 'boolean')
  assert.equal(parameter('getFileAt', 'time').schema.type, 'integer')
  const binary = (media: Json) => assert.equal(media.schema.format, 'binary')
  binary(operation('getFile').responses[200].content['application/octet-stream'])
  binary(operation('putFile').requestBody.content['application/octet-stream'])
})

test('the description lists all credentials: keys in header, URL and cookie, sessions, and OAuth by scope', () => {
  const { securitySchemes } = description.components
  const places = Object.values<Json>(securitySchemes).map(({ type, in: place, name, scheme }) =>
    [type, place, name, scheme].filter((part) => part !== undefined).join(' '),
  )
  assert.deepEqual(places, [
    'apiKey header X-Api-Key',
    'http bearer',
    'apiKey query api_key',
    'apiKey cookie api_key',

    'http basic',
    'apiKey header Authorization',
    'apiKey cookie session',
    'apiKey query session',
    'oauth2',
  ])
  const { scopes } = securitySchemes.oauth2.flows.authorizationCode
  assert.deepEqual(Object.keys(scopes), ['feed:read', 'feed:write', 'admin'])
  const scopeOf = (id: string) => operation(id).security.at(-1).oauth2
  assert.deepEqual(scopeOf('getFeed'), ['feed:read'])
  assert.deepEqual(scopeOf('putFile'), ['feed:write'])
  assert.deepEqual(scopeOf('listUnits'), ['admin'])
  assert.deepEqual(operation('listSessions').security, [{ session: [] }, { sessionInUrl: [] }])
  assert.deepEqual(operation('getHealth').security, [])
})
