import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app-type.ts'
import { StudioFiles } from '../pages/studio/studio-files.ts'
import { studioFolder, studioHeaders, unbuiltPage } from '../pages/studio/studio-page.ts'
import { pathOf } from '../transport/target.ts'

/** The paths of the studio's page map; what a page shows is decided in the browser. */
const PAGE_PATHS = [
  ...['/', '/c', '/c/*', '/view', '/boards', '/boards/*'],
  ...['/build', '/build/*', '/admin', '/admin/*'],
]

const hidden = { hide: true } as const
const HTML = 'text/html; charset=utf-8'

/** Adds the studio: its page at every path of the page map, and the files that it loads. */
export function studioRoutes(app: App, folder = studioFolder): void {
  const files = new StudioFiles(folder)
  for (const path of PAGE_PATHS) {
    app.get(path, { schema: hidden }, (request, reply) => sendPage(files, request, reply))
  }
  app.get('/assets/*', { schema: hidden }, (request, reply) => sendAsset(files, request, reply))
}

async function sendPage(files: StudioFiles, request: FastifyRequest, reply: FastifyReply) {
  reply.headers(studioHeaders).header('cache-control', 'no-cache').header('vary', 'accept-encoding')
  const page = await files.find('index.html', request.headers['accept-encoding'])
  if (page === undefined) return reply.type(HTML).send(unbuiltPage)
  return sendFile(page, request, reply)
}

async function sendAsset(files: StudioFiles, request: FastifyRequest, reply: FastifyReply) {
  const name = pathOf(request.url).slice(1)
  const file = await files.find(name, request.headers['accept-encoding'])
  if (file === undefined) return reply.callNotFound()
  // Its name has a hash of its content: under this name it never changes.
  reply.header('cache-control', 'public, max-age=31536000, immutable')
  reply.headers(studioHeaders).header('vary', 'accept-encoding')
  return sendFile(file, request, reply)
}

function sendFile(
  file: NonNullable<Awaited<ReturnType<StudioFiles['find']>>>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  reply.header('etag', file.etag)
  if (request.headers['if-none-match']?.includes(file.etag) === true)
    return reply.status(304).send()
  if (file.encoding !== undefined) reply.header('content-encoding', file.encoding)
  return reply.type(file.type).send(file.bytes)
}
