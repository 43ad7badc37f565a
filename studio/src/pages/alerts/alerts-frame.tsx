import type { ReactNode } from 'react'
import { Link } from '../../app/link.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import styles from '../connect/connect.module.css'

const PLACES = [
  { to: '/alerts', label: 'Alerts' },
  { to: '/alerts/channels', label: 'Channels' },
] as const

interface AlertsFrameProps {
  readonly title: string
  /** Which of the places it is of. */
  readonly here: (typeof PLACES)[number]['to']
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page under /alerts, with links to the others. */
export function AlertsFrame({ title, here, actions, children }: AlertsFrameProps) {
  return (
    <PageFrame title={title} actions={actions}>
      <nav className={styles.places} aria-label="Alert pages">
        {PLACES.map(({ to, label }) => (
          <Link key={to} to={to} className={styles.place} data-here={to === here || undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </PageFrame>
  )
}
