import { type ComponentProps, useState } from 'react'
import { Field } from './field.tsx'

interface NumberFieldProps extends Omit<ComponentProps<typeof Field>, 'value' | 'onChange'> {
  /** Text that is no number stays as it is, for the service to refuse. */
  readonly value: number | string | null | undefined
  readonly onValue: (value: number | string | null) => void
}

/** A number; null where nothing is written. What was typed stays as it is: `1.` becomes `1.5`. */
export function NumberField({ value, onValue, ...field }: NumberFieldProps) {
  const [typed, setTyped] = useState(String(value ?? ''))
  const isSame = readNumber(typed) === (value ?? null)
  return (
    <Field
      inputMode="decimal"
      autoComplete="off"
      {...field}
      value={isSame ? typed : String(value ?? '')}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        onValue(readNumber(event.currentTarget.value))
      }}
    />
  )
}

function readNumber(text: string): number | string | null {
  if (text.trim() === '') return null
  return Number.isFinite(Number(text)) ? Number(text) : text
}
