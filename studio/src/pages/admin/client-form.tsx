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
import { showToast } from '../../ui/toast.tsx'

type ClientType = Schema<'OAuthClient'>['type']

interface ClientFormProps {
  /** A new client when undefined. */
  readonly client: Schema<'OAuthClient'> | undefined
  onMade(name: string, secret: string): void
  readonly onClose: () => void
}

const FIELDS = ['name', 'redirectUris', 'type']
const TYPES = [
  { value: 'confidential', label: 'Confidential: a server that can keep a secret' },
  { value: 'public', label: 'Public: an app or a web page' },
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
      if (clientSecret === undefined) showToast(`Client ${name} saved.`)
      else onMade(name, clientSecret)
    })
  }
  return (
    <Dialog
      title={client === undefined ? 'Register client' : `Edit client “${client.name}”`}
      onClose={onClose}
    >
      <form onSubmit={submit} noValidate>
        <FormAlert>{act.errorBeside(...FIELDS)}</FormAlert>
        <Field
          label="Name"
          hint="Shown to people when the app asks for access."
          value={name}
          error={act.errorAt('name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label="Client type"
          value={type}
          choices={TYPES}
          error={act.errorAt('type')}
          onChoose={(value) => setType(value as ClientType)}
        />
        <TextArea
          label="Redirect URIs"
          hint="One per line, exactly as the client sends them."
          rows={3}
          value={uris}
          error={act.errorAt('redirectUris')}
          onChange={(event) => setUris(event.currentTarget.value)}
        />
        <Checkbox
          label="Allow sign-in with the user’s password (oauth_login)"
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
