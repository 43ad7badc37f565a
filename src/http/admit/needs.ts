import type { Method } from '../../access/index.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** The capability that a call needs, such as `GET api_key/{uid}`. */
    'x-capability'?: string
  }
}

/**
 * Names the capability of a route, for its schema and so for /openapi.json. The service behind the
 * route checks it: `test/api/identity/rights.test.ts` holds the two together over every route.
 */
export function needs(method: Method, resource: string): { readonly 'x-capability': string } {
  return { 'x-capability': `${method} ${resource}` }
}
