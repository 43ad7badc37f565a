import { lazy } from 'react'
import type { PageEntry } from '../../app/page-entry.ts'

/** The page is shown also when the badge cannot be loaded. */
const FiringBadge = lazy(() =>
  import('./firing-badge.tsx').then(
    ({ FiringBadge: Badge }) => ({ default: Badge }),
    () => ({ default: () => null }),
  ),
)

/** Alerts, and the channels that they are sent to. */
export const pages: readonly PageEntry[] = [
  {
    path: '/alerts',
    title: 'Alerts',
    load: () => import('./alert/alerts-page.tsx').then(({ AlertsPage }) => ({ Page: AlertsPage })),
    nav: {
      label: 'Alerts',
      to: '/alerts',
      icon: 'bell',
      order: 25,
      holds: ['/alerts'],
      Badge: FiringBadge,
    },
  },
  {
    path: '/alerts/:uid',
    load: () => import('./alert/alert-page.tsx').then(({ AlertPage }) => ({ Page: AlertPage })),
  },
  {
    path: '/alerts/channels',
    title: 'Alert channels',
    load: () =>
      import('./channel/channels-page.tsx').then(({ ChannelsPage }) => ({ Page: ChannelsPage })),
  },
  {
    path: '/alerts/channels/:uid',
    load: () =>
      import('./channel/channel-page.tsx').then(({ ChannelPage }) => ({ Page: ChannelPage })),
  },
]
