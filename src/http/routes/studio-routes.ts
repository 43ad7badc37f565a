import type { App } from '../app-type.ts'
import { sendNoStudioPage, sendStudioAsset, sendStudioPage } from '../pages/studio/send-studio.ts'
import { studioFolder } from '../pages/studio/studio-build.ts'
import { StudioFiles } from '../pages/studio/studio-files.ts'
import type { NoPage } from '../plugins/error-plugin.ts'

/** The paths of the studio's page map; what a page shows is decided in the browser. */
const PAGE_PATHS = [
  '/',
  '/c',
  '/c/*',
  '/view',
  '/boards',
  '/boards/*',
  '/query',
  '/query/*',
  '/connect',
  '/connect/*',
  '/build',
  '/build/*',
  '/admin',
  '/admin/*',
]

const hidden = { hide: true } as const

/** Adds the studio: its page at every path of the page map, and the files that it loads. */
export function studioRoutes(app: App, folder = studioFolder): void {
  const files = new StudioFiles(folder)
  for (const path of PAGE_PATHS) {
    app.get(path, { schema: hidden }, (request, reply) => sendStudioPage(files, request, reply))
  }
  app.get('/assets/*', { schema: hidden }, (request, reply) =>
    sendStudioAsset(files, request, reply),
  )
}

/** The studio for a browser that opens an address at which nothing is: it says so, and leads on. */
export function noStudioPage(folder = studioFolder): NoPage {
  const files = new StudioFiles(folder)
  return {
    pagePaths: PAGE_PATHS,
    send: (request, reply) => sendNoStudioPage(files, request, reply),
  }
}
