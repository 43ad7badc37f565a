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
