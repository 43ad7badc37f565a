import { type ReactNode, useEffect } from 'react'
import { LongHeading } from './long-heading.tsx'
import styles from './page-frame.module.css'

interface PageFrameProps {
  /** The heading, and the title of the tab. */
  readonly title: string
  /** What stands in the heading's place in sight; the title by default. */
  readonly heading?: ReactNode
  /** What stands above the heading. */
  readonly above?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page: its heading with actions, and what it shows. */
export function PageFrame({ title, heading, above, actions, children }: PageFrameProps) {
  useTitle(title)
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.heading}>
          {above}
          <LongHeading text={title}>{heading}</LongHeading>
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      <div className={styles.body}>{children}</div>
    </div>
  )
}

/** Names the tab of the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Weir`
  }, [title])
}
