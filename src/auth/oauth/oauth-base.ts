import type { Clock } from '../../base/index.ts'
import type { CatalogStore, CatalogWrite } from '../../store/index.ts'
import type { OAuthSettings } from './oauth-settings.ts'

/** What every step of OAuth stands on. */
export interface OAuthBase {
  readonly store: CatalogStore
  readonly clock: Clock
  readonly settings: OAuthSettings
  /** The audit entries of grants that begin, or end before their time, for the commit that does it. */
  readonly planGrantActs?: (news: GrantNews) => Promise<readonly CatalogWrite[]>
}

/** Something that happened to a grant, for the audit log. */
export interface GrantNews {
  readonly act: 'grant_created' | 'grant_revoked'
  readonly grantUid: string
  readonly userUid: string
  /** A short text for people. */
  readonly detail: string
}

/** The writes that record a grant in the audit logs. */
export async function planGrantActs(
  base: OAuthBase,
  news: GrantNews,
): Promise<readonly CatalogWrite[]> {
  return (await base.planGrantActs?.(news)) ?? []
}

/** A time as a list key: texts of one length sort like the times. */
export function timeKey(timeMs: number): string {
  return timeMs.toString().padStart(15, '0')
}
