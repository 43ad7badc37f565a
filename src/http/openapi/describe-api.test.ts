import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '../../base/index.ts'
import { httpOperation, json } from '../table/http-operation.ts'
import { describeApi } from './describe-api.ts'
import { nameSchemas } from './name-schemas.ts'

test('nameSchemas() makes components of schemas with a title, and leaves values alone', () => {
  const schemas = {}
  const inner = { title: 'Inner', enum: ['a', 'b'] }
  const outer = { title: 'Outer', type: 'object', properties: { one: inner, two: inner } }
  const example = { title: 'Inner', enum: 5 }
  const named = nameSchemas({ schema: outer, example }, schemas)
  assert.deepEqual(named, { schema: { $ref: '#/components/schemas/Outer' }, example })
  const ref = { $ref: '#/components/schemas/Inner' }
  assert.deepEqual(schemas, {
    Inner: { type: 'string', enum: ['a', 'b'] },
    Outer: { type: 'object', properties: { one: ref, two: ref } },
  })
})

test('nameSchemas() refuses two different schemas of one name', () => {
  const twice = [
    { title: 'Same', type: 'string' },
    { title: 'Same', type: 'number' },
  ]
  assert.throws(() => nameSchemas(twice, {}), /two different schemas are called Same/)
})

test('describeApi() gives operations their errors, credentials, scopes and optional bodies', () => {
  const put = httpOperation({
    name: 'put',
    methods: ['PUT'],
    path: '/a',
    callers: 'feed',
    needs: 'PUT component/{uid}/feed',
    tag: 'feed',
    summary: 'Put',
    input: json(Type.Object({})),
    isBodyOptional: true,
    answer: Type.Object({}),
    run: () => undefined,
  })
  const open = httpOperation({
    name: 'open',
    methods: ['GET'],
    path: '/b/:id',
    callers: 'anyone',
    security: [],
    errors: [401],
    answer: Type.Object({}, { description: 'Well' }),
    run: () => undefined,
  })
  // biome-ignore lint/suspicious/noExplicitAny: a description is looked into at every depth.
  const { '/a': a, '/b/{id}': b } = describeApi([put, open]).paths as Record<string, any>
  assert.deepEqual(a.put.security.at(-1), { oauth2: ['feed:write'] })
  assert.equal(a.put.requestBody.required, false)
  assert.equal(a.put.responses[200].description, 'Put')
  assert.deepEqual(
    Object.keys(a.put.responses).map(Number),
    [200, 400, 401, 403, 404, 408, 409, 413, 415, 429, 431, 500, 503],
  )
  assert.deepEqual(b.get.security, [])
  assert.equal(b.get.responses[200].description, 'Well')
  assert.deepEqual(Object.keys(b.get.responses).map(Number), [200, 401, 431, 500, 503])
})
