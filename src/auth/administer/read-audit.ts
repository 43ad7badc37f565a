import { requirePermit } from '../../access/index.ts'
import type { AuditRecord } from '../audit-record.ts'
import type { AuditFilter, AuditFound } from '../audit-search.ts'
import type { Identity } from '../identity.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'

/** A page of the acts in the caller's organization, the newest first; a search reads the newest only. */
export async function listAudit(
  { audit }: Pick<Identity, 'audit'>,
  { principal }: ActingCaller,
  page: AuditFilter & { readonly start: number; readonly limit: number },
): Promise<AuditFound> {
  requirePermit(principal, 'audit', 'GET')
  const { start, limit, ...filter } = page
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  if (isFiltered) return await audit.search(principal.orgUid, page)
  return await audit.list(principal.orgUid, { start, limit })
}

/** All acts that match, newest first, some at a time; that they were exported is an act, too. */
export async function exportAudit(
  { audit }: Pick<Identity, 'audit'>,
  by: ActingCaller,
  filter: AuditFilter,
): Promise<AsyncGenerator<readonly AuditRecord[]>> {
  requirePermit(by.principal, 'audit', 'GET')
  await audit.record(actOf(by, { act: 'audit_exported', target: '', detail: '' }))
  return audit.walk(by.principal.orgUid, filter)
}
