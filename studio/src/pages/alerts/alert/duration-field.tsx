import { useState } from 'react'
import { Field } from '../../../ui/field.tsx'

const MINUTE_MS = 60_000

interface DurationFieldProps {
  readonly label: string
  readonly hint: string
  readonly error: string | undefined
  readonly ms: number
  readonly onChange: (ms: number) => void
}

/** A duration, written in minutes. */
export function DurationField({ label, hint, error, ms, onChange }: DurationFieldProps) {
  const [typed, setTyped] = useState<string>()
  const shown = String(ms / MINUTE_MS)
  const isTyped = typed !== undefined && msOf(typed) === ms
  return (
    <Field
      label={`${label} (minutes)`}
      hint={hint}
      error={error}
      inputMode="decimal"
      autoComplete="off"
      value={isTyped ? typed : shown}
      onChange={(event) => {
        const text = event.currentTarget.value.replace(/[^\d.]/g, '').slice(0, 10)
        setTyped(text)
        onChange(msOf(text))
      }}
    />
  )
}

function msOf(text: string): number {
  return Math.round((Number(text) || 0) * MINUTE_MS)
}
