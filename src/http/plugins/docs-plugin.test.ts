import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { fastify } from 'fastify'
import { Type } from '../../base/index.ts'
import { docsPlugin } from './docs-plugin.ts'

test('docsPlugin() has schemas of answers and queries describe: nothing is dropped or changed', async () => {
  const app = fastify().withTypeProvider<TypeBoxTypeProvider>()
  await docsPlugin(app)
  const schema = {
    response: { 200: Type.Object({ count: Type.String() }) },
    querystring: Type.Object({ start: Type.Optional(Type.Integer()) }),
  }
  const answer = { 'not described': [1, null], count: 5, small: -0 }
  app.get('/described', { schema }, async (_request, reply) => reply.send(answer as never))
  const { statusCode, body } = await app.inject('/described?start=7')
  assert.equal(statusCode, 200, body)
  assert.equal(body, JSON.stringify(answer))
  await app.close()
})
