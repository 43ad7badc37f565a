import { Field, TextArea } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import type { FieldsProps } from '../../build/form.ts'
import { type Channel, TARGET_WORDS, type Target, targetOf, URL_HINTS } from './channel-words.ts'

/** What is sent to the service and never returned. */
export interface Secrets {
  readonly url: string
  readonly token: string
  readonly secret: string
}

interface ChannelFieldsProps extends FieldsProps<Channel> {
  readonly secrets: Secrets
  readonly setSecrets: (secrets: Partial<Secrets>) => void
}

const CHOICES = Object.entries(TARGET_WORDS).map(([value, label]) => ({ value, label }))

/** Where a channel leads, and with which secrets. */
export function ChannelFields(props: ChannelFieldsProps) {
  const { value, set, errorOf } = props
  const choose = (target: string) => {
    const isEmail = target === 'EMAIL'
    const preset = isEmail ? value.preset : (target as Exclude<Target, 'EMAIL'>)
    set({ kind: isEmail ? 'EMAIL' : 'WEBHOOK', preset })
  }
  return (
    <>
      <Field
        label="Name"
        value={value.name}
        error={errorOf('name')}
        autoComplete="off"
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Select
        label="Kind"
        choices={CHOICES}
        value={targetOf(value)}
        error={errorOf('kind') ?? errorOf('preset')}
        onChoose={choose}
      />
      {value.kind === 'EMAIL' ? <EmailFields {...props} /> : <WebhookFields {...props} />}
      <Field
        label="Notices a minute"
        hint="1 to 60. More are summed up in one"
        inputMode="numeric"
        value={Number.isNaN(value.perMinute) ? '' : String(value.perMinute)}
        error={errorOf('perMinute')}
        autoComplete="off"
        onChange={(event) => {
          const digits = event.currentTarget.value.replace(/\D/g, '').slice(0, 3)
          set({ perMinute: digits === '' ? Number.NaN : Number(digits) })
        }}
      />
    </>
  )
}

function EmailFields({ value, set, errorOf }: ChannelFieldsProps) {
  return (
    <TextArea
      label="Email addresses"
      hint="One a line, up to 20"
      rows={3}
      value={value.emails.join('\n')}
      error={errorOf('emails')}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => set({ emails: event.currentTarget.value.split(/[\n,;]/) })}
    />
  )
}

function WebhookFields(props: ChannelFieldsProps) {
  const { value, set, errorOf, isNew, secrets, setSecrets } = props
  const isTelegram = value.preset === 'TELEGRAM'
  const kept = (hasOne: boolean) => (hasOne ? 'Stored encrypted and never shown. ' : '')
  const secretLine = (field: keyof Secrets) => ({
    value: secrets[field],
    error: errorOf(field),
    autoComplete: 'new-password',
    spellCheck: false,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setSecrets({ [field]: event.currentTarget.value }),
  })
  const isStored = !isNew && value.origin !== ''
  return (
    <>
      {isTelegram && (
        <Field
          label="Chat ID"
          value={value.recipient}
          error={errorOf('recipient')}
          autoComplete="off"
          onChange={(event) => set({ recipient: event.currentTarget.value })}
        />
      )}
      <Field
        label="URL"
        placeholder={isStored ? `${value.origin}/…` : undefined}
        hint={
          isStored
            ? `${kept(true)}Enter it again to change it`
            : `${URL_HINTS[value.preset]}. Stored encrypted`
        }
        {...secretLine('url')}
      />
      <Field
        label={isTelegram ? 'Bot token' : 'Token'}
        type="password"
        hint={
          isTelegram
            ? `${kept(value.hasToken)}@BotFather gives it`
            : `${kept(value.hasToken)}Optional. Sent as Authorization: Bearer`
        }
        {...secretLine('token')}
      />
      <Field
        label="Signing secret"
        type="password"
        hint={`${kept(value.hasSecret)}Optional, at least 16 characters. Adds the header Weir-Signature`}
        {...secretLine('secret')}
      />
    </>
  )
}
