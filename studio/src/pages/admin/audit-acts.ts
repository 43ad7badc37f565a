/** The acts of the audit log in groups that people look for. */
export const ACT_GROUPS: readonly { readonly label: string; readonly acts: readonly string[] }[] = [
  {
    label: 'Sign-ins and sessions',
    acts: [
      'sign_in',
      'sign_in_failed',
      'sign_out',
      'session_ended',
      'password_changed',
      'second_factor_on',
      'second_factor_off',
    ],
  },
  {
    label: 'People',
    acts: [
      'user_added',
      'user_invited',
      'user_left',
      'user_removed',
      'user_updated',
      'role_changed',
      'invitation_declined',
      'invitation_withdrawn',
    ],
  },
  { label: 'API keys', acts: ['key_created', 'key_revealed', 'key_revoked', 'key_updated'] },
  {
    label: 'OAuth clients and grants',
    acts: [...changesOf('client'), 'client_secret_renewed', 'grant_created', 'grant_revoked'],
  },
  { label: 'Organization', acts: changesOf('organization') },
  {
    label: 'Components and streams',
    acts: [...changesOf('component'), ...changesOf('stream'), ...changesOf('folder')],
  },
  {
    label: 'Templates, cycles, units, delete profiles',
    acts: ['template', 'cycle', 'unit', 'delete_profile'].flatMap(changesOf),
  },
  {
    label: 'Alerts',
    acts: [
      ...changesOf('alert'),
      ...changesOf('channel'),
      'alert_muted',
      'alert_unmuted',
      'alert_acknowledged',
      'alert_running_user_changed',
    ],
  },
  { label: 'Boards and saved queries', acts: ['dashboard', 'query'].flatMap(changesOf) },
  {
    label: 'Connectors and connections',
    acts: [
      ...changesOf('connector'),
      ...changesOf('connection'),
      'connector_running_user_changed',
      'import_started',
      'import_cancelled',
      'payload_run',
    ],
  },
  { label: 'Jobs and scrubs', acts: ['job_started', 'job_cancelled', 'scrub_started'] },
  { label: 'Exports', acts: ['data_exported', 'audit_exported'] },
  {
    label: 'Deleted or corrected samples',
    acts: ['samples_deleted', 'samples_corrected', 'samples_restored'],
  },
]

function changesOf(noun: string): string[] {
  return ['created', 'updated', 'deleted'].map((verb) => `${noun}_${verb}`)
}
