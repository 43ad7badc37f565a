import type { ReactNode } from 'react'
import { Link } from '../../app/link.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import styles from './build.module.css'
import { KINDS } from './kinds.ts'

interface BuildFrameProps {
  readonly kind: string
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page under /build: the kinds beside it. */
export function BuildFrame({ kind, title, actions, children }: BuildFrameProps) {
  return (
    <PageFrame title={title} actions={actions}>
      <div className={styles.frame}>
        <nav className={styles.kinds} aria-label="Build pages">
          {KINDS.map((words) => (
            <Link
              key={words.kind}
              to={`/build/${words.kind}`}
              className={styles.kind}
              data-here={words.kind === kind || undefined}
            >
              {words.many}
            </Link>
          ))}
        </nav>
        <div className={styles.work}>{children}</div>
      </div>
    </PageFrame>
  )
}
