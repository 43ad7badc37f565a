import type { ButtonHTMLAttributes, Ref } from 'react'
import styles from './button.module.css'
import { classes } from './classes.ts'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'normal' | 'primary' | 'danger' | 'plain'
  /** While true a click does nothing; the button keeps the focus. */
  readonly isBusy?: boolean
  readonly icon?: IconName
  readonly ref?: Ref<HTMLButtonElement>
}

/** A button; `type` is `button` unless it says `submit`. */
export function Button(props: ButtonProps) {
  const { kind = 'normal', isBusy = false, icon, className, onClick, children, ...rest } = props
  const look = kind === 'normal' ? undefined : styles[kind]
  return (
    <button
      type="button"
      {...rest}
      className={classes(styles.button, look, className)}
      aria-disabled={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {icon !== undefined && <Icon name={icon} size={18} />}
      {children}
    </button>
  )
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName
  /** What the button does, for screen readers and as a hint. */
  readonly label: string
}

/** A button that shows an icon only. */
export function IconButton({ icon, label, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(styles.button, styles.plain, styles.iconOnly, className)}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} />
    </button>
  )
}
