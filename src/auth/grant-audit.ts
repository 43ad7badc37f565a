import type { AuditLog } from './audit-log.ts'
import type { GrantNews } from './oauth/index.ts'
import type { Users } from './users.ts'

/** Writes news of grants into the audit logs of the organizations of the user who gave them. */
export function grantAuditor(deps: {
  readonly audit: AuditLog
  readonly users: Users
}): (news: GrantNews) => void {
  return ({ act, grantUid: target, userUid, detail }) => {
    const actor = `user:${userUid}`
    const record = async () => {
      const { memberships = [] } = (await deps.users.find(userUid)) ?? {}
      for (const { orgUid } of memberships) {
        deps.audit.recordLater({ orgUid, act, actor, target, address: '', detail })
      }
    }
    // Reading the user fails only where writing the entry would fail and be logged too.
    record().catch(() => {})
  }
}
