import type { Clock } from '../../base/index.ts'
import type { CatalogStore } from '../../store/index.ts'
import type { OAuthSettings } from './oauth-settings.ts'

/** What every step of OAuth stands on. */
export interface OAuthBase {
  readonly store: CatalogStore
  readonly clock: Clock
  readonly settings: OAuthSettings
  /** Told of grants that begin, and of those that end before their time. */
  readonly noteGrant?: (news: GrantNews) => void
}

/** Something that happened to a grant, for the audit log. */
export interface GrantNews {
  readonly act: 'grant_created' | 'grant_revoked'
  readonly grantUid: string
  readonly userUid: string
  /** A short text for people. */
  readonly detail: string
}

/** A time as a list key: texts of one length sort like the times. */
export function timeKey(timeMs: number): string {
  return timeMs.toString().padStart(15, '0')
}
