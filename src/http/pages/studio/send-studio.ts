/** How the studio's page and files are answered. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pathOf } from '../../transport/target.ts'
import type { StudioFile, StudioFiles } from './studio-files.ts'
import { studioHeaders, unbuiltPage } from './studio-page.ts'

const HTML = 'text/html; charset=utf-8'

/** Answers the page, whatever the path: what it shows is decided in the browser. */
export async function sendStudioPage(
  files: StudioFiles,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  reply.headers(studioHeaders).header('cache-control', 'no-cache').header('vary', 'accept-encoding')
  const page = await files.find('index.html', request.headers['accept-encoding'])
  if (page === undefined) return reply.type(HTML).send(unbuiltPage)
  return sendFile(page, request, reply)
}

/** Answers the page, which says that it has none of this address, as not found. */
export async function sendNoStudioPage(
  files: StudioFiles,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  // The address may come to be something: nobody keeps this answer, nor takes it for another caller's.
  reply.status(404).headers(studioHeaders).header('cache-control', 'no-store')
  reply.header('vary', 'accept, accept-encoding')
  const page = await files.find('index.html', request.headers['accept-encoding'])
  if (page?.encoding !== undefined) reply.header('content-encoding', page.encoding)
  return reply.type(HTML).send(page?.bytes ?? unbuiltPage)
}

/** Answers a file of the build. */
export async function sendStudioAsset(
  files: StudioFiles,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const name = pathOf(request.url).slice(1)
  const file = await files.find(name, request.headers['accept-encoding'])
  if (file === undefined) return reply.callNotFound()
  // Its name has a hash of its content: under this name it never changes.
  reply.header('cache-control', 'public, max-age=31536000, immutable')
  reply.headers(studioHeaders).header('vary', 'accept-encoding')
  return sendFile(file, request, reply)
}

function sendFile(file: StudioFile, request: FastifyRequest, reply: FastifyReply) {
  reply.header('etag', file.etag)
  if (request.headers['if-none-match']?.includes(file.etag) === true)
    return reply.status(304).send()
  if (file.encoding !== undefined) reply.header('content-encoding', file.encoding)
  return reply.type(file.type).send(file.bytes)
}
