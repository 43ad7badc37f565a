import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { confirmed } from '../../api/confirmed.ts'
import type { Schema } from '../../api/paths.ts'
import { usePerson } from '../../api/session.ts'
import { lookWhoIsThere } from '../../api/sign-in.ts'
import { useAct } from '../../api/use-act.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field, FormAlert } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ZoneField } from '../../ui/zone-field.tsx'
import styles from './section.module.css'

/** One's own name, time zone and password, for the signed-in user. */
export function OwnAccount() {
  const { userUid } = usePerson()
  const { data, error } = useQuery(['org_user', userUid], (signal) =>
    call('get', '/api/org_user/{uid}', { path: { uid: userUid }, signal }),
  )
  if (data === undefined) return error === undefined ? null : <Empty text={error.message} />
  return <AccountForm key={data.org_user.uid} user={data.org_user} />
}

const FIELDS = ['firstName', 'lastName', 'timeZoneId', 'password']

function AccountForm({ user }: { readonly user: Schema<'OrgUser'> }) {
  const [firstName, setFirstName] = useState(user.firstName)
  const [lastName, setLastName] = useState(user.lastName)
  const [timeZoneId, setTimeZoneId] = useState(user.timeZoneId ?? '')
  const [password, setPassword] = useState('')
  const act = useAct()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await act.run(async () => {
      const path = { uid: user.uid }
      const secret = password === '' ? {} : { password }
      const body = { org_user: { firstName, lastName, timeZoneId, ...secret } }
      const done = await confirmed((headers) =>
        call('post', '/api/org_user/{uid}', { path, headers, body }),
      )
      if (done === undefined) return
      setPassword('')
      showToast('Account saved.')
      invalidate('org_user')
      await lookWhoIsThere()
    })
  }
  return (
    <form onSubmit={submit} noValidate className={styles.form}>
      <FormAlert>{act.errorBeside(...FIELDS)}</FormAlert>
      <Field
        label="First name"
        autoComplete="given-name"
        value={firstName}
        error={act.errorAt('firstName')}
        onChange={(event) => setFirstName(event.currentTarget.value)}
      />
      <Field
        label="Last name"
        autoComplete="family-name"
        value={lastName}
        error={act.errorAt('lastName')}
        onChange={(event) => setLastName(event.currentTarget.value)}
      />
      <ZoneField
        label="Time zone"
        value={timeZoneId}
        error={act.errorAt('timeZoneId')}
        onChange={setTimeZoneId}
      />
      <Field
        label="New password"
        type="password"
        autoComplete="new-password"
        hint="Leave blank to keep your password."
        value={password}
        error={act.errorAt('password')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button kind="primary" type="submit" isBusy={act.isBusy}>
        Save
      </Button>
    </form>
  )
}
