import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { FileSource } from '../../../base/index.ts'
import { takenEncodings } from '../../transport/taken-encodings.ts'

/** A file of the studio as it is sent. */
export interface StudioFile {
  readonly type: string
  readonly bytes: Buffer
  readonly encoding: 'br' | 'gzip' | undefined
  readonly etag: string
}

interface Build {
  readonly mark: string
  /** The names of all files below the folder; nothing else is ever opened. */
  readonly names: ReadonlySet<string>
  /** Bounded by the names: what was asked for once is kept. */
  readonly files: Map<string, StudioFile>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
}

/**
 * The built files of the studio. They are read at the first request, so that a start costs nothing. They are read again
 * after a rebuild, so that developers see their changes.
 */
export class StudioFiles {
  readonly #source: FileSource
  readonly #pathPrefix: string
  #build: Build | undefined

  /** With a prefix, pages load their files below it. */
  constructor(source: FileSource, pathPrefix = '') {
    this.#source = source
    this.#pathPrefix = pathPrefix
  }

  /** The file of this name in the best form the caller takes; undefined when there is none. */
  find(name: string, acceptEncoding: string | undefined): StudioFile | undefined {
    const build = this.#current(name)
    if (build === undefined || !build.names.has(name)) return undefined
    const isMoved = this.#pathPrefix !== '' && extname(name) === '.html'
    // A page that is moved has no packed form; it is short.
    const form = isMoved ? undefined : bestForm(build.names, name, acceptEncoding)
    const path = `${name}${form === undefined ? '' : SUFFIXES[form]}`
    const known = build.files.get(path)
    if (known !== undefined) return known
    const read = this.#source.read(path)
    const bytes = isMoved ? movedPage(read, this.#pathPrefix) : read
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
    const type = TYPES[extname(name)] ?? 'application/octet-stream'
    const file = { type, bytes, encoding: form, etag }
    build.files.set(path, file)
    return file
  }

  /** The current build. It is checked for each page, whose name stays when its bytes change. */
  #current(name: string): Build | undefined {
    if (this.#build !== undefined && name !== 'index.html') return this.#build
    const mark = this.#source.mark('index.html')
    if (mark === undefined) return undefined
    if (this.#build?.mark === mark) return this.#build
    const names = new Set(this.#source.list('**/*'))
    this.#build = { mark, names, files: new Map() }
    return this.#build
  }
}

/** A page of the studio for a service below a path: its files are below the path, and scripts read it. */
function movedPage(page: Buffer, prefix: string): Buffer {
  const shown = escapeAttribute(prefix)
  const text = page
    .toString('utf8')
    .replaceAll(/ (src|href)="\//g, ` $1="${shown}/`)
    .replace('<head>', `<head>\n<meta name="weir-path" content="${shown}">`)
  return Buffer.from(text)
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

const SUFFIXES = { br: '.br', gzip: '.gz' } as const

function bestForm(
  names: ReadonlySet<string>,
  name: string,
  acceptEncoding: string | undefined,
): 'br' | 'gzip' | undefined {
  const taken = takenEncodings(acceptEncoding)
  const forms = ['br', 'gzip'] as const
  return forms.find((form) => taken.includes(form) && names.has(`${name}${SUFFIXES[form]}`))
}
