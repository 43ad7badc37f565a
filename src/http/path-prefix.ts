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
