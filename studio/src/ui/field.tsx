import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react'
import { classes } from './classes.ts'
import styles from './field.module.css'

/** What a field's label, hint and error have in common. */
interface Around {
  readonly label: string
  readonly hint?: ReactNode
  /** What is wrong with the field, in the service's words. */
  readonly error?: string
  /** The label is for screen readers only. */
  readonly isLabelHidden?: boolean
}

/** The attributes that tie an input to what stands around it. */
interface Tied {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean | undefined
}

/** A label, the input that `children` draws, its hint and its error. */
export function FieldFrame({
  label,
  hint,
  error,
  isLabelHidden = false,
  children,
}: Around & { readonly children: (tied: Tied) => ReactNode }) {
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const described = [hint !== undefined && hintId, error !== undefined && errorId]
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': classes(...described) || undefined,
        'aria-invalid': error !== undefined || undefined,
      })}
      {hint !== undefined && (
        <span id={hintId} className={styles.hint}>
          {hint}
        </span>
      )}
      {error !== undefined && (
        <span id={errorId} className={styles.error} role="alert">
          {error}
        </span>
      )}
    </div>
  )
}

type InputProps = Around & Omit<InputHTMLAttributes<HTMLInputElement>, 'id'>

/** A line of text with its label, hint and error. */
export function Field({ label, hint, error, isLabelHidden, className, ...input }: InputProps) {
  return (
    <FieldFrame label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {(tied) => <input {...input} {...tied} className={classes(styles.input, className)} />}
    </FieldFrame>
  )
}

type AreaProps = Around & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id'>

/** Lines of text with their label, hint and error. */
export function TextArea({ label, hint, error, isLabelHidden, className, ...area }: AreaProps) {
  return (
    <FieldFrame label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {(tied) => <textarea {...area} {...tied} className={classes(styles.input, className)} />}
    </FieldFrame>
  )
}

type CheckboxProps = { readonly label: ReactNode } & Omit<
  InputHTMLAttributes<HTMLInputElement>,
  'id' | 'type'
>

/** A box to tick, with its words behind it. */
export function Checkbox({ label, ...input }: CheckboxProps) {
  const id = useId()
  return (
    <div className={styles.checkbox}>
      <input {...input} id={id} type="checkbox" />
      <label htmlFor={id}>{label}</label>
    </div>
  )
}

/** An error that belongs to no field of a form. */
export function FormAlert({ children }: { readonly children?: ReactNode }) {
  return (
    <p className={styles.alert} role="alert">
      {children}
    </p>
  )
}
