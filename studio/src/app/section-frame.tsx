import { type ReactNode, useEffect, useRef } from 'react'
import { useRole } from '../api/session.ts'
import { PageFrame } from '../ui/page-frame.tsx'
import { Breadcrumbs, type Crumb } from './breadcrumbs.tsx'
import { Link } from './link.tsx'
import styles from './section-frame.module.css'

/** Pages that belong together, such as those under Connect. */
export interface Section {
  readonly label: string
  readonly places: readonly SectionPlace[]
}

/** A page of the secondary navigation. */
export interface SectionPlace extends Crumb {
  /** Roles that see it. Default: all. */
  readonly roles?: readonly string[]
}

/** The roles that may change records and send samples. */
export const WRITERS: readonly string[] = ['OWNER', 'ADMIN', 'MEMBER']

/** The roles that administer an organization. */
export const ADMINS: readonly string[] = ['OWNER', 'ADMIN']

interface SectionFrameProps {
  readonly section: Section
  /** The path of the place that the page belongs to. */
  readonly here: string
  /** The name of a record below the place. Without it, the page is the place itself. */
  readonly title?: string
  /** Records between the place and this one. */
  readonly trail?: readonly Crumb[]
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page of a section: the links to its other pages and, for a record, the way up. */
export function SectionFrame(props: SectionFrameProps) {
  const { section, here, title, trail = [], actions, children } = props
  const role = useRole()
  const links = useRef<HTMLElement>(null)
  useEffect(() => {
    // Where not all fit side by side, the current one is scrolled into view.
    const current = links.current?.querySelector(`[data-here="${here}"]`)
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [here])
  const seen = section.places.filter(({ roles }) => roles === undefined || roles.includes(role))
  const place = section.places.find(({ to }) => to === here) ?? section.places[0]
  return (
    <PageFrame
      title={title ?? place.label}
      above={title === undefined ? undefined : <Breadcrumbs of={[place, ...trail]} />}
      actions={actions}
    >
      <nav ref={links} className={styles.places} aria-label={`${section.label} pages`}>
        {seen.map(({ to, label }) => (
          <Link key={to} to={to} className={styles.place} data-here={to === here ? to : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </PageFrame>
  )
}
