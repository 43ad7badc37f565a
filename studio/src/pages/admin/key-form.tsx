import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { confirmed } from '../../api/confirmed.ts'
import type { Schema } from '../../api/paths.ts'
import { useAct } from '../../api/use-act.ts'
import { invalidate } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, FormAlert } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CapabilityPicker } from './capability-picker.tsx'
import { capabilityOf, KINDS, type Right, rightOf } from './capability-words.ts'
import { UNCHOSEN } from './component-field.tsx'
import { draftOf, ruleOf } from './rule/rule-draft.ts'
import { RuleFields } from './rule/rule-fields.tsx'

interface KeyFormProps {
  /** A new key when undefined. */
  readonly apiKey: Schema<'ApiKey'> | undefined
  onMade(name: string, secret: string): void
  readonly onClose: () => void
}

const FIRST_RIGHT: Right = { kind: KINDS[0], component: '*', path: '', methods: ['PUT'] }
const FIELDS = ['name', 'description', 'capabilities', 'ipAddresses', 'addressRule']

/** Makes an API key, or changes what it is called and may do. */
export function KeyForm({ apiKey, onMade, onClose }: KeyFormProps) {
  const [name, setName] = useState(apiKey?.name ?? '')
  const [description, setDescription] = useState(apiKey?.description ?? '')
  const [addresses, setAddresses] = useState(apiKey?.ipAddresses.join(', ') ?? '')
  const [rights, setRights] = useState<readonly Right[]>(
    apiKey?.capabilities.map(rightOf) ?? [FIRST_RIGHT],
  )
  const [rule, setRule] = useState(() => draftOf(apiKey?.addressRule))
  const act = useAct()
  const save = async (headers: Readonly<Record<string, string>>) => {
    const ipAddresses = addresses.split(/[\s,]+/).filter((one) => one !== '')
    const capabilities = rights.map(capabilityOf)
    const fields = { name, description, capabilities, ipAddresses, addressRule: ruleOf(rule) }
    const body = { api_key: fields }
    if (apiKey !== undefined) {
      const path = { uid: apiKey.uid }
      await call('post', '/api/api_key/{uid}', { path, headers, body })
      return { secret: undefined }
    }
    const { api_key } = await call('put', '/api/api_key', { headers, body })
    return { secret: api_key.secretKey }
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await act.run(async () => {
      if (rights.some(({ component }) => component === UNCHOSEN)) {
        const message = 'Choose a component, or every component.'
        const path = 'api_key.capabilities'
        throw new ApiError({ status: 400, code: 'bad_input', message, path })
      }
      const done = await confirmed(save)
      if (done === undefined) return
      invalidate('api_key')
      onClose()
      if (done.secret === undefined) showToast(`Key ${name} saved.`)
      else onMade(name, done.secret)
    })
  }
  return (
    <Dialog
      title={apiKey === undefined ? 'Create API key' : `Edit key “${apiKey.name}”`}
      onClose={onClose}
      isWide
    >
      <form onSubmit={submit} noValidate>
        <FormAlert>{act.errorBeside(...FIELDS)}</FormAlert>
        <Field
          label="Name"
          value={name}
          error={act.errorAt('name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Field
          label="Description"
          value={description}
          error={act.errorAt('description')}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <CapabilityPicker
          rights={rights}
          error={act.errorAt('capabilities')}
          onChange={setRights}
        />
        <Field
          label="Allowed IP addresses"
          hint="IP addresses or ranges such as 192.0.2.0/24, separated by commas. Leave blank to allow all."
          value={addresses}
          error={act.errorAt('ipAddresses')}
          onChange={(event) => setAddresses(event.currentTarget.value)}
        />
        <RuleFields of="key" draft={rule} error={act.error} onChange={setRule} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={act.isBusy}>
            {apiKey === undefined ? 'Create' : 'Save'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
