import type { IncomingMessage } from 'node:http'
import type { Caller } from '../auth/index.ts'
import { refuse } from '../base/index.ts'
import { queryOf, readFlag, readQueryPairs } from './wire/query-pairs.ts'

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

function isOfAnotherSite({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const { origin } = headers
  return origin !== undefined && hostOf(origin) !== headers.host
}

/** Refuses a GET to /feed that does not ask to be taken as a put. */
export function requireAsPut(url: string): void {
  if (readFlag(readQueryPairs(queryOf(url)), 'asPut')) return
  refuse('method_not_allowed', { what: 'Cannot GET /api/feed: use PUT, or add asPut' })
}

/**
 * Refuses a GET taken as a put when a page of another site could have sent it: the browser adds
 * cookies by itself. Devices send no such headers and are let in.
 */
export function requireOwnSite(req: IncomingMessage, caller: Caller): void {
  if (caller.place !== 'cookie' || !isOfAnotherSite(req)) return
  refuse('forbidden', {
    what: 'A page of another site cannot put with a cookie: give the credential as a parameter',
  })
}
