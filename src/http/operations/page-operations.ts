/** Pages that people see, and what these load: the studio, the API explorer, and the description. */
import { type FileSource, installedFiles, readLoosePairs, refuse } from '../../base/index.ts'
import { docsFiles, docsPolicy, renderDocsPage } from '../pages/docs/docs-page.ts'
import { HelpPages, helpPolicy, helpStyle } from '../pages/help/help-pages.ts'
import { type StudioFile, StudioFiles } from '../pages/studio/studio-files.ts'
import { studioHeaders, unbuiltPage } from '../pages/studio/studio-page.ts'
import { Answer } from '../table/call-answer.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { pathOf } from '../transport/target.ts'

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
  '/alerts',
  '/alerts/*',
  '/connect',
  '/connect/*',
  '/build',
  '/build/*',
  '/admin',
  '/admin/*',
  '/account',
  '/account/*',
]

const HTML = 'text/html; charset=utf-8'
/** The built studio. */
const builtStudio = (): FileSource => installedFiles('studio/dist')
const page = { methods: ['GET'], callers: 'anyone' } as const

function hasQuery(queryText: string): boolean {
  return readLoosePairs(queryText).some(([name]) => name === 'q')
}

/** The studio: its page at every path of the page map, and the files that it loads. */
export function studioOperations(pathPrefix = '', studio = builtStudio()): HttpOperation[] {
  const files = new StudioFiles(studio, pathPrefix)
  const [path, ...aliases] = PAGE_PATHS
  return [
    httpOperation({
      ...page,
      path,
      aliases,
      isPage: true,
      meantTarget: ({ url = '', headers }) => {
        const isOfInflux = url.startsWith('/query?') && hasQuery(url.slice('/query?'.length))
        // The page is for people who open it in a browser.
        return isOfInflux && headers['sec-fetch-mode'] !== 'navigate' ? `/influx${url}` : undefined
      },
      run: async ({ header }) => {
        const headers = { ...studioHeaders, 'Cache-Control': 'no-cache', Vary: 'accept-encoding' }
        const file = files.find('index.html', header('accept-encoding'))
        if (file !== undefined) return sentFile(file, header('if-none-match'), headers)
        return new Answer(unbuiltPage, { headers: { ...headers, 'Content-Type': HTML } })
      },
    }),
    httpOperation({
      ...page,
      path: '/assets/*',
      run: async ({ exchange: { req }, header }) => {
        const target = pathOf(req.url ?? '')
        const file = files.find(target.slice(1), header('accept-encoding'))
        if (file === undefined) return refuseMissing(target)
        return sentFile(file, header('if-none-match'), {
          ...studioHeaders,
          // Its name has a hash of its content: under this name it never changes.
          'Cache-Control': 'public, max-age=31536000, immutable',
          Vary: 'accept-encoding',
        })
      },
    }),
  ]
}

/** The studio for a browser that opens an address at which nothing is: its page says so, and leads on. */
export function noStudioPage(
  pathPrefix = '',
  studio = builtStudio(),
): (acceptEncoding?: string) => Promise<Answer> {
  const files = new StudioFiles(studio, pathPrefix)
  return async (acceptEncoding) => {
    const file = files.find('index.html', acceptEncoding)
    const headers = {
      ...studioHeaders,
      // The address may come to be something: nobody keeps this answer, nor takes it for another caller's.
      'Cache-Control': 'no-store',
      Vary: 'accept, accept-encoding',
      'Content-Type': HTML,
    }
    const encoded =
      file?.encoding === undefined ? headers : { ...headers, 'Content-Encoding': file.encoding }
    return new Answer(file?.bytes ?? unbuiltPage, { status: 404, headers: encoded })
  }
}

function refuseMissing(path: string): never {
  refuse('not_found', { what: `Cannot find ${path.slice(0, 200)}. See /docs` })
}

function sentFile(
  { type, bytes, encoding, etag }: StudioFile,
  known: string | undefined,
  headers: Readonly<Record<string, string>>,
): Answer {
  const allHeaders = { ...headers, ETag: etag }
  if (known?.includes(etag) === true) return new Answer('', { status: 304, headers: allHeaders })
  const typed = { ...allHeaders, 'Content-Type': type }
  const encoded = encoding === undefined ? typed : { ...typed, 'Content-Encoding': encoding }
  return new Answer(bytes, { headers: encoded })
}

/** The documentation at /help, without a sign-in and without the internet. */
export function helpOperations(): HttpOperation[] {
  const pages = new HelpPages()
  const kept = { 'Cache-Control': 'no-cache' }
  return [
    httpOperation({
      ...page,
      path: '/help/help.css',
      run: () =>
        new Answer(helpStyle, { headers: { ...kept, 'Content-Type': 'text/css; charset=utf-8' } }),
    }),
    httpOperation({
      ...page,
      path: '/help',
      aliases: ['/help/*'],
      run: ({ exchange: { req } }) => {
        const path = pathOf(req.url ?? '')
        const file = pages.find(path)
        if (file === undefined) return refuseMissing(path)
        const headers = { ...kept, 'Content-Security-Policy': helpPolicy }
        return new Answer(file.body, { headers: { ...headers, 'Content-Type': file.type } })
      },
    }),
  ]
}

/** The files of the API explorer. A release has them in another folder, which its build writes here. */
const EXPLORER_FOLDER = 'node_modules/@fastify/swagger-ui/static'

/** The API explorer, which needs no internet, and the description that it shows. */
export function docsOperations(deps: {
  readonly publicUrl: string | undefined
  readonly describe: () => object
}): HttpOperation[] {
  const { publicUrl, describe } = deps
  const policy = docsPolicy(publicUrl === undefined ? undefined : new URL(publicUrl).origin)
  const headers = { 'Content-Security-Policy': policy }
  const files = new StudioFiles(installedFiles(EXPLORER_FOLDER))
  let description: Buffer | undefined
  return [
    httpOperation({
      ...page,
      path: '/openapi.json',
      run: () => {
        // The same bytes for all: an answer that nobody reads holds none of its own.
        description ??= Buffer.from(JSON.stringify(describe()))
        return description
      },
    }),
    httpOperation({
      ...page,
      path: '/docs',
      aliases: ['/docs/'],
      run: ({ exchange: { req } }) => {
        // Relative to where the browser is, also behind a proxy that adds a path.
        const shown = renderDocsPage(pathOf(req.url ?? '').endsWith('/') ? '.' : 'docs')
        return new Answer(shown, { headers: { ...headers, 'Content-Type': HTML } })
      },
    }),
    ...docsFiles.map(({ name, type, text }) =>
      httpOperation({
        ...page,
        path: `/docs/static/theme/${name}`,
        run: () => new Answer(text, { headers: { ...headers, 'Content-Type': type } }),
      }),
    ),
    httpOperation({
      ...page,
      path: '/docs/static/:name',
      errorHeaders: headers,
      run: async ({ exchange: { req }, ids: { name }, header }) => {
        const file = files.find(name, header('accept-encoding'))
        if (file === undefined) return refuseMissing(pathOf(req.url ?? ''))
        const kept = { ...headers, 'Cache-Control': 'public, max-age=0' }
        return sentFile(file, header('if-none-match'), kept)
      },
    }),
  ]
}
