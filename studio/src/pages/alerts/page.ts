import type { PageEntry } from '../../app/page-entry.ts'

/** Alerts, and the channels that they are sent to. */
export const pages: readonly PageEntry[] = [
  {
    path: '/alerts/channels',
    title: 'Alert channels',
    load: () =>
      import('./channel/channels-page.tsx').then(({ ChannelsPage }) => ({ Page: ChannelsPage })),
    nav: { label: 'Alerts', to: '/alerts/channels', icon: 'bell', order: 25, holds: ['/alerts'] },
  },
  {
    path: '/alerts/channels/:uid',
    load: () =>
      import('./channel/channel-page.tsx').then(({ ChannelPage }) => ({ Page: ChannelPage })),
  },
]
