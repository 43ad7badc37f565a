/** What of a browser is read here; unit tests have none. */
interface BrowserPage {
  readonly document?: {
    querySelector(selector: string): { readonly content?: string } | null
  }
  readonly location?: { readonly pathname: string; readonly origin: string }
}

const page = globalThis as unknown as BrowserPage

/** Where the service is below its host: the page says so. */
const given = page.document?.querySelector('meta[name="weir-path"]')?.content ?? ''

/** A path of the service as the browser asks for it; anything else stays as it is. */
export function below(path: string): string {
  return path.startsWith('/') ? `${given}${path}` : path
}

/** The path of the page as the studio names it. A service below a path is reached at the root of its own port, too. */
export function ownPath(): string {
  const { pathname = '/' } = page.location ?? {}
  if (given === '' || !pathname.startsWith(given)) return pathname
  const rest = pathname.slice(given.length)
  return rest === '' || rest.startsWith('/') ? rest || '/' : pathname
}

/** The address under which programs reach the service. */
export const serviceAddress = `${page.location?.origin ?? ''}${given}`
