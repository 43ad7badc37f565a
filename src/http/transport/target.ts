/** The part of a request target behind the first question mark. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

/**
 * A target with one slash at its beginning and one behind `api`: clients that put addresses together
 * double them. Elsewhere two slashes may hold an empty ID, which is refused as such.
 */
export function withSingleSlashes(url: string): string {
  if (!url.startsWith('//') && !url.startsWith('/api//')) return url
  const path = url.replace(/^\/+/, '/')
  return path.replace(/^\/api\/+/, '/api/')
}

/** The part of a request target before the first question mark. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}

/** The path below which WEIR_PUBLIC_URL places the service, such as `/weir`; '' at the root of its host. */
export function pathPrefixOf(publicUrl: string | undefined): string {
  if (publicUrl === undefined) return ''
  const { pathname } = new URL(publicUrl)
  return pathname === '/' ? '' : pathname
}

/** A request target without the prefix; targets without it stay as they are. */
export function withoutPrefix(url: string, prefix: string): string {
  if (prefix === '' || !url.startsWith(prefix)) return url
  const rest = url.slice(prefix.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url
}
