import type { Schema } from '../../../api/paths.ts'
import { Field } from '../../../ui/field.tsx'
import { numberOf } from '../form.ts'
import styles from './location-fields.module.css'

type Location = Schema<'Location'>

const PARTS = [
  ['latitude', 'Latitude'],
  ['longitude', 'Longitude'],
  ['altitude', 'Altitude in m'],
] as const

interface LocationFieldsProps {
  readonly location: Location | null
  readonly onChange: (location: Location | null) => void
  readonly errorOf: (field: string) => string | undefined
}

/** Where something stands; every part may stay blank. */
export function LocationFields({ location, onChange, errorOf }: LocationFieldsProps) {
  const set = (part: string, text: string) => {
    const { [part as keyof Location]: _, ...rest } = location ?? {}
    const next = text === '' ? rest : { ...rest, [part]: numberOf(text) }
    onChange(Object.keys(next).length === 0 ? null : (next as Location))
  }
  return (
    <fieldset className={styles.location}>
      <legend>Location</legend>
      {PARTS.map(([part, label]) => (
        <Field
          key={part}
          label={label}
          inputMode="decimal"
          autoComplete="off"
          value={String(location?.[part] ?? '')}
          error={errorOf(`location.${part}`)}
          onChange={(event) => set(part, event.currentTarget.value)}
        />
      ))}
    </fieldset>
  )
}
