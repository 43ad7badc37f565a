import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import type { FieldsProps } from '../../build/form.ts'
import { type Connection, KIND_WORDS, TLS_WORDS, USUAL_PORTS } from './connection-words.ts'

interface ConnectionFieldsProps extends FieldsProps<Connection> {
  readonly password: string
  readonly setPassword: (password: string) => void
}

const choicesOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }))

/** Where a database is, and who signs in to it. */
export function ConnectionFields(props: ConnectionFieldsProps) {
  const { value, set, errorOf, password, setPassword } = props
  const { kind, port } = value
  const line = (field: 'name' | 'host' | 'database' | 'user') => ({
    value: value[field],
    error: errorOf(field),
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      set({ [field]: event.currentTarget.value }),
  })
  const choose = (next: string) => {
    const chosen = next as Connection['kind']
    const isUsual = port === USUAL_PORTS[kind]
    set({ kind: chosen, ...(isUsual ? { port: USUAL_PORTS[chosen] } : {}) })
  }
  return (
    <>
      <Field label="Name" {...line('name')} />
      <Select
        label="Database"
        choices={choicesOf(KIND_WORDS)}
        value={kind}
        error={errorOf('kind')}
        onChoose={choose}
      />
      <Field label="Host" placeholder="db.example.com" {...line('host')} />
      <Field
        label="Port"
        inputMode="numeric"
        value={Number.isNaN(port) ? '' : String(port)}
        error={errorOf('port')}
        autoComplete="off"
        onChange={(event) => {
          const digits = event.currentTarget.value.replace(/\D/g, '').slice(0, 6)
          set({ port: digits === '' ? Number.NaN : Number(digits) })
        }}
      />
      <Field label={kind === 'ORACLE' ? 'Service' : 'Database name'} {...line('database')} />
      <Select
        label="Encryption"
        choices={choicesOf(TLS_WORDS)}
        value={value.tls}
        error={errorOf('tls')}
        onChoose={(tls) => set({ tls: tls as Connection['tls'] })}
      />
      <Field label="User" hint="Use a read-only database user" {...line('user')} />
      <Field
        label="Password"
        type="password"
        hint={
          value.hasPassword
            ? 'Stored encrypted and never shown. Enter it again if the server, database, encryption, or user changes'
            : 'Stored encrypted and never shown'
        }
        value={password}
        error={errorOf('password')}
        autoComplete="new-password"
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </>
  )
}
