import type { ReactNode, SelectHTMLAttributes } from 'react'
import { classes } from './classes.ts'
import styles from './field.module.css'
import { FieldFrame } from './field.tsx'

/** One of the choices. */
export interface Choice {
  readonly value: string
  readonly label: string
}

interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'onChange'> {
  readonly label: string
  readonly isLabelHidden?: boolean
  readonly hint?: ReactNode
  readonly error?: string
  readonly choices: readonly Choice[]
  readonly onChoose: (value: string) => void
}

/** A choice of one among some, with its label, hint and error. */
export function Select(props: SelectProps) {
  const { label, isLabelHidden, hint, error, choices, onChoose, className, ...select } = props
  return (
    <FieldFrame label={label} isLabelHidden={isLabelHidden} hint={hint} error={error}>
      {(tied) => (
        <select
          {...select}
          {...tied}
          className={classes(styles.input, className)}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          {choices.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  )
}
