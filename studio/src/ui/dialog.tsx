import { type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'
import styles from './dialog.module.css'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly isWide?: boolean
  /** Near the top of the page, for what grows while one types. */
  readonly isTop?: boolean
  /** The title is for screen readers only, and there is no button to close. */
  readonly isBare?: boolean
  /** Escape does nothing: there is no going on without it. */
  readonly isFirm?: boolean
}

/**
 * A dialog over the page while it is mounted: the browser's own, which keeps the focus and gives it back.
 * What has `data-autofocus` gets it first.
 */
export function Dialog(props: DialogProps) {
  const { title, onClose, children, isWide, isTop, isBare = false, isFirm = false } = props
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    if (dialog?.open === false) dialog.showModal()
    // React's autoFocus comes before the dialog is shown, when nothing in it can have the focus.
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className={classes(styles.dialog, isWide && styles.wide, isTop && styles.top)}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        if (!isFirm) onClose()
      }}
      onKeyDown={(event) => {
        // A second Escape would close the dialog past onCancel.
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        if (!isFirm) onClose()
      }}
    >
      {isBare ? (
        <h2 id={titleId} className="visually-hidden">
          {title}
        </h2>
      ) : (
        <div className={styles.head}>
          <h2 id={titleId}>{title}</h2>
          {!isFirm && <IconButton icon="close" label="Close" onClick={onClose} />}
        </div>
      )}
      <div className={isBare ? undefined : styles.body}>{children}</div>
    </dialog>
  )
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}
