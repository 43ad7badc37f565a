/**
 * The organization that this tab shows. The cookie `org` belongs to all tabs, and one that is looked at
 * later may choose another: every call names the organization of its own tab, which beats the cookie.
 */
const KEY = 'weir.org'

/** A tab that is loaded anew shows what it showed; another tab begins with the cookie. */
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
  if (shown === '' || !isOwn) return address
  return `${address}${address.includes('?') ? '&' : '?'}org=${encodeURIComponent(shown)}`
}

function writeCookie(value: string, rest: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the service reads the choice from it, in every browser.
  document.cookie = `org=${encodeURIComponent(value)}; Path=/; SameSite=Lax${secure}${rest}`
}
