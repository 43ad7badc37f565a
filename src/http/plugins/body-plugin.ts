import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { type MemoryBudget, refuse } from '../../base/index.ts'
import type { App } from '../app-type.ts'
import { parseJsonBody } from '../transport/body.ts'
import { type SmallBody, withSmallBody } from '../transport/small-body.ts'

/** Content types under which clients are known to send JSON: curl -d says urlencoded. */
const jsonTypes = ['application/json', 'application/x-www-form-urlencoded', 'text/plain']

/** Reads bodies as JSON, inflated and bounded; an empty one is undefined whatever its type says. */
export function bodyPlugin(app: App, budget?: MemoryBudget): void {
  app.removeAllContentTypeParsers()
  const read = async (request: FastifyRequest, payload: Readable) => {
    // A wrong path or method is told as such, whatever the body is.
    if (request.is404) return undefined
    const parse = (bytes: Buffer) =>
      bytes.byteLength === 0 ? undefined : parseJsonBody(bytes.toString('utf8'))
    return withSmallBody(payload, smallBodyOf(request), budget, parse)
  }
  app.addContentTypeParser(jsonTypes, read)
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    // Without a type, or with nothing in it, the body is taken as JSON all the same.
    const { headers, is404 } = request
    if (headers['content-type'] === undefined || is404) return read(request, payload)
    const isEmpty = (headers['content-length'] ?? '0') === '0'
    if (isEmpty && headers['transfer-encoding'] === undefined) return undefined
    refuse('unsupported_media_type', { what: 'Send the body as application/json' })
  })
}

/** How the body of a request is sent. */
function smallBodyOf({ headers, routeOptions, caller }: FastifyRequest): SmallBody {
  return {
    contentEncoding: headers['content-encoding'],
    contentLength: headers['content-length'],
    limitBytes: routeOptions.bodyLimit,
    isKnown: caller !== undefined,
  }
}

/** Reads bodies as the text that they are, bounded like any. */
export function textParser(
  budget: MemoryBudget | undefined,
): (request: FastifyRequest, payload: Readable) => Promise<string> {
  return (request, payload) =>
    withSmallBody(payload, smallBodyOf(request), budget, (bytes) => bytes.toString('utf8'))
}
