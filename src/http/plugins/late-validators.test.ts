import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fastify } from 'fastify'
import { lateValidators } from './late-validators.ts'

function appWith(schema: object) {
  const app = fastify({
    schemaController: { compilersFactory: { buildValidator: lateValidators() } },
    ajv: { customOptions: { coerceTypes: false } },
  })
  app.post('/', { schema: { body: schema } }, () => ({ ok: true }))
  return app
}

test('every call is held against the schema, the first and those after it', async () => {
  const app = appWith({ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } })
  const post = async (payload: object) => {
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/', payload })
    return [statusCode, JSON.parse(body).message]
  }
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await post({ n: 'x' }), [400, 'body/n must be integer'])
    assert.deepEqual(await post({}), [400, "body must have required property 'n'"])
    assert.deepEqual(await post({ n: 1 }), [200, undefined])
  }
})

test('a schema is not looked at before its route is called', async () => {
  const app = appWith({ type: 'nothing of the kind' })
  await app.ready()
  const { statusCode } = await app.inject({ method: 'POST', url: '/', payload: {} })
  assert.equal(statusCode, 500)
})
