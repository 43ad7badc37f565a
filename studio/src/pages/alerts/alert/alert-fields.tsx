import { listRecords, recordKey } from '../../../api/records.ts'
import { useRole } from '../../../api/session.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Link } from '../../../app/link.tsx'
import { usePlace } from '../../../app/place.ts'
import { Checkbox, Field, TextArea } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { useChoices } from '../../build/fields/use-choices.ts'
import type { FieldsProps } from '../../build/form.ts'
import { newChannelPath } from '../new-channel-path.ts'
import styles from './alert.module.css'
import { type Alert, SEVERITY_WORDS } from './alert-words.ts'
import { DurationField } from './duration-field.tsx'
import { WatchedFields } from './watched-fields.tsx'

const SEVERITIES = Object.entries(SEVERITY_WORDS).map(([value, label]) => ({ value, label }))

/** What an alert watches, when it fires, and who is notified. */
export function AlertFields(props: FieldsProps<Alert>) {
  const { value, set, errorOf } = props
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
        label="Severity"
        choices={SEVERITIES}
        value={value.severity}
        error={errorOf('severity')}
        onChoose={(severity) => set({ severity: severity as Alert['severity'] })}
      />
      <WatchedFields {...props} />
      <ConditionFields {...props} />
      <NoticeFields {...props} />
      <Checkbox
        label="Enabled"
        checked={value.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
    </>
  )
}

function ConditionFields({ value, set, errorOf }: FieldsProps<Alert>) {
  const isCustom = ({ sizeType }: { readonly sizeType?: string }) => sizeType === 'CUSTOM'
  const active = useChoices('cycle', value.cycle?.uid ?? '', 'Always', isCustom)
  const condition = (field: 'condition' | 'clearCondition', label: string, hint: string) => (
    <TextArea
      label={label}
      hint={hint}
      rows={2}
      value={value[field]}
      error={errorOf(field)}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => set({ [field]: event.currentTarget.value })}
    />
  )
  return (
    <>
      {condition('condition', 'Fire when', 'An expression, such as value > 80')}
      <DurationField
        label="For"
        hint="How long the condition must hold. 0: fire at once"
        ms={value.forMs}
        error={errorOf('forMs')}
        onChange={(forMs) => set({ forMs })}
      />
      {condition(
        'clearCondition',
        'Resolve when',
        'Such as value < 75. Blank: when the condition no longer holds',
      )}
      <DurationField
        label="Silent for"
        hint="Fire if no sample arrives for this time. 0: off"
        ms={value.silentForMs}
        error={errorOf('silentForMs')}
        onChange={(silentForMs) => set({ silentForMs })}
      />
      <Select
        label="Active times"
        hint={active.hint ?? 'Periods of a custom cycle, which is made under Build'}
        choices={active.choices}
        value={value.cycle?.uid ?? ''}
        error={errorOf('cycle')}
        onChoose={(uid) => set({ cycle: uid === '' ? null : { uid } })}
      />
    </>
  )
}

function NoticeFields({ value, set, errorOf }: FieldsProps<Alert>) {
  return (
    <>
      <ChannelChoices value={value} set={set} error={errorOf('channels')} />
      <TextArea
        label="Message"
        hint="With {value}, {time}, {component}, {stream}"
        rows={2}
        value={value.message}
        error={errorOf('message')}
        onChange={(event) => set({ message: event.currentTarget.value })}
      />
      <DurationField
        label="Remind every"
        hint="While the alert fires and nobody has acknowledged it. 0: never"
        ms={value.repeatMs}
        error={errorOf('repeatMs')}
        onChange={(repeatMs) => set({ repeatMs })}
      />
      <Checkbox
        label="Notify when resolved"
        checked={value.notifyClear}
        onChange={(event) => set({ notifyClear: event.currentTarget.checked })}
      />
    </>
  )
}

interface ChannelChoicesProps extends Pick<FieldsProps<Alert>, 'value' | 'set'> {
  readonly error: string | undefined
}

function ChannelChoices({ value: { channels }, set, error }: ChannelChoicesProps) {
  const { data } = useQuery(recordKey('channel', 'all'), (signal) =>
    listRecords('channel', { limit: '1000' }, signal),
  )
  const rows = data?.rows ?? []
  const isReader = useRole() === 'GUEST'
  const place = usePlace()
  return (
    <fieldset className={styles.choices}>
      <legend>Channels</legend>
      {data !== undefined && rows.length === 0 && (
        <p>
          No channels.
          {!isReader && (
            <>
              {' '}
              <Link to={newChannelPath(place)}>Create one</Link> to send notices.
            </>
          )}
        </p>
      )}
      {rows.map(({ uid, name }) => (
        <Checkbox
          key={uid}
          label={name}
          checked={channels.some((one) => one.uid === uid)}
          onChange={(event) => {
            const others = channels.filter((one) => one.uid !== uid)
            set({ channels: event.currentTarget.checked ? [...others, { uid }] : others })
          }}
        />
      ))}
      {error !== undefined && <p role="alert">{error}</p>}
    </fieldset>
  )
}
