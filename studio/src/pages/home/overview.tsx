import type { ReactNode } from 'react'
import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useRole } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import { findPage } from '../../app/page-map.ts'
import { PageFrame } from '../../ui/page-frame.tsx'
import { DeviceList } from '../explore/devices/device-list.tsx'
import styles from './overview.module.css'

const SILENT_MS = 3_600_000

/** The organization at a glance: what there is, what is silent, what is wrong; and all devices. */
export function OverviewPage({ overview }: { readonly overview: Schema<'Overview'> }) {
  const { componentCount, streamCount, samplesPerMinute, silentCount } = overview
  return (
    <PageFrame title="Overview">
      <dl className={styles.figures}>
        <Figure label="Devices" value={componentCount} />
        <Figure label="Streams" value={streamCount} />
        <Figure label="Samples in the last minute" value={samplesPerMinute} />
        <Figure label="Silent for 1 hour" value={silentCount}>
          {silentCount > 0 && <Link to={`/?silent=${SILENT_MS}&sort=lastContact`}>Show</Link>}
        </Figure>
        <Alerts firing={overview.firingAlerts} />
      </dl>
      <DeviceList />
    </PageFrame>
  )
}

interface FigureProps {
  readonly label: string
  readonly value: number
  readonly isAlert?: boolean
  readonly children?: ReactNode
}

function Figure({ label, value, isAlert = false, children }: FigureProps) {
  return (
    <div className={styles.figure} data-alert={isAlert || undefined}>
      <dt>{label}</dt>
      <dd>
        {value.toLocaleString('en-GB')}
        {children}
      </dd>
    </div>
  )
}

/** The way to the alerts, or to the first one. */
function QuietAlerts() {
  const isGuest = useRole() === 'GUEST'
  const { data } = useQuery(['record', 'alert', 'count'], (signal) =>
    call('get', '/api/alert', { query: { limit: 1 }, signal }),
  )
  return data?.totalCount === 0 && !isGuest ? (
    <Link to="/alerts/new">Create alert</Link>
  ) : (
    <Link to="/alerts">Alerts</Link>
  )
}

/** How many alerts fire; nothing where the studio has no page of alerts. */
function Alerts({ firing }: { readonly firing: Readonly<Record<string, number>> }) {
  if (findPage('/alerts') === undefined) return null
  const count = Object.values(firing).reduce((sum, one) => sum + one, 0)
  return (
    <Figure label="Firing alerts" value={count} isAlert={count > 0}>
      {count > 0 ? <Link to="/alerts">Show</Link> : <QuietAlerts />}
    </Figure>
  )
}
