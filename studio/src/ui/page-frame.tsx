import { type ReactNode, useEffect } from 'react'
import { LongHeading } from './long-heading.tsx'
import { MorePanel } from './more-panel.tsx'
import styles from './page-frame.module.css'
import { useNarrow } from './use-narrow.ts'

interface PageFrameProps {
  /** The heading, and the title of the tab. */
  readonly title: string
  /** What stands in the heading's place in sight; the title by default. */
  readonly heading?: ReactNode
  /** What stands above the heading. */
  readonly above?: ReactNode
  readonly actions?: ReactNode
  /** On a phone the actions are in a panel, so that the page begins higher. */
  readonly foldsActions?: boolean
  readonly children: ReactNode
}

/** A page: its heading with actions, and what it shows. */
export function PageFrame(props: PageFrameProps) {
  const { title, heading, above, actions, foldsActions = false, children } = props
  const isFolded = useNarrow() && foldsActions
  useTitle(title)
  return (
    <div className={styles.page} data-folded={isFolded || undefined}>
      <header className={styles.head}>
        <div className={styles.heading}>
          {above}
          <LongHeading text={title}>{heading}</LongHeading>
        </div>
        {actions !== undefined && (
          <div className={styles.actions}>
            {isFolded ? <MorePanel label="More actions">{actions}</MorePanel> : actions}
          </div>
        )}
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
