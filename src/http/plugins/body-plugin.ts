import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { type MemoryBudget, refuse } from '../../base/index.ts'
import type { App } from '../app-type.ts'
import { collectBody, parseJsonBody } from '../transport/body.ts'

/** Content types under which clients are known to send JSON: curl -d says urlencoded. */
const jsonTypes = ['application/json', 'application/x-www-form-urlencoded', 'text/plain']

/** What a body may take whose length is not told before it is read: decoder, pieces and text. */
const ENCODED_BYTES = 256 * 1024

/** Reads bodies as JSON, inflated and bounded; an empty one is undefined whatever its type says. */
export function bodyPlugin(app: App, budget?: MemoryBudget): void {
  app.removeAllContentTypeParsers()
  const read = async (request: FastifyRequest, payload: Readable) => {
    // A wrong path or method is told as such, whatever the body is.
    if (request.is404) return undefined
    const limitBytes = request.routeOptions.bodyLimit
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
      refuse('body_too_large', { limitBytes })
    }
    const contentEncoding = request.headers['content-encoding']
    // Of what is compressed the inflated length shows too late.
    const length = contentEncoding === undefined ? request.headers['content-length'] : undefined
    const share = await budget?.take(Number(length ?? ENCODED_BYTES))
    try {
      const bytes = await collectBody(payload, { contentEncoding, limitBytes })
      return bytes.byteLength === 0 ? undefined : parseJsonBody(bytes.toString('utf8'))
    } finally {
      share?.release()
    }
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
