import { listRecords, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { cycleWords } from '../../../chart/cycle-words.ts'
import { missingOf } from '../../../ui/missing.tsx'
import { NumberField } from '../../../ui/number-field.tsx'
import { Select } from '../../../ui/select.tsx'
import { ZoneField } from '../../../ui/zone-field.tsx'
import type { Panel } from '../board-types.ts'
import { ThresholdRows } from './threshold-rows.tsx'

const STATISTICS: ReadonlyArray<readonly [string, string]> = [
  ['avg', 'Mean'],
  ['min', 'Minimum'],
  ['max', 'Maximum'],
  ['sum', 'Sum'],
  ['first', 'First'],
  ['last', 'Last'],
  ['nongapcount', 'Count'],
]

interface PanelOptionsProps {
  readonly panel: Panel
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (changes: Partial<Panel>) => void
}

/** The options of a panel, of those that its kind has. */
export function PanelOptions({ panel, errorOf, onChange }: PanelOptionsProps) {
  const { kind, options } = panel
  const set = (changes: Partial<Panel['options']>) =>
    onChange({ options: { ...options, ...changes } })
  const asked = useQuery(recordKey('cycle', 'all'), (signal) =>
    listRecords('cycle', { limit: '1000' }, signal),
  )
  const cycles = (asked.data?.rows ?? []).filter(({ id }) => id !== '')
  const isKnown = options.cycleId === '' || cycles.some(({ id }) => id === options.cycleId)
  return (
    <>
      {(kind === 'gauge' || kind === 'chart') && (
        <>
          <Bound
            of={panel}
            field="min"
            label={kind === 'chart' ? 'Axis from' : 'From'}
            set={set}
            errorOf={errorOf}
          />
          <Bound
            of={panel}
            field="max"
            label={kind === 'chart' ? 'Axis to' : 'To'}
            set={set}
            errorOf={errorOf}
          />
        </>
      )}
      <NumberField
        label="Decimals"
        inputMode="numeric"
        hint="Blank: automatic"
        value={options.decimals}
        error={errorOf('options.decimals')}
        onValue={(decimals) => set({ decimals: (decimals ?? undefined) as number | undefined })}
      />
      {kind === 'table' && (
        <NumberField
          label="Rows"
          inputMode="numeric"
          value={options.rows}
          error={errorOf('options.rows')}
          onValue={(rows) => set({ rows: rows as number })}
        />
      )}
      <Select
        label="Aggregate per"
        value={options.cycleId}
        hint={missingOf('cycles', asked)}
        error={errorOf('options.cycleId')}
        choices={[
          { value: '', label: 'None (raw samples)' },
          ...cycles.map(({ id, name }) => ({
            value: id,
            label: cycleWords(name || id).slice(0, 60),
          })),
          // What is chosen stays, though it is not among those that are known.
          ...(isKnown ? [] : [{ value: options.cycleId, label: options.cycleId.slice(0, 60) }]),
        ]}
        onChoose={(cycleId) => set({ cycleId, stat: cycleId === '' ? '' : options.stat || 'avg' })}
      />
      {options.cycleId !== '' && (
        <Select
          label="Statistic"
          value={options.stat}
          error={errorOf('options.stat')}
          choices={STATISTICS.map(([value, label]) => ({ value, label }))}
          onChoose={(stat) => set({ stat })}
        />
      )}
      {(kind === 'chart' || kind === 'table') && (
        <ZoneField
          label="Time zone"
          hint="Leave blank for the time zone of the component"
          value={options.timeZoneId}
          error={errorOf('options.timeZoneId')}
          onChange={(timeZoneId) => set({ timeZoneId })}
        />
      )}
      {kind !== 'table' && (
        <ThresholdRows
          thresholds={options.thresholds ?? []}
          errorOf={errorOf}
          onChange={(thresholds) => set({ thresholds })}
        />
      )}
    </>
  )
}

interface BoundProps {
  readonly of: Panel
  readonly field: 'min' | 'max'
  readonly label: string
  readonly set: (changes: Partial<Panel['options']>) => void
  readonly errorOf: (field: string) => string | undefined
}

function Bound({ of, field, label, set, errorOf }: BoundProps) {
  return (
    <NumberField
      label={label}
      hint="Blank: automatic"
      value={of.options[field]}
      error={errorOf(`options.${field}`)}
      onValue={(value) => set({ [field]: value })}
    />
  )
}
