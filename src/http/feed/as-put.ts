import { refuse } from '../../base/index.ts'
import { queryOf, readFlag, readQueryPairs } from '../../intake/index.ts'

/** Refuses a GET to /feed that does not ask to be taken as a put. */
export function requireAsPut(url: string): void {
  if (readFlag(readQueryPairs(queryOf(url)), 'asPut')) return
  refuse('method_not_allowed', { what: 'Cannot GET /api/feed: use PUT, or add asPut' })
}
