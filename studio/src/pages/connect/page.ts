import type { PageEntry } from '../../app/page-entry.ts'

/** What takes data from other systems: connectors, and connections to databases. */
export const pages: readonly PageEntry[] = [
  {
    path: '/connect',
    title: 'Connect',
    load: () =>
      import('./connectors-page.tsx').then(({ ConnectorsPage }) => ({ Page: ConnectorsPage })),
    nav: { label: 'Connect', to: '/connect', icon: 'connect', order: 40, holds: ['/connect'] },
  },
  {
    path: '/connect/send',
    load: () => import('./send-page.tsx').then(({ SendPage }) => ({ Page: SendPage })),
  },
  {
    path: '/connect/refused',
    load: () => import('./refused-page.tsx').then(({ RefusedPage }) => ({ Page: RefusedPage })),
  },
  {
    path: '/connect/:uid',
    load: () =>
      import('./connector-page.tsx').then(({ ConnectorPage }) => ({ Page: ConnectorPage })),
  },
  {
    path: '/connect/connections',
    load: () =>
      import('./connection/connections-page.tsx').then(({ ConnectionsPage }) => ({
        Page: ConnectionsPage,
      })),
  },
  {
    path: '/connect/connections/:uid',
    load: () =>
      import('./connection/connection-page.tsx').then(({ ConnectionPage }) => ({
        Page: ConnectionPage,
      })),
  },
]
