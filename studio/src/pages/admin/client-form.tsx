import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { confirmed } from '../../api/confirmed.ts'
import type { Schema } from '../../api/paths.ts'
import { useAct } from '../../api/use-act.ts'
import { invalidate } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Checkbox, Field, FormAlert, TextArea } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { tell } from '../../ui/toast.tsx'

type ClientType = Schema<'OAuthClient'>['type']

interface ClientFormProps {
  /** A new client when undefined. */
  readonly client: Schema<'OAuthClient'> | undefined
  onMade(name: string, secret: string): void
  readonly onClose: () => void
}

const FIELDS = ['name', 'redirectUris', 'type']
const TYPES = [
  { value: 'confidential', label: 'A server, which can keep a secret' },
  { value: 'public', label: 'An app or a page, which cannot' },
]

/** Registers an OAuth client, or changes it. */
export function ClientForm({ client, onMade, onClose }: ClientFormProps) {
  const [name, setName] = useState(client?.name ?? '')
  const [type, setType] = useState<ClientType>(client?.type ?? 'confidential')
  const [uris, setUris] = useState(client?.redirectUris.join('\n') ?? '')
  const [mayUseLogin, setMayUseLogin] = useState(client?.mayUseLogin ?? false)
  const act = useAct()
  const save = async (headers: Readonly<Record<string, string>>) => {
    const redirectUris = uris.split(/\s+/).filter((one) => one !== '')
    const body = { oauth_client: { name, type, redirectUris, mayUseLogin } }
    if (client === undefined) return await call('put', '/api/oauth_client', { headers, body })
    const path = { uid: client.uid }
    return await call('post', '/api/oauth_client/{uid}', { path, headers, body })
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await act.run(async () => {
      const done = await confirmed(save)
      if (done === undefined) return
      invalidate('oauth_client')
      onClose()
      const { clientSecret } = done.oauth_client
      if (clientSecret === undefined) tell(`The client ${name} is saved.`)
      else onMade(name, clientSecret)
    })
  }
  return (
    <Dialog
      title={client === undefined ? 'Register a client' : `Edit the client “${client.name}”`}
      onClose={onClose}
    >
      <form onSubmit={submit} noValidate>
        <FormAlert>{act.errorBeside(...FIELDS)}</FormAlert>
        <Field
          label="Name"
          hint="Shown to people when they are asked."
          value={name}
          error={act.errorAt('name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label="What it is"
          value={type}
          choices={TYPES}
          error={act.errorAt('type')}
          onChoose={(value) => setType(value as ClientType)}
        />
        <TextArea
          label="Addresses that it may lead back to"
          hint="One a line, exactly as the client sends them."
          rows={3}
          value={uris}
          error={act.errorAt('redirectUris')}
          onChange={(event) => setUris(event.currentTarget.value)}
        />
        <Checkbox
          label="May sign people in with their password itself (oauth_login)"
          checked={mayUseLogin}
          onChange={(event) => setMayUseLogin(event.currentTarget.checked)}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={act.isBusy}>
            {client === undefined ? 'Register' : 'Save'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
