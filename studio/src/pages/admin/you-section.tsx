import { call } from '../../api/client.ts'
import { signOut } from '../../api/sign-in.ts'
import { useAct } from '../../api/use-act.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { Age } from '../../ui/time/age.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Invitations } from './invitations.tsx'
import { OwnAccount } from './own-account.tsx'
import { scopeWords } from './scope-words.ts'
import { SecondFactor } from './second-factor.tsx'
import styles from './section.module.css'

/** One's own account: invitations, name and password, sessions, what was allowed to services, the second factor. */
export function YouSection() {
  return (
    <div className={styles.section}>
      <Invitations />
      <h2>Your account</h2>
      <OwnAccount />
      <h2>Sessions</h2>
      <Sessions />
      <h2>Connected apps</h2>
      <Grants />
      <h2>Second factor</h2>
      <SecondFactor />
    </div>
  )
}

function Sessions() {
  const { data, error } = useQuery(['session'], (signal) => call('get', '/api/session', { signal }))
  const act = useAct()
  const end = (uid: string, isCurrent: boolean) =>
    act.run(async () => {
      if (isCurrent) return await signOut()
      await call('delete', '/api/session/{uid}', { path: { uid } })
      invalidate('session')
      showToast('Session ended.')
    })
  return (
    <>
      <FormAlert>{act.error?.message ?? error?.message}</FormAlert>
      {data !== undefined && (
        <DataTable
          label="Sessions"
          rows={data.session}
          keyOf={({ uid }) => uid}
          columns={[
            {
              id: 'client',
              label: 'Browser or program',
              show: ({ client, isCurrent }) => (
                <>
                  {isCurrent && <strong>This session</strong>}
                  <div className={styles.cut} title={client}>
                    {client || 'unknown'}
                  </div>
                </>
              ),
            },
            { id: 'address', label: 'IP address', show: ({ address }) => address },
            {
              id: 'used',
              label: 'Last used',
              show: ({ lastUseDate }) => <Age time={lastUseDate} />,
            },
            {
              id: 'since',
              label: 'Started',
              show: ({ creationDate }) => <Moment time={creationDate} />,
            },
            {
              id: 'acts',
              label: '',
              show: ({ uid, address, isCurrent }) => (
                <Button
                  onClick={() => void end(uid, isCurrent)}
                  aria-label={isCurrent ? 'End this session' : `End the session from ${address}`}
                >
                  End
                </Button>
              ),
            },
          ]}
        />
      )}
    </>
  )
}

function Grants() {
  const { data, error } = useQuery(['oauth_grant'], (signal) =>
    call('get', '/api/oauth_grant', { signal }),
  )
  const act = useAct()
  const end = (uid: string) =>
    act.run(async () => {
      await call('delete', '/api/oauth_grant/{uid}', { path: { uid } })
      invalidate('oauth_grant')
      showToast('App disconnected.')
    })
  const grants = data?.oauth_grant ?? []
  return (
    <>
      <FormAlert>{act.error?.message ?? error?.message}</FormAlert>
      {data !== undefined && grants.length === 0 && <Empty text="No connected apps." />}
      {grants.length > 0 && (
        <DataTable
          label="Connected apps"
          rows={grants}
          keyOf={({ uid }) => uid}
          columns={[
            { id: 'name', label: 'App', show: ({ clientName }) => clientName },
            { id: 'host', label: 'Website', show: ({ redirectHost }) => redirectHost },
            { id: 'scope', label: 'Permissions', show: ({ scope }) => scopeWords(scope) },
            {
              id: 'used',
              label: 'Renewed',
              show: ({ lastRefreshDate }) => <Age time={lastRefreshDate} />,
            },
            {
              id: 'acts',
              label: '',
              show: ({ uid, clientName }) => (
                <Button onClick={() => void end(uid)} aria-label={`Disconnect ${clientName}`}>
                  Disconnect
                </Button>
              ),
            },
          ]}
        />
      )}
    </>
  )
}
