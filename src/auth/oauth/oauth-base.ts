import type { Clock } from '../../base/index.ts'
import type { CatalogStore } from '../../store/index.ts'
import type { OAuthSettings } from './oauth-settings.ts'

/** What every step of OAuth stands on. */
export interface OAuthBase {
  readonly store: CatalogStore
  readonly clock: Clock
  readonly settings: OAuthSettings
}

/** A time as a list key: texts of one length sort like the times. */
export function timeKey(timeMs: number): string {
  return timeMs.toString().padStart(15, '0')
}
