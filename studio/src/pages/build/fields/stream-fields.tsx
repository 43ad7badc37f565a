import { type Choice, Select } from '../../../ui/select.tsx'
import styles from '../build.module.css'
import type { DerivePlace } from '../derive/derivation-draft.ts'
import { DerivationFields } from '../derive/derivation-fields.tsx'
import type { FieldsProps } from '../form.ts'
import type { StreamDraft } from '../stream-draft.ts'
import { LabelFields } from './label-fields.tsx'
import { TextField } from './text-field.tsx'
import { useChoices } from './use-choices.ts'

const KINDS: readonly Choice[] = [
  { value: 'rdm_stream', label: 'Random: samples at any time' },
  { value: 'intvl_stream', label: 'Interval: one value per period of a cycle' },
  { value: 'point_stream', label: 'Point: only the latest value' },
]

const VALUES: readonly Choice[] = [
  { value: '', label: 'Set by the first sample' },
  'DOUBLE',
  'FLOAT',
  'LONG',
  'INTEGER',
  'SHORT',
  'BIG_DECIMAL',
  'BOOLEAN',
  'STRING',
  'DATETIME',
  'LATITUDE',
  'LONGITUDE',
  'ELEVATION',
  'FILE',
].map((one) => (typeof one === 'string' ? { value: one, label: one } : one))

const ROLLUPS: readonly Choice[] = [
  { value: 'avg', label: 'Mean' },
  { value: 'sum', label: 'Sum' },
  { value: 'min', label: 'Minimum' },
  { value: 'max', label: 'Maximum' },
  { value: 'first', label: 'First' },
  { value: 'last', label: 'Last' },
]

interface StreamFieldsProps extends FieldsProps<StreamDraft> {
  /** What it may be derived from. */
  readonly place: DerivePlace
}

/** The fields of a stream. */
export function StreamFields(props: StreamFieldsProps) {
  const { value, set, errorOf, isNew } = props
  const isTyped = !isNew && value.valueType !== ''
  const isInterval = value.streamType === 'intvl_stream'
  const unit = value.unit?.uid ?? ''
  const cycle = value.baseCycle?.uid ?? ''
  const profile = value.delete_profile?.uid ?? ''
  const units = useChoices('unit', unit, 'No unit')
  const cycles = useChoices('cycle', cycle, 'Choose a cycle')
  const profiles = useChoices('delete_profile', profile, 'Forever')
  const referred = (uid: string) => (uid === '' ? null : { uid })
  return (
    <>
      <TextField of={props} field="name" label="Name" />
      <TextField
        of={props}
        field="id"
        label="ID"
        hint="Devices send it as streamId. Unique in the component"
      />
      <Select
        label="Kind"
        hint={isNew ? undefined : 'Cannot be changed'}
        disabled={!isNew}
        value={value.streamType}
        error={errorOf('streamType')}
        choices={KINDS}
        onChoose={(streamType) => {
          const baseCycle = streamType === 'intvl_stream' ? value.baseCycle : null
          set({ streamType, baseCycle } as Partial<StreamDraft>)
        }}
      />
      <Select
        label="Value type"
        hint={isTyped ? 'Cannot be changed' : undefined}
        disabled={isTyped}
        value={value.valueType}
        error={errorOf('valueType')}
        choices={VALUES}
        onChoose={(valueType) => set({ valueType } as Partial<StreamDraft>)}
      />
      {isInterval && (
        <Select
          label="Base cycle"
          hint={cycles.hint ?? (isNew ? 'One value per period' : 'Cannot be changed')}
          disabled={!isNew}
          value={cycle}
          error={errorOf('baseCycle')}
          choices={cycles.choices}
          onChoose={(uid) =>
            set({ baseCycle: uid === '' ? null : { uid, id: '' } } as Partial<StreamDraft>)
          }
        />
      )}
      <Select
        label="Unit"
        value={unit}
        error={errorOf('unit')}
        {...units}
        onChoose={(uid) => set({ unit: referred(uid) })}
      />
      <Select
        label="Aggregate by"
        value={value.rollupMethod}
        error={errorOf('rollupMethod')}
        choices={ROLLUPS}
        onChoose={(rollupMethod) => set({ rollupMethod } as Partial<StreamDraft>)}
      />
      <Select
        label="Retention"
        value={profile}
        error={errorOf('delete_profile')}
        {...profiles}
        onChoose={(uid) => set({ delete_profile: referred(uid) })}
      />
      <DerivationFields {...props} />
      <div className={styles.whole}>
        <TextField of={props} field="description" label="Description" isLong />
      </div>
      <LabelFields
        labels={value.labels}
        error={errorOf('labels')}
        onChange={(labels) => set({ labels })}
      />
    </>
  )
}
