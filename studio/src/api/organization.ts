/**
 * The organization that this tab shows. The cookie `org` belongs to all tabs, and one that is looked at
 * later may choose another: every call names the organization of its own tab, which beats the cookie.
 */
import { below } from './base-path.ts'

const KEY = 'weir.org'

/** A reloaded tab keeps its organization; a new tab starts with that of the cookie. */
let shown = sessionStorage.getItem(KEY) ?? ''

/** Keeps the organization of this tab. */
export function keepOrganization(uid: string): void {
  shown = uid
  sessionStorage.setItem(KEY, uid)
}

/** Remembers the organization for this tab and for those that are opened later. */
export function rememberOrganization(uid: string): void {
  keepOrganization(uid)
  writeCookie(uid, '; Max-Age=31536000')
}

/** Takes the organization of this tab back, for one that cannot be shown: what was kept before is shown again. */
export function restoreOrganization(): void {
  shown = sessionStorage.getItem(KEY) ?? ''
}

/** Tries an organization in this tab; it is kept when it can be shown. */
export function tryOrganization(uid: string): void {
  shown = uid
}

/** Forgets the organization, here and for tabs that are opened later; answers whether there was one. */
export function forgetOrganization(): boolean {
  const isSet = shown !== '' || /(?:^|;\s*)org=[^;]/.test(document.cookie)
  shown = ''
  sessionStorage.removeItem(KEY)
  writeCookie('', '; Max-Age=0')
  return isSet
}

/** An address of the API with the organization of this tab in it; others as they are. */
export function inOrganization(address: string): string {
  const isOwn = address.startsWith('/api/') && !/[?&]org=/.test(address)
  if (shown === '' || !isOwn) return below(address)
  return below(`${address}${address.includes('?') ? '&' : '?'}org=${encodeURIComponent(shown)}`)
}

/** The parameter of addresses of the studio, and of the API. */
const PARAMETER = 'org'

let isNamed = false

/** Decides whether addresses of the studio name the organization: those of a person who has several do. */
export function nameOrganization(isOneOfMany: boolean): void {
  isNamed = isOneOfMany
}

/** The organization that the address of this page names: a link holds where it leads; '' for none. */
export function askedOrganization(): string {
  return new URLSearchParams(location.search).get(PARAMETER) ?? ''
}

/** An address of the studio, with the organization of this tab in it where addresses name it. */
export function inAddress(to: string): string {
  return below(isNamed ? named(to) : to)
}

/** The address of what is shown, for a colleague who may have several organizations: it always names this one. */
export function sharedAddress(): string {
  return new URL(named(`${location.pathname}${location.search}${location.hash}`), location.href)
    .href
}

function named(to: string): string {
  const [address, ...fragments] = to.split('#')
  const at = address.indexOf('?')
  const [path, query] = at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at + 1)]
  const parameters = new URLSearchParams(query)
  if (shown === '' || parameters.get(PARAMETER) === shown) return to
  parameters.set(PARAMETER, shown)
  return [`${path}?${parameters}`, ...fragments].join('#')
}

function writeCookie(value: string, rest: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the service reads the choice from it, in every browser.
  document.cookie = `org=${encodeURIComponent(value)}; Path=/; SameSite=Lax${secure}${rest}`
}
