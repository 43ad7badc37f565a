import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { type MemoryBudget, refuse } from '../../base/index.ts'
import type { App } from '../app-type.ts'
import { parseJsonBody } from '../transport/body.ts'
import { type SmallBody, withSmallBody } from '../transport/small-body.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a body is JSON whatever its type says: devices send what their library does. */
    takesAnyType?: boolean
  }
}

/**
 * Reads bodies as JSON, inflated and bounded; an empty one is undefined whatever its type says. What
 * calls itself anything but JSON is refused: a form or a page of another site can send such bodies
 * without asking, and nothing else.
 */
export function bodyPlugin(app: App, budget?: MemoryBudget): void {
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', dropBlankType)
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    // A wrong path or method is told as such, whatever the body is.
    if (request.is404) return undefined
    const isTaken = isJson(request.headers['content-type']) || takesAnyType(request)
    const parse = (bytes: Buffer) => {
      if (bytes.byteLength === 0) return undefined
      if (!isTaken) refuseType()
      return parseJsonBody(readUtf8(bytes))
    }
    // A body that is announced need not be read to be refused.
    if (!isTaken && Number(request.headers['content-length'] ?? 0) > 0) refuseType()
    return withSmallBody(payload, smallBodyOf(request), budget, parse)
  })
}

/** Has a type that is blank count as none: Fastify refuses it before a call comes to its route. */
async function dropBlankType({ headers }: FastifyRequest): Promise<void> {
  if (headers['content-type']?.trim() === '') headers['content-type'] = undefined
}

function takesAnyType({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.takesAnyType === true
}

/** Whether a Content-Type says JSON: application/json, or a type that is built on it. */
function isJson(contentType = ''): boolean {
  const type = contentType.split(';', 1)[0].trim().toLowerCase()
  return type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'))
}

function refuseType(): never {
  refuse('unsupported_media_type', { what: 'Send the body as application/json' })
}

/** The text of a body; what decoding would change is refused, as it could not be kept. */
function readUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) refuse('bad_input', { what: 'Cannot read the body: it must be UTF-8' })
  return bytes.toString('utf8')
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
