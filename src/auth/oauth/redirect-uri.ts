import { isAppScheme } from './app-scheme.ts'
import { REDIRECT_URI_LENGTH_MAX } from './oauth-settings.ts'

/**
 * Why an address may not receive grant codes, or undefined when it may: https, http on a loopback
 * address, or an app's private scheme, without a fragment, user name or hidden characters.
 */
export function redirectUriFault(uri: string): string | undefined {
  if (uri.length > REDIRECT_URI_LENGTH_MAX) {
    return `redirect_uri has more than ${REDIRECT_URI_LENGTH_MAX} characters`
  }
  if (/[^\x21-\x7E]|[\\"<>^`{|}]/.test(uri)) {
    return 'redirect_uri contains a character that is not allowed in a URL. Percent-encode it'
  }
  const url = URL.parse(uri)
  if (url === null) return 'redirect_uri must be an absolute URL such as https://example.com/cb'
  if (uri.includes('#')) return 'redirect_uri must not have a fragment (#)'
  if (url.username !== '' || url.password !== '') return 'redirect_uri must not contain a user name'
  const scheme = url.protocol.slice(0, -1)
  if (scheme === 'https') return undefined
  if (scheme === 'http') {
    return isLoopback(url)
      ? undefined
      : 'redirect_uri must use https (http only for a loopback address)'
  }
  return isAppScheme(scheme) ? undefined : `redirect_uri must not use ${scheme}:`
}

/**
 * Whether a redirect URI is registered for a client. It must be the same text; on a loopback address the port may
 * differ, because an installed app learns its port only when it starts (RFC 8252, 7.3).
 */
export function isRegisteredRedirect(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true
  const portless = withoutLoopbackPort(uri)
  return portless !== undefined && registered.some((one) => withoutLoopbackPort(one) === portless)
}

/** What a person should read as the receiver of a redirect: the host, or an app's scheme. */
export function redirectHost(uri: string): string {
  const url = URL.parse(uri)
  if (url === null) return uri
  return /^https?:$/.test(url.protocol) ? url.host : url.protocol
}

/** The redirect address with the answer's parameters added to its query. */
export function withAnswer(uri: string, answer: Readonly<Record<string, string>>): string {
  const pairs = new URLSearchParams(answer).toString()
  const joint = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${joint}${pairs}`
}

function isLoopback(url: URL): boolean {
  return (
    url.hostname === 'localhost' ||
    url.hostname === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(url.hostname)
  )
}

function withoutLoopbackPort(uri: string): string | undefined {
  const url = URL.parse(uri)
  if (url === null || url.protocol !== 'http:' || !isLoopback(url)) return undefined
  // The text itself is compared, so that nothing but the port may differ.
  return uri.replace(/^(http:\/\/(?:\[[^\]]*\]|[^:/?]*)):\d{1,5}(?=[/?]|$)/i, '$1')
}
