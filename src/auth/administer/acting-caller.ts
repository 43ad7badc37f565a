/** Who acts in the use cases of this folder: each permits, checks, writes and audits in one commit. */
import { type Principal, userPrincipal } from '../../access/index.ts'
import type { AuditAct } from '../audit-acts.ts'
import { type AuditEntry, actorName, OPERATOR } from '../audit-log.ts'
import type { CallerCheck } from '../caller-check.ts'
import type { TaskOwner } from '../proof/fair-queue.ts'

/** Who acts, and from where. */
export interface ActingCaller {
  readonly principal: Principal
  readonly address: string
  /** The caller's own password, given with the call: it proves that the person is there. */
  readonly password?: string
  /** A code of their second factor, which goes with the password where there is one. */
  readonly otp?: string
  /** How the caller stands while the act goes on; undefined: nothing can end what lets it act. */
  readonly callerCheck?: CallerCheck
}

/** Anyone who uses the command line, in an organization: no role binds them, all is written down. */
export function operatorIn(orgUid: string): ActingCaller {
  const principal = userPrincipal({ orgUid, userUid: OPERATOR, role: 'OWNER' })
  return { principal, address: '' }
}

/** Whether the caller uses the command line. */
export function isOperator({ principal: { actor } }: ActingCaller): boolean {
  return actor.kind === 'user' && actor.userUid === OPERATOR
}

/** Where the work for a caller waits: behind its own. */
export function taskOwnerOf({ principal }: ActingCaller): TaskOwner {
  return { name: actorName(principal), isKnown: true }
}

/** The audit entry of an act in the caller's organization. */
export function actOf(
  { principal, address, callerCheck }: ActingCaller,
  about: { readonly act: AuditAct; readonly target: string; readonly detail: string },
): AuditEntry {
  return { orgUid: principal.orgUid, actor: actorName(principal), address, callerCheck, ...about }
}
