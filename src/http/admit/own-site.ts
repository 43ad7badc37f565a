import type { Caller } from '../../auth/index.ts'
import { refuse } from '../../base/index.ts'
import type { RequestHead } from '../transport/exchange.ts'

/**
 * Refuses a write that a page of another site could have sent (CSRF). The browser adds cookies and Basic credentials by
 * itself. To a sibling of its host it sends even cookies that are SameSite. Devices do not send the headers of a
 * browser and are accepted.
 */
export function requireOwnSite(req: RequestHead, caller: Pick<Caller, 'place'>): void {
  const { place } = caller
  if ((place !== 'cookie' && place !== 'basic') || !isOfAnotherSite(req)) return
  const carrier = place === 'cookie' ? 'a cookie' : 'Basic authorization'
  refuse('forbidden', {
    what: `A page of another site cannot write with ${carrier}. Send the credential as a parameter`,
  })
}

function isOfAnotherSite({ headers }: RequestHead): boolean {
  const site = headers['sec-fetch-site']
  // It knows what a proxy may hide: under which host the browser sees this service. No script can set it.
  if (site === 'same-origin') return false
  return (site !== undefined && site !== 'none') || hasForeignOrigin(headers)
}

/** Whether the header Origin is there and names no page of this host, or of the `own` address beside it. */
export function hasForeignOrigin(
  { origin, host }: Pick<RequestHead['headers'], 'origin' | 'host'>,
  own?: string,
): boolean {
  if (origin === undefined) return false
  const url = URL.parse(origin)
  // A browser writes scheme, host and port alone: whatever has more was made to look like another.
  if (url === null || url.origin !== origin) return true
  return url.host !== host?.toLowerCase() && origin !== own
}
