import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { version } from '../../base/index.ts'
import type { App } from '../app-type.ts'
import { describeApi } from '../openapi/describe-api.ts'
import { securitySchemes } from '../openapi/security-schemes.ts'
import { tags } from '../openapi/tags.ts'
import { docsPolicy, docsTheme, renderDocsPage } from '../pages/docs/docs-page.ts'
import { pathOf } from '../transport/target.ts'

/** Methods whose calls have no body to check. */
const READING = ['GET', 'HEAD']

/** Describes every route added after it: /openapi.json, and a page at /docs that needs no internet. */
export async function docsPlugin(app: App, publicUrl?: string): Promise<void> {
  // Schemas of answers describe: what handlers return is sent as it is, and as fast.
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer))
  // So do those of queries: their readers check them, and say what to change.
  app.addHook('onRoute', (route) => {
    if (READING.includes(String(route.method))) route.validatorCompiler ??= () => () => true
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Weir',
        version,
        description:
          'A time-series data service for devices: durable, fast, exact about calendars.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl ?? '/', description: 'This service' }],
      tags: [...tags],
      components: { securitySchemes: { ...securitySchemes(publicUrl ?? '') } },
    },
    transformObject: (collected) =>
      'openapiObject' in collected ? describeApi(collected.openapiObject) : collected.swaggerObject,
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: docsPolicy(publicUrl === undefined ? undefined : new URL(publicUrl).origin),
    theme: docsTheme,
    uiHooks: { preHandler: sendOwnPage },
  })
  let description: Buffer | undefined
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    // The same bytes for all: an answer that nobody reads holds none of its own.
    description ??= Buffer.from(JSON.stringify(app.swagger()))
    return reply.type('application/json; charset=utf-8').send(description)
  })
}

/** Answers the page itself in the place of the plug-in's, which fits no phone. */
async function sendOwnPage(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const path = pathOf(request.url)
  if (!/\/docs\/?$/.test(path)) return undefined
  // Relative to where the browser is, also behind a proxy that adds a path.
  const page = renderDocsPage(path.endsWith('/') ? '.' : 'docs')
  return reply.type('text/html; charset=utf-8').send(page)
}
