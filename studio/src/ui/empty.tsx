import type { ReactNode } from 'react'
import styles from './empty.module.css'

/** What an empty list shows: one line on what belongs here, and the button that makes the first. */
export function Empty({
  text,
  children,
}: {
  readonly text: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <div className={styles.empty}>
      <p>{text}</p>
      {children}
    </div>
  )
}
