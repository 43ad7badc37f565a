import type { Caller } from '../../auth/index.ts'
import { refuse } from '../../base/index.ts'
import type { RequestHead } from '../transport/exchange.ts'

/**
 * Refuses a call that changes something when a page of another site could have sent it: the browser
 * adds cookies by itself, and to a sibling of the own host even those that are SameSite. Devices
 * send no such headers and are let in.
 */
export function requireOwnSite(req: RequestHead, caller: Pick<Caller, 'place'>): void {
  if (caller.place !== 'cookie' || !isOfAnotherSite(req)) return
  refuse('forbidden', {
    what: 'A page of another site cannot write with a cookie: give the credential as a parameter',
  })
}

function isOfAnotherSite({ headers }: RequestHead): boolean {
  const site = headers['sec-fetch-site']
  // It knows what a proxy may hide: under which host the browser sees this service.
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = headers
  return origin !== undefined && hostOf(origin) !== headers.host
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
