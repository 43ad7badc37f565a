import { useState } from 'react'
import { call } from '../../api/client.ts'
import { confirmed } from '../../api/confirmed.ts'
import type { Schema } from '../../api/paths.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ConfirmDelete } from '../../ui/confirm-delete.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ClientForm } from './client-form.tsx'
import { CutLine } from './cut-line.tsx'
import { RenewSecret } from './renew-secret.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import styles from './section.module.css'

type Client = Schema<'OAuthClient'>

/** The services that may ask people to act for them. */
export function AppsSection() {
  const { data, error } = useQuery(['oauth_client'], (signal) =>
    call('get', '/api/oauth_client', { signal }),
  )
  const [form, setForm] = useState<Client | 'new'>()
  const [shown, setShown] = useState<{ name: string; secret: string }>()
  const [removed, setRemoved] = useState<Client>()
  const [renewed, setRenewed] = useState<Client>()
  const clients = data?.oauth_client ?? []
  return (
    <div className={styles.section}>
      <div className={styles.bar}>
        <p>Apps that can ask people of this organization for access through OAuth 2.0.</p>
        <Button kind="primary" icon="plus" onClick={() => setForm('new')}>
          Register client
        </Button>
      </div>
      {error !== undefined && <Empty text={error.message} />}
      {data !== undefined && clients.length === 0 && (
        <Empty text="No OAuth clients. Register an app or a reporting tool here." />
      )}
      {clients.length > 0 && (
        <DataTable
          label="OAuth clients"
          rows={clients}
          keyOf={({ uid }) => uid}
          columns={columnsOf({ onEdit: setForm, onRenew: setRenewed, onRemove: setRemoved })}
        />
      )}
      <CutLine shown={clients.length} total={data?.totalCount ?? 0} />
      {form !== undefined && (
        <ClientForm
          client={form === 'new' ? undefined : form}
          onMade={(name, secret) => setShown({ name, secret })}
          onClose={() => setForm(undefined)}
        />
      )}
      {shown !== undefined && (
        <SecretDialog
          {...shown}
          later="It cannot be viewed again, but you can rotate it."
          onClose={() => setShown(undefined)}
        />
      )}
      {renewed !== undefined && (
        <RenewSecret
          client={renewed}
          onMade={(secret) => setShown({ name: renewed.name, secret })}
          onClose={() => setRenewed(undefined)}
        />
      )}
      {removed !== undefined && <Removal client={removed} onClose={() => setRemoved(undefined)} />}
    </div>
  )
}

interface RowActs {
  onEdit(client: Client): void
  onRenew(client: Client): void
  onRemove(client: Client): void
}

function columnsOf({ onEdit, onRenew, onRemove }: RowActs): ReadonlyArray<Column<Client>> {
  return [
    { id: 'name', label: 'Name', show: ({ name }) => name },
    { id: 'id', label: 'Client ID', show: ({ clientId }) => <code>{clientId}</code> },
    {
      id: 'kind',
      label: 'Kind',
      show: ({ type }) => (type === 'public' ? 'public, no secret' : 'confidential'),
    },
    {
      id: 'uris',
      label: 'Redirect URIs',
      show: ({ redirectUris }) => <div className={styles.sentence}>{redirectUris.join(', ')}</div>,
    },
    { id: 'since', label: 'Created', show: ({ creationDate }) => <Moment time={creationDate} /> },
    {
      id: 'acts',
      label: '',
      show: (client) => (
        <div className={styles.actions}>
          {client.type === 'confidential' && (
            <IconButton
              icon="key"
              label={`Rotate the secret of ${client.name}`}
              onClick={() => onRenew(client)}
            />
          )}
          <IconButton icon="edit" label={`Edit ${client.name}`} onClick={() => onEdit(client)} />
          <IconButton
            icon="trash"
            label={`Remove ${client.name}`}
            onClick={() => onRemove(client)}
          />
        </div>
      ),
    },
  ]
}

function Removal({ client, onClose }: { readonly client: Client; readonly onClose: () => void }) {
  const { uid, name } = client
  const remove = async () => {
    const path = { uid }
    const done = await confirmed((headers) =>
      call('delete', '/api/oauth_client/{uid}', { path, headers }),
    )
    if (done === undefined) return
    invalidate('oauth_client')
    showToast(`Client ${name} removed.`)
  }
  return (
    <ConfirmDelete
      verb="Remove"
      what={`the client “${name}”`}
      name={name}
      onDelete={remove}
      onClose={onClose}
    >
      <p>
        Its tokens stop working immediately. People must authorize it again after a new
        registration.
      </p>
    </ConfirmDelete>
  )
}
