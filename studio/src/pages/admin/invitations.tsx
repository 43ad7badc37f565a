import { call } from '../../api/client.ts'
import { lookWhoIsThere } from '../../api/sign-in.ts'
import { useAct } from '../../api/use-act.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { missingOf } from '../../ui/missing.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ROLE_WORDS } from './role-words.ts'
import styles from './section.module.css'

/** What one is invited to, with yes and no; nothing when there is none. */
export function Invitations() {
  const asked = useQuery(['invitation'], (signal) => call('get', '/api/invitation', { signal }))
  const act = useAct()
  const answer = (uid: string, name: string, accept: boolean) =>
    act.run(async () => {
      await call('post', '/api/invitation/{uid}', { path: { uid }, body: { accept } })
      invalidate('invitation')
      await lookWhoIsThere()
      showToast(accept ? `You joined ${name}.` : `Invitation to ${name} declined.`)
    })
  const { data } = asked
  if (data === undefined) return missingOf('your invitations', asked) ?? null
  if (data.invitation.length === 0) return null
  return (
    <>
      <h2>Invitations</h2>
      <FormAlert>{act.error?.message}</FormAlert>
      {data.invitation.map(({ uid, organization: { name }, role, endDate }) => (
        <div key={uid} className={styles.bar}>
          <p>
            To <strong>{name}</strong>, as {ROLE_WORDS[role].name.toLowerCase()}, until{' '}
            <Moment time={endDate} />
          </p>
          <div className={styles.actions}>
            <Button onClick={() => void answer(uid, name, false)}>Decline</Button>
            <Button kind="primary" onClick={() => void answer(uid, name, true)}>
              Accept
            </Button>
          </div>
        </div>
      ))}
    </>
  )
}
