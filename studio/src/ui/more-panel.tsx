import { type ReactNode, useRef, useState } from 'react'
import { IconButton } from './button.tsx'
import styles from './more-panel.module.css'
import { useLeave } from './use-leave.ts'

interface MorePanelProps {
  /** What the panel holds, for screen readers. */
  readonly label: string
  /** Closes the panel when one of its plain buttons is used. */
  readonly closesOnAct?: boolean
  readonly children: ReactNode
}

/** A button with three dots that opens a panel of further controls. */
export function MorePanel({ label, closesOnAct = false, children }: MorePanelProps) {
  const [isOpen, setIsOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useLeave(place, isOpen, () => setIsOpen(false))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what the button opens.
    <div
      ref={place}
      className={styles.place}
      onKeyDown={(event) => event.key === 'Escape' && setIsOpen(false)}
    >
      <IconButton
        icon="more"
        label={label}
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        onClick={() => setIsOpen(!isOpen)}
      />
      {isOpen && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard clicks the buttons inside.
        <div
          className={styles.panel}
          role="dialog"
          aria-label={label}
          onClick={(event) => {
            const { target } = event
            if (closesOnAct && target instanceof Element && target.closest('button') !== null) {
              setIsOpen(false)
              // A dialog that the button opens returns the focus here.
              place.current?.querySelector('button')?.focus()
            }
          }}
        >
          {children}
        </div>
      )}
    </div>
  )
}
