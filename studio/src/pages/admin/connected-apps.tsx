import { call } from '../../api/client.ts'
import { useAct } from '../../api/use-act.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { Age } from '../../ui/time/age.tsx'
import { showToast } from '../../ui/toast.tsx'
import { scopeWords } from './scope-words.ts'

/** Apps that act for the person. */
export function ConnectedApps() {
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
