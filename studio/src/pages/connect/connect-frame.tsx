import { type ReactNode, useEffect, useRef } from 'react'
import { useRole } from '../../api/session.ts'
import { Link } from '../../app/link.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import styles from './connect.module.css'

const PLACES = [
  { to: '/connect', label: 'Connectors' },
  { to: '/connect/connections', label: 'Connections' },
  { to: '/connect/send', label: 'Send data' },
  { to: '/connect/refused', label: 'Refused points', isForAdmins: true },
] as const

interface ConnectFrameProps {
  readonly title: string
  /** Which of the places it is of. */
  readonly here: (typeof PLACES)[number]['to']
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page under /connect, with the ways to the others. */
export function ConnectFrame({ title, here, actions, children }: ConnectFrameProps) {
  const places = useRef<HTMLElement>(null)
  useEffect(() => {
    // Where they do not fit side by side, the chosen one is brought into sight.
    const chosen = places.current?.querySelector('[data-here]')
    chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [])
  const role = useRole()
  const isAdmin = role === 'OWNER' || role === 'ADMIN'
  const seen = PLACES.filter((place) => isAdmin || !('isForAdmins' in place))
  return (
    <PageFrame title={title} actions={actions}>
      <nav ref={places} className={styles.places} aria-label="Connect pages">
        {seen.map(({ to, label }) => (
          <Link key={to} to={to} className={styles.place} data-here={to === here || undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </PageFrame>
  )
}
