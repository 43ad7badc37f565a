import type { ReactNode } from 'react'
import type { Schema } from '../../../api/paths.ts'
import { listRecords, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { missingOf } from '../../../ui/missing.tsx'
import { type Choice, Select } from '../../../ui/select.tsx'
import styles from '../build.module.css'
import { type FieldsProps, shownName } from '../form.ts'
import { TextField } from './text-field.tsx'

/** A stream as an editor has it: of a component or of a template. */
export type StreamDraft = Schema<'TemplateStream'>

const KINDS: readonly Choice[] = [
  { value: 'rdm_stream', label: 'Random: samples at any time' },
  { value: 'intvl_stream', label: 'Interval: one value for each period of a cycle' },
  { value: 'point_stream', label: 'Point: the newest value only' },
]

const VALUES: readonly Choice[] = [
  { value: '', label: 'As its first sample is' },
  ...['DOUBLE', 'FLOAT', 'LONG', 'INTEGER', 'SHORT', 'BIG_DECIMAL'],
  ...['BOOLEAN', 'STRING', 'DATETIME', 'LATITUDE', 'LONGITUDE', 'ELEVATION', 'FILE'],
].map((one) => (typeof one === 'string' ? { value: one, label: one } : one))

const ROLLUPS: readonly Choice[] = [
  { value: 'avg', label: 'Mean' },
  { value: 'sum', label: 'Sum' },
  { value: 'min', label: 'Minimum' },
  { value: 'max', label: 'Maximum' },
  { value: 'first', label: 'First' },
  { value: 'last', label: 'Last' },
]

const KIND_WORDS = {
  unit: 'The units',
  cycle: 'The cycles',
  delete_profile: 'The delete profiles',
} as const

interface Choices {
  readonly choices: readonly Choice[]
  /** Why there are none. */
  readonly hint: ReactNode
}

/** The records of a kind as choices, with none before them; one that is chosen and not among them stays. */
function useChoices(kind: keyof typeof KIND_WORDS, chosen: string, none: string): Choices {
  const asked = useQuery(recordKey(kind, 'all'), (signal) =>
    listRecords(kind, { limit: '1000' }, signal),
  )
  const rows: ReadonlyArray<{ readonly uid: string; readonly name: string; readonly id: string }> =
    asked.data?.rows ?? []
  const known = rows.map((row) => ({ value: row.uid, label: shownName(row).slice(0, 80) }))
  const isKnown = chosen === '' || known.some(({ value }) => value === chosen)
  const first = { value: '', label: none }
  const kept = isKnown ? [] : [{ value: chosen, label: 'The one it has' }]
  return { choices: [first, ...kept, ...known], hint: missingOf(KIND_WORDS[kind], asked) }
}

/** The fields of a stream. */
export function StreamFields(props: FieldsProps<StreamDraft>) {
  const { value, set, errorOf, isNew } = props
  const isTyped = !isNew && value.valueType !== ''
  const isInterval = value.streamType === 'intvl_stream'
  const unit = value.unit?.uid ?? ''
  const cycle = value.baseCycle?.uid ?? ''
  const profile = value.delete_profile?.uid ?? ''
  const units = useChoices('unit', unit, 'No unit')
  const cycles = useChoices('cycle', cycle, 'Choose a cycle')
  const profiles = useChoices('delete_profile', profile, 'For ever')
  const referred = (uid: string) => (uid === '' ? null : { uid })
  return (
    <>
      <TextField of={props} field="name" label="Name" />
      <TextField
        of={props}
        field="id"
        label="ID"
        hint="Devices send by it; unique in its component"
      />
      <Select
        label="Kind"
        hint={isNew ? undefined : 'Stays as it was made'}
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
        label="Values"
        hint={isTyped ? 'Stays as it was made' : undefined}
        disabled={isTyped}
        value={value.valueType}
        error={errorOf('valueType')}
        choices={VALUES}
        onChoose={(valueType) => set({ valueType } as Partial<StreamDraft>)}
      />
      {isInterval && (
        <Select
          label="Base cycle"
          hint={
            cycles.hint ?? (isNew ? 'One value for each of its periods' : 'Stays as it was made')
          }
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
        label="Longer periods show its"
        value={value.rollupMethod}
        error={errorOf('rollupMethod')}
        choices={ROLLUPS}
        onChoose={(rollupMethod) => set({ rollupMethod } as Partial<StreamDraft>)}
      />
      <Select
        label="Keeps samples"
        value={profile}
        error={errorOf('delete_profile')}
        {...profiles}
        onChoose={(uid) => set({ delete_profile: referred(uid) })}
      />
      <div className={styles.whole}>
        <TextField of={props} field="description" label="Description" isLong />
      </div>
    </>
  )
}
