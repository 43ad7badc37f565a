import { readFileSync } from 'node:fs'
import { extname, posix } from 'node:path'
import { installedFiles } from '../../../base/index.ts'
import { renderMarkdown, titleOf } from './render-markdown.ts'

/** A help page or picture as it is sent. */
interface HelpFile {
  readonly type: string
  readonly body: string | Buffer
}

const HOME = 'docs/README.md'
/** Pages outside of docs/, beside the map of the documentation. */
const ROOT_PAGES = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']

/** The documentation of the installation as pages for browsers, read and rendered when first asked for. */
export class HelpPages {
  readonly #source = installedFiles()
  /** Nothing else is ever opened. */
  #names: ReadonlySet<string> | undefined
  /** Bounded by the names. */
  readonly #files = new Map<string, HelpFile>()

  /** The file at an address below /help, such as `/help/format/folder`; undefined where there is none. */
  find(path: string): HelpFile | undefined {
    this.#names ??= new Set(this.#source.list(...ROOT_PAGES, 'docs/**/*.md', 'docs/images/*.png'))
    const names = this.#names
    const name = fileNames(path).find((one) => names.has(one))
    if (name === undefined) return undefined
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const bytes = this.#source.read(name)
    const file =
      extname(name) === '.png'
        ? { type: 'image/png', body: bytes }
        : {
            type: 'text/html; charset=utf-8',
            body: renderPage(bytes.toString(), name, path, names),
          }
    this.#files.set(path, file)
    return file
  }
}

/** The names that a file at an address may have. */
function fileNames(path: string): string[] {
  const rest = path.replace(/^\/help\/?/, '')
  if (rest === '') return [HOME]
  return extname(rest) === '.png' ? [`docs/${rest}`] : [`docs/${rest}.md`, `${rest}.md`]
}

/** The address of a file below /help. */
function addressOf(name: string): string {
  if (name === HOME) return '/help'
  const inDocs = name.startsWith('docs/') ? name.slice('docs/'.length) : name
  return `/help/${inDocs.replace(/\.md$/, '')}`
}

/** Relative to where the browser is, also behind a proxy that adds a path. */
function relativeAddress(from: string, to: string): string {
  const folder = from.endsWith('/') ? from : posix.dirname(from)
  return posix.relative(folder, to)
}

function renderPage(page: string, name: string, path: string, names: ReadonlySet<string>): string {
  const resolve = (target: string): string | undefined => {
    if (/^https?:\/\//.test(target) || target.startsWith('#')) return target
    const [file, anchor] = target.split('#')
    const meant = posix.normalize(posix.join(posix.dirname(name), file))
    // A file that is not among the pages, such as one of the sources, is named and not linked.
    if (!names.has(meant)) return undefined
    return `${relativeAddress(path, addressOf(meant))}${anchor === undefined ? '' : `#${anchor}`}`
  }
  const link = (to: string, label: string) =>
    `<a href="${relativeAddress(path, to) || '.'}">${label}</a>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(page).replaceAll('&', '&amp;').replaceAll('<', '&lt;')} – Weir</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${relativeAddress(path, '/help/help.css')}">
</head>
<body>
<nav aria-label="Documentation">${link('/help', 'Documentation')} ${link('/docs', 'API explorer')} ${link('/', 'Studio')}</nav>
<main>
${renderMarkdown(page, resolve)}
</main>
</body>
</html>
`
}

/** Only the page's own style and pictures are loaded, and nothing runs. */
export const helpPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The style of all help pages. */
export const helpStyle = readFileSync(new URL('help.css', import.meta.url), 'utf8')
