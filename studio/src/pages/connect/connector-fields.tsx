import { call } from '../../api/client.ts'
import { usePerson, useRole } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { Checkbox, Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { ZoneField } from '../../ui/zone-field.tsx'
import type { FieldsProps } from '../build/form.ts'
import styles from './connect.module.css'
import type { Connector } from './connector-types.ts'
import { startingPoints } from './starting-points.ts'

/** The fields of a connector beside its statements. */
export function ConnectorFields({ value, set, errorOf }: FieldsProps<Connector>) {
  const zone = value.procs[0]?.timeZoneId ?? 'UTC'
  const isImport = value.connType === 'DB_IMPORT'
  return (
    <>
      <Field
        label="ID"
        hint={isImport ? 'Used by the API' : 'Last part of the URL'}
        value={value.id}
        error={errorOf('id')}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => set({ id: event.currentTarget.value })}
      />
      <Field
        label="Name"
        placeholder={value.id}
        value={value.name}
        error={errorOf('name')}
        autoComplete="off"
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <RunsAs value={value} set={set} error={errorOf('runningUser')} />
      <ZoneField
        label="Time zone"
        hint="Used for times without a zone"
        value={zone}
        error={errorOf('procs[0].timeZoneId')}
        onChange={(timeZoneId) =>
          set({ procs: value.procs.map((proc) => ({ ...proc, timeZoneId })) })
        }
      />
      <div className={styles.whole}>
        <Checkbox
          label={isImport ? 'Enabled: runs on its schedule' : 'Enabled: the URL accepts requests'}
          checked={value.isEnabled}
          onChange={(event) => set({ isEnabled: event.currentTarget.checked })}
        />
      </div>
      {!isImport && <StartingPointField value={value} set={set} />}
    </>
  )
}

type FieldProps = Pick<FieldsProps<Connector>, 'value' | 'set'>

/** Whose rights hold while it runs: oneself; administrators may choose others. */
function RunsAs({ value, set, error }: FieldProps & { readonly error: string | undefined }) {
  const { userUid } = usePerson()
  const isAdministrator = ['OWNER', 'ADMIN'].includes(useRole())
  const { data } = useQuery(['org_user'], (signal) => call('get', '/api/org_user', { signal }), {
    isOff: !isAdministrator,
  })
  const people = (data?.org_user ?? []).map(({ uid, fullName, email }) => ({
    value: uid,
    label: fullName || email,
  }))
  const chosen = value.runningUser
  const known = [
    ...people,
    ...(chosen.uid === userUid
      ? []
      : [{ value: chosen.uid, label: chosen.name || 'Unknown person' }]),
    { value: userUid, label: 'You' },
  ]
  const choices = [...new Map(known.toReversed().map((one) => [one.value, one])).values()]
  const shown = choices.map((one) => {
    const named = people.find((person) => person.value === one.value)
    if (named === undefined) return one
    return { ...one, label: one.value === userUid ? `${named.label} (you)` : named.label }
  })
  return (
    <Select
      label="Runs as"
      hint="Samples are stored with this person’s rights"
      choices={shown}
      value={chosen.uid}
      error={error}
      onChoose={(uid) => {
        const name = people.find((one) => one.value === uid)?.label ?? ''
        set({ runningUser: { uid, name } })
      }}
    />
  )
}

/** Statements to begin with, as long as none of one's own are there. */
function StartingPointField({ value, set }: FieldProps) {
  const sql = value.procs[0]?.sql ?? ''
  const chosen = startingPoints.find((point) => point.sql === sql)
  if (value.procs.length > 1 || (chosen === undefined && sql.trim() !== '')) return null
  const choose = (id: string) => {
    const point = startingPoints.find((one) => one.id === id)
    const zone = value.procs[0]?.timeZoneId ?? 'UTC'
    const { sql: text, timeZoneId } = point ?? { sql: '', timeZoneId: zone }
    set({ procs: [{ sql: text, timeZoneId: timeZoneId === 'UTC' ? zone : timeZoneId }] })
  }
  return (
    <div className={styles.whole}>
      <Select
        label="Start from"
        hint={chosen?.hint ?? 'Example SQL and payload to adapt'}
        value={chosen?.id ?? ''}
        choices={[
          { value: '', label: 'Empty' },
          ...startingPoints.map(({ id, label }) => ({ value: id, label })),
        ]}
        onChoose={choose}
      />
    </div>
  )
}
