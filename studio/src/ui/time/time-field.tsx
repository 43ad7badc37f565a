import { type ComponentProps, useState } from 'react'
import { Field } from '../field.tsx'
import { isInput } from './input-time.ts'

type TimeFieldProps = Omit<ComponentProps<typeof Field>, 'type' | 'placeholder' | 'value'> & {
  readonly value: string
  /** Whether it is a day without a time. */
  readonly isDay?: boolean
}

/**
 * A day and time as they are written everywhere: `2026-11-15 16:31:48`. The inputs of browsers would write them in
 * the way of the system.
 */
export function TimeField({ isDay = false, error, ...props }: TimeFieldProps) {
  const [isLeft, setIsLeft] = useState(false)
  const example = isDay ? '2026-11-15' : '2026-11-15 16:31:48'
  const isWrong = isLeft && props.value !== '' && !isInput(props.value)
  return (
    <Field
      {...props}
      autoComplete="off"
      spellCheck={false}
      inputMode="numeric"
      placeholder={example}
      error={
        error ?? (isWrong ? `Enter a ${isDay ? 'day' : 'time'} such as ${example}.` : undefined)
      }
      onFocus={() => setIsLeft(false)}
      onBlur={() => setIsLeft(true)}
    />
  )
}
