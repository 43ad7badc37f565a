import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { App } from '../app-type.ts'
import { version } from '../transport/version.ts'

/** The order of the page: what devices and readers call first, administration after. */
const TAGS = ['feed', 'property', 'files', 'oauth', 'component', 'organization']

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 32" width="150" height="40">
<path d="M3 11c5-6 8-6 13 0s8 6 13 0" fill="none" stroke="#4fb3c8" stroke-width="3.5" stroke-linecap="round"/>
<path d="M3 21c5-6 8-6 13 0s8 6 13 0" fill="none" stroke="#9ccdd8" stroke-width="3.5" stroke-linecap="round"/>
<text x="40" y="23" font-family="sans-serif" font-size="20" font-weight="bold" fill="#fff">Weir</text>
</svg>`

/** Describes every route added after it: /openapi.json, and a page at /docs that needs no internet. */
export async function docsPlugin(app: App): Promise<void> {
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
      tags: TAGS.map((name) => ({ name })),
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
          apiKeyInUrl: { type: 'apiKey', in: 'query', name: 'api_key' },
          bearer: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: 'session' },
        },
      },
      security: [{ apiKey: [] }, { apiKeyInUrl: [] }, { bearer: [] }, { session: [] }],
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/docs', target: '_self' },
    theme: { title: 'Weir API' },
  })
  app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/docs'))
  let description: Buffer | undefined
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    // The same bytes for all: an answer that nobody reads holds none of its own.
    description ??= Buffer.from(JSON.stringify(app.swagger()))
    return reply.type('application/json; charset=utf-8').send(description)
  })
}
