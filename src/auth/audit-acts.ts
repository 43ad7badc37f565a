import { invariant } from '../base/index.ts'

/** The records whose changes are audited, by the kind of their documents, and what the log calls them. */
const RECORD_NOUNS = {
  alert: 'alert',
  channel: 'channel',
  component: 'component',
  component_folder: 'folder',
  component_template: 'template',
  connection: 'connection',
  connector: 'connector',
  cycle: 'cycle',
  dashboard: 'dashboard',
  delete_profile: 'delete_profile',
  query: 'query',
  stream: 'stream',
  unit: 'unit',
} as const

type RecordNoun = (typeof RECORD_NOUNS)[keyof typeof RECORD_NOUNS]
const RECORD_VERBS = ['created', 'updated', 'deleted'] as const

const RECORD_ACTS = Object.values(RECORD_NOUNS).flatMap((noun) =>
  RECORD_VERBS.map((verb) => `${noun}_${verb}` as const),
) satisfies `${RecordNoun}_${string}`[]

/** Acts that are no save or deletion of a record. */
const OTHER_ACTS = [
  'alert_acknowledged',
  'alert_muted',
  'alert_running_user_changed',
  'alert_unmuted',
  'audit_exported',
  'client_created',
  'client_deleted',
  'client_secret_renewed',
  'client_updated',
  'connector_running_user_changed',
  'data_exported',
  'grant_created',
  'grant_revoked',
  'import_cancelled',
  'import_started',
  'invitation_declined',
  'invitation_withdrawn',
  'job_cancelled',
  'job_started',
  'key_created',
  'key_revealed',
  'key_revoked',
  'key_updated',
  'organization_created',
  'organization_deleted',
  'organization_updated',
  'password_changed',
  'payload_run',
  'role_changed',
  'samples_corrected',
  'samples_deleted',
  'samples_restored',
  'scrub_started',
  'second_factor_off',
  'second_factor_on',
  'session_ended',
  'sign_in',
  'sign_in_failed',
  'sign_out',
  'user_added',
  'user_invited',
  'user_left',
  'user_removed',
  'user_updated',
] as const

/** What the audit log may say that somebody did. */
export type AuditAct = (typeof OTHER_ACTS)[number] | (typeof RECORD_ACTS)[number]

/** Every act, in the order of their names. */
export const AUDIT_ACTS: readonly AuditAct[] = [...OTHER_ACTS, ...RECORD_ACTS].sort()

const known: ReadonlySet<string> = new Set(AUDIT_ACTS)

/** Whether a text names an act. */
export function isAuditAct(text: string): text is AuditAct {
  return known.has(text)
}

/** The act of a change of a record. A kind that is not named here must be. */
export function actOfChange(kind: string, verb: string): AuditAct {
  const noun = (RECORD_NOUNS as Readonly<Record<string, string>>)[kind] ?? kind
  const act = `${noun}_${verb}`
  invariant(isAuditAct(act), `unknown audit action ${act}`)
  return act
}
