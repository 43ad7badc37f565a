import type { PageEntry } from '../../app/page-entry.ts'

const load = () => import('./admin-page.tsx').then(({ AdminPage }) => ({ Page: AdminPage }))

/** Who may do what, and how the service is. */
export const pages: readonly PageEntry[] = [
  {
    path: '/admin',
    title: 'Administration',
    load,
    nav: { label: 'Admin', to: '/admin', icon: 'admin', order: 60, holds: ['/admin'] },
  },
  { path: '/admin/:section', load },
]
