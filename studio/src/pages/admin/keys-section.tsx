import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { confirmed } from '../../api/confirmed.ts'
import type { Schema } from '../../api/paths.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { forgetOwnKey } from '../../state/use-own-key.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ConfirmDelete } from '../../ui/confirm-delete.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import { showToast } from '../../ui/toast.tsx'
import { sentenceOf } from './capability-words.ts'
import { useComponentNames } from './component-field.tsx'
import { CutLine } from './cut-line.tsx'
import { KeyForm } from './key-form.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import styles from './section.module.css'

type Key = Schema<'ApiKey'>
interface Shown {
  readonly name: string
  readonly secret: string
}

/** The API keys of the organization, and what each may do. */
export function KeysSection() {
  const { data, error } = useQuery(['api_key'], (signal) => call('get', '/api/api_key', { signal }))
  const nameOf = useComponentNames((data?.api_key ?? []).flatMap((key) => key.capabilities))
  const [form, setForm] = useState<Key | 'new'>()
  const [shown, setShown] = useState<Shown>()
  const [revoked, setRevoked] = useState<Key>()
  const [refusal, setRefusal] = useState<string>()
  const reveal = async ({ uid, name }: Key) => {
    setRefusal(undefined)
    try {
      const answer = await confirmed((headers) =>
        call('get', '/api/api_key/{uid}/secret', { path: { uid }, headers }),
      )
      if (answer !== undefined) setShown({ name, secret: answer.api_key.secretKey })
    } catch (thrown) {
      setRefusal(asApiError(thrown).message)
    }
  }
  const columns = columnsOf({ nameOf, onEdit: setForm, onReveal: reveal, onRevoke: setRevoked })
  return (
    <div className={styles.section}>
      <div className={styles.bar}>
        <p>Devices and programs send their key in the X-Api-Key header.</p>
        <Button kind="primary" icon="plus" onClick={() => setForm('new')}>
          Create key
        </Button>
      </div>
      <FormAlert>{refusal}</FormAlert>
      {error !== undefined && <Empty text={error.message} />}
      {data?.api_key.length === 0 && (
        <Empty text="No API keys. Devices need a key to send samples." />
      )}
      {data !== undefined && data.api_key.length > 0 && (
        <DataTable
          label="API keys"
          rows={data.api_key}
          keyOf={({ uid }) => uid}
          columns={columns}
        />
      )}
      <CutLine shown={data?.api_key.length ?? 0} total={data?.totalCount ?? 0} />
      {form !== undefined && (
        <KeyForm
          apiKey={form === 'new' ? undefined : form}
          onMade={(name, secret) => setShown({ name, secret })}
          onClose={() => setForm(undefined)}
        />
      )}
      {shown !== undefined && (
        <SecretDialog
          {...shown}
          later="You can view it again with your password."
          onClose={() => setShown(undefined)}
        />
      )}
      {revoked !== undefined && (
        <Revocation apiKey={revoked} onClose={() => setRevoked(undefined)} />
      )}
    </div>
  )
}

interface RowActs {
  nameOf(componentUid: string): string
  onEdit(key: Key): void
  onReveal(key: Key): void
  onRevoke(key: Key): void
}

function columnsOf({ nameOf, onEdit, onReveal, onRevoke }: RowActs): ReadonlyArray<Column<Key>> {
  return [
    { id: 'name', label: 'Name', show: ({ name, uid }) => name || uid },
    {
      id: 'may',
      label: 'Permissions',
      show: ({ capabilities, ipAddresses, addressRule }) => (
        <div className={styles.sentence}>
          {sentenceOf(capabilities, nameOf)}
          {ipAddresses.length > 0 && (
            <span className={styles.soft}> Allowed from {ipAddresses.join(', ')}.</span>
          )}
          {addressRule !== undefined && (
            <span className={styles.soft}> Address rule: {addressRule.component}.</span>
          )}
        </div>
      ),
    },
    { id: 'since', label: 'Created', show: ({ creationDate }) => <Moment time={creationDate} /> },
    {
      id: 'acts',
      label: '',
      show: (key) => (
        <div className={styles.actions}>
          <IconButton
            icon="key"
            label={`View secret key of ${key.name}`}
            onClick={() => onReveal(key)}
          />
          <IconButton icon="edit" label={`Edit ${key.name}`} onClick={() => onEdit(key)} />
          <IconButton icon="trash" label={`Revoke ${key.name}`} onClick={() => onRevoke(key)} />
        </div>
      ),
    },
  ]
}

function Revocation({ apiKey, onClose }: { readonly apiKey: Key; readonly onClose: () => void }) {
  const { uid, name } = apiKey
  const revoke = async () => {
    const path = { uid }
    const done = await confirmed((headers) =>
      call('delete', '/api/api_key/{uid}', { path, headers }),
    )
    if (done === undefined) return
    forgetOwnKey(uid)
    invalidate('api_key')
    showToast(`Key ${name} revoked.`)
  }
  return (
    <ConfirmDelete
      verb="Revoke"
      what={`the key “${name}”`}
      name={name}
      onDelete={revoke}
      onClose={onClose}
    >
      <p>Requests with this key fail from now on. Samples sent with it are kept.</p>
    </ConfirmDelete>
  )
}
