import { readFlag, readQueryPairs, refuse } from '../../base/index.ts'

/** Refuses a GET to /feed that does not ask to be taken as a put. */
export function requireAsPut(query: string): void {
  if (readFlag(readQueryPairs(query), 'asPut')) return
  refuse('method_not_allowed', { what: 'Cannot GET /api/feed: use PUT, or add asPut' })
}
