import type { ComponentProps } from 'react'
import { Field } from '../field.tsx'

type TimeFieldProps = Omit<ComponentProps<typeof Field>, 'type' | 'placeholder'>

/**
 * A day and time as they are written everywhere: `2026-11-15 16:31:48`. The inputs of browsers would write them in
 * the way of the system.
 */
export function TimeField(props: TimeFieldProps) {
  return (
    <Field
      {...props}
      autoComplete="off"
      spellCheck={false}
      inputMode="numeric"
      placeholder="2026-11-15 16:31:48"
    />
  )
}
