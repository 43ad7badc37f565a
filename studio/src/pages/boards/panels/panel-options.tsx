import { listRecords, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Field } from '../../../ui/field.tsx'
import { missingOf } from '../../../ui/missing.tsx'
import { Select } from '../../../ui/select.tsx'
import { ZoneField } from '../../../ui/zone-field.tsx'
import type { Panel } from '../board-types.ts'

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
      {kind === 'gauge' && (
        <>
          <Bound of={panel} field="min" label="From" set={set} errorOf={errorOf} />
          <Bound of={panel} field="max" label="To" set={set} errorOf={errorOf} />
        </>
      )}
      {kind === 'table' && (
        <Field
          label="Rows"
          inputMode="numeric"
          value={String(options.rows)}
          error={errorOf('options.rows')}
          onChange={(event) => set({ rows: readNumber(event.currentTarget.value) as number })}
        />
      )}
      <Select
        label="Aggregate per"
        value={options.cycleId}
        hint={missingOf('cycles', asked)}
        error={errorOf('options.cycleId')}
        choices={[
          { value: '', label: 'None (raw samples)' },
          ...cycles.map(({ id, name }) => ({ value: id, label: (name || id).slice(0, 60) })),
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
    <Field
      label={label}
      inputMode="decimal"
      hint="Blank: automatic"
      autoComplete="off"
      value={String(of.options[field] ?? '')}
      error={errorOf(`options.${field}`)}
      onChange={(event) => set({ [field]: readNumber(event.currentTarget.value) })}
    />
  )
}

/** A number, null where nothing is written; what is none is left for the service to refuse. */
function readNumber(text: string): number | string | null {
  if (text.trim() === '') return null
  return Number.isFinite(Number(text)) ? Number(text) : text
}
