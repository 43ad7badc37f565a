import type { CatalogWrite } from '../store/index.ts'
import type { AuditLog } from './audit-log.ts'
import type { GrantNews } from './oauth/index.ts'
import type { Users } from './users.ts'

/** Plans the entries that record a grant in each organization of the user who gave it. */
export function grantAuditor(deps: {
  readonly audit: AuditLog
  readonly users: Users
}): (news: GrantNews) => Promise<readonly CatalogWrite[]> {
  return async ({ act, grantUid: target, userUid, detail }) => {
    const actor = `user:${userUid}`
    const { memberships = [] } = (await deps.users.find(userUid)) ?? {}
    return memberships.map(({ orgUid }) =>
      deps.audit.plan({ orgUid, act, actor, target, address: '', detail }),
    )
  }
}
