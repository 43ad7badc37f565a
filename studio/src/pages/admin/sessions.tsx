import { call } from '../../api/client.ts'
import { signOut } from '../../api/sign-in.ts'
import { useAct } from '../../api/use-act.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { Age } from '../../ui/time/age.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import { showToast } from '../../ui/toast.tsx'
import styles from './section.module.css'

/** Where the person is signed in. */
export function Sessions() {
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
