import { useId } from 'react'
import { Field } from './field.tsx'

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')]

interface ZoneFieldProps {
  readonly label: string
  readonly hint?: string
  readonly error?: string
  readonly value: string
  readonly onChange: (zone: string) => void
}

/** A time zone, typed with the names that the browser knows as suggestions. */
export function ZoneField({ value, onChange, ...around }: ZoneFieldProps) {
  const listId = useId()
  return (
    <>
      <Field
        {...around}
        value={value}
        list={listId}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}
