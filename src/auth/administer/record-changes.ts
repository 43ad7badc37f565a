import type { Author, RecordChange } from '../../catalog/index.ts'
import { type AuditAct, actOfChange } from '../audit-acts.ts'
import type { AuditEntry } from '../audit-log.ts'
import type { Identity } from '../identity.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'

/** The caller, for parts that change records: each change is audited in the commit that makes it. */
export function authorOf({ audit }: Pick<Identity, 'audit'>, by: ActingCaller): Author {
  const entryOf = ({ kind, verb, uid, detail }: RecordChange): AuditEntry =>
    actOf(by, { act: actOfChange(kind, verb), target: uid, detail })
  return {
    ...by.principal,
    planChange: (change) => [audit.plan(entryOf(change))],
    announceChange: (change) => audit.record(entryOf(change)),
  }
}

/** Writes the audit entry of an act outside of the catalog: the act begins when the entry is durable. */
export async function announceAct(
  { audit }: Pick<Identity, 'audit'>,
  by: ActingCaller,
  about: { readonly act: AuditAct; readonly target: string; readonly detail: string },
): Promise<void> {
  await audit.record(actOf(by, about))
}
