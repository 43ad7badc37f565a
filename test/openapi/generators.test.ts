/** Properties of /openapi.json without which generated clients fail to compile or to parse answers. */
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

/** Every object of the description with its path, depth first. */
function* walk(value: Json, path = '#'): Generator<{ path: string; node: Json }> {
  if (typeof value !== 'object' || value === null) return
  yield { path, node: value }
  for (const [name, inner] of Object.entries(value)) {
    // Examples are values, not schemas.
    if (name !== 'example' && name !== 'examples') yield* walk(inner, `${path}/${name}`)
  }
}

test('an answer that may be empty declares no content', async () => {
  const headers = { 'X-Api-Key': service.feedKey }
  const path = `${service.url}/api/feed?asPut&compId=empty&s=1`
  for (const [id, method] of [
    ['putFeed', 'PUT'],
    ['putFeedByGet', 'GET'],
  ]) {
    const answer = await fetch(path, { method, headers })
    assert.equal(await answer.text(), '')
    assert.equal(operation(id).responses[200].content, undefined, id)
  }
})

test('no body and no answer has a wildcard as its media type', () => {
  for (const { path, node } of walk(description)) {
    for (const type of Object.keys(node.content ?? {})) {
      assert.doesNotMatch(type, /\*/, `${path}: ${type}`)
    }
  }
})

/** A name as the generators compare it: they change the case and drop what is no letter or digit. */
const folded = (name: string) => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()

test('names stay identifiers of their own in every language', () => {
  const schemas = Object.keys(description.components.schemas)
  const ids = operations.map(({ operationId }) => operationId)
  for (const names of [schemas, ids]) {
    for (const name of names) assert.match(name, /^[A-Za-z][A-Za-z0-9]*$/)
    assert.deepEqual(names.length, new Set(names.map(folded)).size)
  }
  // Generators make these of an operation: none may be the name of a schema, too.
  const suffixes = ['Data', 'Error', 'Errors', 'Params', 'Response', 'Responses', 'JSONRequestBody']
  const made = new Set(ids.flatMap((id) => suffixes.map((suffix) => folded(`${id}${suffix}`))))
  assert.deepEqual(
    schemas.filter((name) => made.has(folded(name))),
    [],
  )
  for (const { operationId, parameters = [] } of operations) {
    const names = parameters.map(({ name }: Json) => folded(name))
    assert.equal(names.length, new Set(names).size, operationId)
  }
})

test('no object has fields of its own beside others that may be null: Go would not compile', () => {
  for (const { path, node } of walk(description)) {
    const { additionalProperties: rest, properties } = node
    if (typeof rest !== 'object' || properties === undefined) continue
    const kinds = (rest.anyOf ?? rest.oneOf ?? [rest]).flatMap(({ type }: Json) => type)
    assert.ok(!kinds.includes('null'), path)
  }
})

test('numbers have 64 bits: without a format Go would take them for 32', () => {
  for (const { path, node } of walk(description)) {
    if (node.type === 'number') assert.equal(node.format, 'double', path)
  }
})

test('a body of several forms has a name: oapi-codegen would send an unnamed one as {}', () => {
  for (const { operationId, requestBody } of operations) {
    for (const { schema } of Object.values<Json>(requestBody?.content ?? {})) {
      assert.ok(!('anyOf' in schema || 'oneOf' in schema), operationId)
    }
  }
})

test('a GET of the feed without asPut is declared as 405', async () => {
  const answer = await fetch(`${service.url}/api/feed`)
  assert.equal(answer.status, 405)
  assert.match(operation('putFeedByGet').responses[405].$ref, /MethodNotAllowed$/)
})

test('rows of GS SQL are declared as JSON and as CSV', () => {
  for (const id of ['getGqlRows', 'startGqlRun', 'getQueryResults']) {
    const types = Object.keys(operation(id).responses[200].content)
    assert.deepEqual(types, ['application/json', 'text/csv'], id)
  }
})
