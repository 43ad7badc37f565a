import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { confirmed } from '../../api/confirmed.ts'
import type { Schema } from '../../api/paths.ts'
import { useAct } from '../../api/use-act.ts'
import { invalidate } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, FormAlert } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ZoneField } from '../../ui/zone-field.tsx'
import { ROLE_CHOICES, type Role } from './role-words.ts'

interface PersonFormProps {
  /** Somebody new when undefined. */
  readonly user: Schema<'OrgUser'> | undefined
  readonly onClose: () => void
}

const FIELDS = ['email', 'password', 'firstName', 'lastName', 'role', 'timeZoneId']

/** Adds a person, or changes name, zone and role of one. */
export function PersonForm({ user, onClose }: PersonFormProps) {
  const [given, setGiven] = useState({
    email: user?.email ?? '',
    password: '',
    firstName: user?.firstName ?? '',
    lastName: user?.lastName ?? '',
    timeZoneId: user?.timeZoneId ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  const [role, setRole] = useState<Role>(user?.role ?? 'MEMBER')
  const act = useAct()
  const save = async (headers: Readonly<Record<string, string>>) => {
    const { password, email, ...rest } = given
    const record = { ...rest, role, ...(password === '' ? {} : { password }) }
    if (user === undefined)
      return await call('put', '/api/org_user', {
        headers,
        body: { org_user: { ...record, email } },
      })
    const changed = email === user.email ? record : { ...record, email }
    const path = { uid: user.uid }
    return await call('post', '/api/org_user/{uid}', { path, headers, body: { org_user: changed } })
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await act.run(async () => {
      const done = await confirmed(save)
      if (done === undefined) return
      invalidate('org_user')
      const { status, email } = done.org_user
      showToast(
        status === 'INVITED'
          ? `${email} already has an account and was invited.`
          : `${email} saved.`,
      )
      onClose()
    })
  }
  const field = (name: keyof typeof given) => ({
    value: given[name],
    error: act.errorAt(name),
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      const { value } = event.currentTarget
      setGiven((before) => ({ ...before, [name]: value }))
    },
  })
  const hint =
    user === undefined
      ? 'Used for a new account. A person with an account is invited and keeps their password.'
      : 'Leave blank to keep the current password.'
  return (
    <Dialog title={user === undefined ? 'Add person' : `Edit ${user.email}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <FormAlert>{act.errorBeside(...FIELDS)}</FormAlert>
        <Field label="Email" type="email" autoComplete="off" {...field('email')} />
        <Field label="First name" autoComplete="off" {...field('firstName')} />
        <Field label="Last name" autoComplete="off" {...field('lastName')} />
        <Select
          label="Role"
          value={role}
          choices={ROLE_CHOICES}
          error={act.errorAt('role')}
          onChoose={(value) => setRole(value as Role)}
        />
        <ZoneField
          label="Time zone"
          value={given.timeZoneId}
          error={act.errorAt('timeZoneId')}
          onChange={(timeZoneId) => setGiven((before) => ({ ...before, timeZoneId }))}
        />
        <Field
          label={user === undefined ? 'Password' : 'New password'}
          type="password"
          autoComplete="new-password"
          hint={hint}
          {...field('password')}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={act.isBusy}>
            {user === undefined ? 'Add' : 'Save'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
