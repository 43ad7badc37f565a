/** The cookie that carries a session. */
export const SESSION_COOKIE = 'session'

/** The cookie by which a device is known that somebody has signed in on; it is no credential. */
export const DEVICE_COOKIE = 'device'

/** The value of a cookie as it was sent; the first of several counts. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equalsAt = pair.indexOf('=')
    if (equalsAt > 0 && pair.slice(0, equalsAt).trim() === name) {
      return pair.slice(equalsAt + 1).trim()
    }
  }
  return undefined
}
