import { useState } from 'react'
import { below } from '../../api/base-path.ts'
import { call } from '../../api/client.ts'
import { confirmed } from '../../api/confirmed.ts'
import type { Schema } from '../../api/paths.ts'
import { usePerson, useRole } from '../../api/session.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ConfirmDelete } from '../../ui/confirm-delete.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CutLine } from './cut-line.tsx'
import { PersonForm } from './person-form.tsx'
import { ROLE_WORDS } from './role-words.ts'
import styles from './section.module.css'

type User = Schema<'OrgUser'>

/** Everybody of the organization. */
export function usePeople() {
  return useQuery(['org_user'], (signal) => call('get', '/api/org_user', { signal }))
}

/** The people of the organization, those who were invited, and their roles. */
export function PeopleSection() {
  const role = useRole()
  const isAdmin = role === 'OWNER' || role === 'ADMIN'
  const { data, error } = usePeople()
  const [form, setForm] = useState<User | 'new'>()
  const [leaving, setLeaving] = useState<User>()
  return (
    <div className={styles.section}>
      <div className={styles.bar}>
        <p>People who can sign in to this organization, and their roles.</p>
        {isAdmin && (
          <Button kind="primary" icon="plus" onClick={() => setForm('new')}>
            Add person
          </Button>
        )}
      </div>
      {error !== undefined && <Empty text={error.message} />}
      {data !== undefined && (
        <DataTable
          label="People"
          rows={data.org_user}
          keyOf={({ uid }) => uid}
          columns={columnsOf({ isAdmin, onEdit: setForm, onRemove: setLeaving })}
        />
      )}
      <CutLine shown={data?.org_user.length ?? 0} total={data?.totalCount ?? 0} />
      {form !== undefined && (
        <PersonForm user={form === 'new' ? undefined : form} onClose={() => setForm(undefined)} />
      )}
      {leaving !== undefined && <Removal user={leaving} onClose={() => setLeaving(undefined)} />}
    </div>
  )
}

interface RowActs {
  readonly isAdmin: boolean
  onEdit(user: User): void
  onRemove(user: User): void
}

function columnsOf({ isAdmin, onEdit, onRemove }: RowActs): ReadonlyArray<Column<User>> {
  const shown: ReadonlyArray<Column<User>> = [
    { id: 'name', label: 'Name', show: ({ fullName }) => fullName },
    { id: 'email', label: 'Email', show: ({ email }) => email },
    {
      id: 'role',
      label: 'Role',
      show: ({ role, status }) =>
        `${ROLE_WORDS[role].name}${status === 'INVITED' ? ', invited' : ''}`,
    },
    { id: 'since', label: 'Added', show: ({ creationDate }) => <Moment time={creationDate} /> },
  ]
  if (!isAdmin) return shown
  const acts: Column<User> = {
    id: 'acts',
    label: '',
    show: (user) => (
      <div className={styles.actions}>
        {user.status === 'MEMBER' && (
          <IconButton icon="edit" label={`Edit ${user.email}`} onClick={() => onEdit(user)} />
        )}
        <IconButton icon="trash" label={`Remove ${user.email}`} onClick={() => onRemove(user)} />
      </div>
    ),
  }
  return [...shown, acts]
}

function Removal({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { userUid } = usePerson()
  const isInvited = user.status === 'INVITED'
  const remove = async () => {
    const path = { uid: user.uid }
    const done = await confirmed((headers) =>
      call('delete', '/api/org_user/{uid}', { path, headers }),
    )
    if (done === undefined) return
    showToast(isInvited ? `Invitation of ${user.email} withdrawn.` : `${user.email} removed.`)
    if (user.uid === userUid) location.assign(below('/'))
    else invalidate('org_user')
  }
  return (
    <ConfirmDelete
      verb={isInvited ? 'Withdraw' : 'Remove'}
      what={isInvited ? `the invitation of ${user.email}` : user.email}
      name={user.email}
      onDelete={remove}
      onClose={onClose}
    >
      <p>
        {isInvited
          ? 'The invitation can no longer be accepted.'
          : 'They lose access immediately, and so do apps connected to their account. Everything they created stays, including API keys.'}
      </p>
    </ConfirmDelete>
  )
}
